"""One run of a model that is loaded."""

from kvviz.cli.progress import progress
from kvviz.engine.failure import describe
from kvviz.engine.generate import Generation
from kvviz.engine.tokenizer import build_tokenizer
from kvviz.model.transformer import Transformer
from kvviz.sizing.errors import InputError
from kvviz.trace.config import RunConfig
from kvviz.trace.trace import Trace


def record_one(config: RunConfig, model: Transformer) -> Trace:
    """Generate to the end; raise InputError, saying at which step, if the model fails."""
    trace = Trace(config)
    generation = Generation(config, model, build_tokenizer(config.tokenizer))
    total = len(config.prompt_ids) + config.max_new_tokens - 1
    with progress(f"cache {config.layout.kind}", total) as report:
        try:
            for step, arrays in generation.run():
                trace.append(step, arrays)
                report(trace.seq_len)
        except Exception as error:
            message = describe(0, error, f"at step {len(trace)}").message
            raise InputError(message) from error
    return trace
