"""Runs as a person reads them on a terminal."""

import io
import sys
from functools import partial

from rich.console import Console
from rich.table import Table
from rich.text import Text

from kvviz.cli.figures import (
    Figure,
    cache_figures,
    comparison_figures,
    kernel_figures,
    prefix_figures,
    speed_figures,
    work_figures,
)
from kvviz.engine.tokenizer import tokenizer_for
from kvviz.sizing.layout import CacheLayout
from kvviz.sizing.layout_text import layout_text
from kvviz.sizing.units import bytes_text, count_text
from kvviz.trace.config import ModelSource, ModelSpec
from kvviz.trace.trace import Trace

FIRST_COLUMN, ORIGIN_COLUMN = 29, 8
PREFILL, DECODE, QUIET, HEADING = "#4f8fff", "#ff5d5d", "dim", "bold"


def print_runs(traces: list[Trace], *, compared: bool) -> None:
    """Print runs side by side; ``compared`` adds how they differ from the first."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a pipe may take less than Unicode
    console = Console(file=sys.stdout, highlight=False, soft_wrap=False)
    console.print(_words(traces[0]))
    console.print()
    for line in _facts(traces[0]):
        console.print(Text(line, style=QUIET))
    console.print()
    groups = _groups(traces, compared=compared)
    fit = _columns_that_fit(traces, groups, console.width)
    for first in range(0, len(traces), fit):
        if first:
            console.print()
        shown = slice(first, first + fit)
        console.print(_table(traces[shown], [columns[shown] for columns in groups]))


def _words(trace: Trace) -> Text:
    """Prompt in the colour of prefill, continuation in that of decode."""
    config = trace.config
    tokenizer = tokenizer_for(config.tokenizer, config.tokenizer_path)
    prompt = tokenizer.decode(config.prompt_ids)
    if config.prompt_text is None:
        generated = " " + tokenizer.decode(trace.generated_ids)
    else:
        generated = tokenizer.decode([*config.prompt_ids, *trace.generated_ids])[len(prompt) :]
    words = Text(_printable(prompt), style=PREFILL, overflow="fold")
    return words.append(_printable(generated), style=DECODE)


def _facts(trace: Trace) -> list[str]:
    config, shape = trace.config, trace.config.model.shape
    sampling = config.sampling
    choice = "greedy" if sampling.greedy else f"temperature {sampling.temperature:g}"
    return [
        f"{count_text(shape.num_layers, 'layer')}, {shape.num_heads} query and "
        f"{count_text(shape.num_kv_heads, 'KV head')} "
        f"({shape.attention_kind}) of {shape.head_dim}, vocabulary {shape.vocab_size:,}, "
        f"positions {shape.positions}",
        f"{_printable(_weights(config.model))}, {bytes_text(config.cost.weights)} in "
        f"{config.dtype} on {config.device}; cache in {_dtypes(config.layout)}",
        f"{len(config.prompt_ids):,} prompt + {count_text(len(trace.generated_ids), 'new token')}, "
        f"limit {config.max_seq_len:,}, batch {config.batch}, {choice}",
    ]


def _weights(model: ModelSpec) -> str:
    match model.source:
        case ModelSource.RANDOM:
            return f"random weights, seed {model.seed}"
        case ModelSource.BUILT_IN:
            return "the built-in model"
        case _:
            return str(model.path)


def _dtypes(layout: CacheLayout) -> str:
    k, v = layout.dtypes
    return str(k) if k is v else f"{k} (K) and {v} (V)"


def _groups(traces: list[Trace], *, compared: bool) -> list[list[list[Figure]]]:
    """Return the figures that stand together, a column of them for each run."""
    kinds = [speed_figures, cache_figures, work_figures]
    kinds += [kind for kind in (prefix_figures, kernel_figures) if any(map(kind, traces))]
    if compared:
        kinds.insert(0, partial(comparison_figures, traces[0]))
    return [[kind(trace) for trace in traces] for kind in kinds]


def _columns_that_fit(traces: list[Trace], groups: list[list[list[Figure]]], width: int) -> int:
    values = [figure.value for columns in groups for figures in columns for figure in figures]
    longest = max(map(len, (*values, *(layout_text(trace.config.layout) for trace in traces))))
    return max(1, (width - FIRST_COLUMN - ORIGIN_COLUMN) // (longest + 2))


def _table(traces: list[Trace], groups: list[list[list[Figure]]]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style=HEADING)
    table.add_column("cache", no_wrap=True)
    for trace in traces:
        # Where the terminal is too narrow it is a value's words that go to a second line.
        table.add_column(layout_text(trace.config.layout), justify="right")
    table.add_column(style=QUIET, no_wrap=True)
    for columns in groups:
        table.add_row()
        for figures in zip(*columns, strict=True):
            values = (figure.value for figure in figures)
            table.add_row(figures[0].name, *values, str(figures[0].origin))
    return table


def _printable(text: str) -> str:
    # A model may say anything, control sequences of the terminal too.
    return "".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in text)
