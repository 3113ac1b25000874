import pytest
from engine_runs import chosen, config_of, model_of, run, shape_of

from kvviz.sizing.dtypes import DType
from kvviz.sizing.errors import InputError
from kvviz.sizing.kernel import Kernel
from kvviz.trace.packing import pack, unpack
from kvviz.trace.report import run_report
from kvviz.trace.trace import Trace


@pytest.mark.parametrize("text", ["none", "preallocated", "paged:4", "sliding:4+1"])
@pytest.mark.parametrize("kernel", Kernel)
def test_every_kernel_says_the_same_over_any_cache(text, kernel):
    shape = shape_of(2)
    model = model_of(shape, DType.FLOAT64)
    fields = {"shape": shape, "dtype": DType.FLOAT64, "batch": 2, "more_prompts": ((1, 2),)}
    usual = run(config_of(text, **fields), model)
    config = config_of(text, kernel=kernel, tile=3, **fields)
    items = run(config, model)
    assert chosen(items) == chosen(usual)
    gaps = [step.kernel_gap for step, _ in items]
    if kernel is not Kernel.BLOCKWISE:
        assert gaps == [None] * len(items)
        return
    assert max(gaps) < 1e-12
    assert max(gaps) > 0
    trace = Trace(config)
    for item in items:
        trace.append(*item)
    assert [step.kernel_gap for step in unpack(config, pack(trace)).steps] == gaps
    report = run_report(trace, None)
    assert (report["kernel"], report["max_kernel_gap"]) == ("blockwise", max(gaps))


def test_a_tile_has_a_side():
    with pytest.raises(InputError, match="from 1 to 4,096 tokens, not 0"):
        config_of(tile=0)
