"""A small lesson as text, and the trace of its run."""

from hand_made import hand_made_trace

from kvviz.lessons.reader import parse_lesson

FILE = "03-a-small-one.md"
HEAD = """+++
title = "A small one"
minutes = 2

[runs.main]
prompt = "abcdef"
max_new_tokens = 8
max_seq_len = 64

[runs.other]
prompt = "abcdef"
layout = "none"
max_new_tokens = 8
max_seq_len = 64
+++

What it is about.
"""
STEPS = """
+++
at = "start"
point = "tokens"
+++

There are {prompt_tokens} tokens.

+++
at = "prefill"
view = "weights"
head = "mean"
+++

All {tokens_fed} went in.

+++
at = "decode 3"
reference = "other"
layer = -1
head = 1
counted = "positions"
cell = [-1, 0]
point = ["grid.newest", "grid.cell"]
holds = ["tokens_fed = 1", "next_bytes_added = bytes_per_token"]

[question]
ask = "How many bytes will the next step add?"
options = ["{next_bytes_added / 2}", "{next_bytes_added}"]
answer = "{next_bytes_added}"
why = "{formula_per_token}."
+++

One row of {score_cells} cells.

+++
at = "end"
reference = "none"
counted = "cells"
cell = "none"
+++

{run_tokens} tokens.
"""


def small_lesson(steps=STEPS, head=HEAD):
    """Return the lesson that ``steps`` below ``head`` are."""
    return parse_lesson(FILE, head + steps)


def small_traces():
    """The lesson's runs, made by hand."""
    return {name: hand_made_trace(prompt_tokens=6, new_tokens=8) for name in ("main", "other")}
