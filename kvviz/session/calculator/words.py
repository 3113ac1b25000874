"""The calculator's numbers as people read them."""

from kvviz.session.calculator.calculator import Calculator
from kvviz.sizing.answer import Answer
from kvviz.sizing.units import bytes_text, three_figures

NO_LIMIT, NOT_KNOWN = "no limit", "not known"


def time_text(nanoseconds: int) -> str:
    """Write a time with about three digits: 15.2 ms, 3.40 s."""
    for size, unit in ((10**9, "s"), (10**6, "ms"), (10**3, "µs")):
        if nanoseconds >= size:
            return f"{three_figures(nanoseconds, size)} {unit}"
    return f"{nanoseconds:,} ns"


def short_tokens(tokens: int) -> str:
    """Write a length for an axis: 512, 4 k, 1 M, in binary steps."""
    for size, unit in ((2**30, " G"), (2**20, " M"), (2**10, " k")):
        if tokens >= size and tokens % size == 0:
            return f"{tokens // size:,}{unit}"
    return f"{tokens:,}"


def sequences_text(sequences: int) -> str:
    """Write how many sequences."""
    return "one sequence" if sequences == 1 else f"{sequences:,} sequences"


def verdict(calculator: Calculator) -> tuple[str, str, str]:
    """Return (sentence, its core, tone): whether the cache fits beside the weights."""
    answer, budget = calculator.answer, calculator.answer.budget
    if budget is None:
        missing = calculator.reply.memory_problem
        known = answer.question.parameters is not None
        how = "choose the weights' type" if known else "type the weights' number"
        said = f"{how} to see what fits" if missing else ""
        return said, "weights not known" if missing else "", "secondary"
    if not budget.cache:
        return "the weights alone do not fit", "does not fit", "error"
    free = budget.free(answer.size.per_gpu_bytes)
    if free < 0:
        return f"does not fit, {bytes_text(-free)} too much", "does not fit", "error"
    return f"fits, {bytes_text(free)} to spare", "fits", "good"


def figure_rows(calculator: Calculator) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return (name, value) of what the cache takes, and of what fits."""
    answer = calculator.answer
    size, load, policy = answer.size, answer.load, answer.policy
    takes = [
        ("one more token adds", bytes_text(size.bytes_per_next_token)),
        ("each sequence", bytes_text(size.per_sequence_bytes)),
    ]
    if policy.tp > 1:
        takes.append((f"each of {policy.tp:,} GPUs", bytes_text(size.per_gpu_bytes)))
    if size.state_bytes:
        takes.append(("states, at any length", bytes_text(size.state_bytes * policy.tp)))
    if size.padding_bytes:
        takes.append(("padding of pages", bytes_text(size.padding_bytes * policy.tp)))
    if policy.block_size:
        blocks = -(-load.tokens // policy.block_size) * load.sequences
        takes.append((f"{policy.block_size:,}-token blocks", f"{blocks:,}"))
    if answer.roofline is not None:
        takes.append(("a step moves at least", bytes_text(answer.roofline.decode.moved)))
    return takes, _fits(answer)


def _fits(answer: Answer) -> list[tuple[str, str]]:
    load, fits, budget = answer.load, answer.capacity, answer.budget
    tokens = NOT_KNOWN if fits is None else _limit(fits.max_tokens)
    sequences = NOT_KNOWN if fits is None else _limit(fits.max_sequences)
    longest = f"longest context, {sequences_text(load.sequences)}"
    rows = [
        ("cache size in vLLM's log" if answer.logs_tokens else longest, tokens),
        (f"most sequences at {load.tokens:,}", sequences),
    ]
    if fits is not None and fits.num_blocks is not None:
        rows.append(("blocks that fit", f"{fits.num_blocks:,}"))
    if fits is not None and fits.older_log is not None:
        rows.append(("in the log before vLLM 0.21", f"{fits.older_log:,}"))
    if budget is not None and budget.weights is not None:
        larger = budget.larger(answer.size.per_gpu_bytes)
        rows.append(("fills more of the card", "the cache" if larger == "cache" else "the model"))
    return rows


def _limit(number: int | None) -> str:
    return NO_LIMIT if number is None else f"{number:,}"
