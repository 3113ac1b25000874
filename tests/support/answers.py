"""What the command line said."""

import json
from dataclasses import dataclass

from kvviz.cli.main import main


@dataclass(frozen=True)
class Answer:
    """Exit code and both streams of one command."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        """Standard output as JSON, where constants that are no numbers are refused."""
        return json.loads(self.out, parse_constant=refuse)

    @property
    def sentence(self):
        """The one sentence of a refusal."""
        assert self.code == 2, self
        assert self.out == ""
        assert self.err.startswith("kvviz: ")
        assert self.err.endswith(".\n")
        assert self.err.count("\n") == 1
        return self.err


def refuse(constant):
    raise AssertionError(f"{constant} is no JSON")


def ask(capsys, *arguments):
    """Run ``kvviz`` in this process."""
    code = main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return Answer(code, out, err)
