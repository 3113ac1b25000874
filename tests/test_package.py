import os
import subprocess
import sys

import pytest

NAME = "THP_MEM_ALLOC_ENABLE"


@pytest.mark.parametrize(("given", "seen"), [(None, "1"), ("0", "0")])
def test_torch_is_asked_for_large_pages_unless_somebody_decided(given, seen):
    environment = {name: value for name, value in os.environ.items() if name != NAME}
    if given is not None:
        environment[NAME] = given
    code = f"import kvviz, os; print(os.environ['{NAME}'])"
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == seen
