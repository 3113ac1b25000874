from dataclasses import replace

import pytest
from engine_runs import config_of

from kvviz.cli import headless


@pytest.mark.parametrize(("prompt", "fed"), [((5, 6, 7), [[5, 6]]), ((5,), [[5]])])
def test_what_torch_does_once_is_done_before_a_run_is_timed(monkeypatch, prompt, fed):
    seen = []
    monkeypatch.setattr(headless, "load_model", lambda *_: lambda ids: seen.append(ids.tolist()))
    headless.load(replace(config_of(), prompt_ids=prompt))
    assert seen == [fed]
