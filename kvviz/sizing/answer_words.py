"""An answer as lines to read: names, values in both kinds of unit, and Markdown to paste."""

from collections.abc import Iterator
from typing import NamedTuple

from kvviz.sizing.answer import Answer
from kvviz.sizing.answer_report import bytes_per_token
from kvviz.sizing.units import both_units, count_text, ms_text

UNLIMITED = "no limit"


class Line(NamedTuple):
    """One figure: its name and its value as text."""

    name: str
    value: str


def answer_lines(answer: Answer) -> list[Line]:
    """Return the figures of an answer, the total first."""
    size, load = answer.size, answer.load
    lines = [Line("total", exact_bytes(size.total_bytes))]
    if load.sequences > 1:
        lines.append(Line("one sequence", exact_bytes(size.per_sequence_bytes)))
    if answer.policy.tp > 1:
        lines.append(Line(f"each of {answer.policy.tp:,} GPUs", exact_bytes(size.per_gpu_bytes)))
    each = bytes_per_token(answer)
    lines += [
        Line("per token", f"{each:,} B" if isinstance(each, int) else f"{each:,.1f} B"),
        Line("one more token", exact_bytes(size.bytes_per_next_token)),
    ]
    parts = {
        "keys": size.k_bytes,
        "values": size.v_bytes,
        "states": size.state_bytes,
        "index keys": size.index_bytes,
        "page padding": size.padding_bytes,
    }
    lines += [Line(name, exact_bytes(number)) for name, number in parts.items() if number]
    return [*lines, *_memory_lines(answer), *_work_lines(answer)]


def title(answer: Answer, name: str) -> str:
    """Return what was asked in one line."""
    load, policy = answer.load, answer.policy
    types = policy.k_type.name
    if policy.v_type != policy.k_type:
        types = f"K {policy.k_type.name}, V {policy.v_type.name}"
    asked = f"{count_text(load.sequences, 'sequence')} of {count_text(load.tokens, 'token')}"
    if load.source_tokens:
        asked += f" and {count_text(load.source_tokens, 'source token')}"
    return f"KV cache of {name}: {asked}, {types}, {policy.engine.value}"


def markdown(answer: Answer, name: str) -> str:
    """Return a Markdown table with the formula and what was assumed under it."""
    rows = [f"| {line.name} | {line.value} |" for line in answer_lines(answer)]
    parts = [f"**{title(answer, name)}**", "", "| figure | value |", "| --- | ---: |", *rows]
    parts += ["", "Formula:", "", *(f"- {line}" for line in answer.formula)]
    for heading, lines in (("Assumed", answer.assumptions), ("Note", answer.warnings)):
        if lines:
            parts += ["", f"{heading}:", "", *(f"- {line}" for line in lines)]
    return "\n".join(parts)


def exact_bytes(number: int) -> str:
    """Write bytes in both kinds of unit and in full: 2.00 GiB = 2.15 GB (2,147,483,648 B)."""
    if number < 1024:
        return f"{number:,} B"
    return f"{' = '.join(both_units(number))} ({number:,} B)"


def _memory_lines(answer: Answer) -> Iterator[Line]:
    shared_out, fits = answer.budget, answer.capacity
    if answer.weights is not None:
        yield Line("weights on a GPU", exact_bytes(answer.weights))
    if shared_out is None or fits is None:
        return
    if shared_out.allowance:
        yield Line("allowance", exact_bytes(shared_out.allowance))
    yield Line("memory for the cache", exact_bytes(shared_out.cache))
    load, several = answer.load, answer.load.sequences > 1
    longest = f"longest context, {load.sequences:,} sequences" if several else "longest context"
    if answer.logs_tokens:
        longest = "cache size in vLLM's log"
    yield Line(longest, _limit(fits.max_tokens, "token"))
    most = f"most sequences at {count_text(load.tokens, 'token')}"
    yield Line(most, _limit(fits.max_sequences, "sequence"))
    if fits.num_blocks is not None:
        yield Line("blocks", f"{fits.num_blocks:,}")
    if fits.older_log is not None:
        yield Line("in the log before vLLM 0.21", count_text(fits.older_log, "token"))


def _work_lines(answer: Answer) -> Iterator[Line]:
    hardware, found = answer.question.hardware, answer.roofline
    if hardware is None or found is None:
        return
    gpus = answer.policy.tp
    for name, work in (("prefill", found.prefill), ("one decode step", found.decode)):
        seconds = work.seconds(hardware, gpus)
        yield Line(
            f"{name}, at least",
            f"{ms_text(seconds * 10**9)} on {hardware.name} ({work.flops:,} operations, "
            f"{work.moved:,} B moved)",
        )


def _limit(number: int | None, noun: str) -> str:
    return UNLIMITED if number is None else count_text(number, noun)
