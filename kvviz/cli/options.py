"""What can be written behind ``kvviz`` and its commands."""

import argparse

from kvviz.cli import parser as values
from kvviz.cli.parser import Parser
from kvviz.sizing.errors import InputError

COMMANDS = {
    "run": "generate without a window and print what it cost",
    "compare": "the same run with several cache layouts, side by side",
    "calc": "what a model's KV cache takes, from its config.json",
    "lessons": "list the step-through lessons, or check that what they say is so",
    "bench": "measure kvviz against plain baselines",
}
THEMES = ("light", "dark")
PAGES = ("playground", "lessons", "calculator")
ZOOMS = (75, 100, 125, 150, 200)
ERRORS = "Input that cannot be used ends with one sentence on stderr and exit code 2."


def window_parser() -> Parser:
    """Return the parser of ``kvviz`` without a command."""
    commands = "\n".join(f"  kvviz {name:<8} {what}" for name, what in COMMANDS.items())
    parser = Parser(
        "",
        "See, size and feel a KV cache: a window in which a real transformer generates,\n"
        "every prefill and decode step drawn, measured and compared with the formula.",
        f"commands (each has its own --help):\n{commands}\n\n{ERRORS}",
    )
    parser.add_argument(
        "file",
        nargs="?",
        help="a model's folder, a trace, or a tutorial's weights (.safetensors) to open, or a "
        "config.json for the calculator",
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    parser.add_argument(
        "--info", action="store_true", help="print versions, machine and settings path, and exit"
    )
    parser.add_argument(
        "--lesson", metavar="NAME", help="open a lesson, by name or number (see kvviz lessons)"
    )
    picture = parser.add_argument_group("picture of the window")
    picture.add_argument(
        "--screenshot", metavar="OUT.png", help="draw the window after the default run, no screen"
    )
    _add_picture_options(picture)
    picture.add_argument("--page", choices=PAGES, help="part to show (default playground)")
    picture.add_argument(
        "--at",
        metavar="STEP",
        type=values.whole,
        help="step to show, from 0 (default the last); of a lesson from 1 (default the first)",
    )
    picture.add_argument(
        "--compare",
        metavar="LAYOUT,...",
        type=values.layouts,
        help="compare these layouts first, as kvviz compare --cache takes them",
    )
    return parser


def _add_picture_options(picture: argparse._ArgumentGroup) -> None:
    picture.add_argument(
        "--size", metavar="WxH", type=values.size, help="in logical pixels (default 1440x900)"
    )
    picture.add_argument("--theme", choices=THEMES, help="colours (default dark)")
    picture.add_argument(
        "--scale", type=int, choices=(1, 2), help="picture pixels per logical pixel (default 1)"
    )
    picture.add_argument(
        "--zoom", type=int, choices=ZOOMS, help="percent that the window is enlarged (default 100)"
    )


def check_picture_options(args: argparse.Namespace) -> None:
    """Raise InputError if options of a picture stand without a picture."""
    for name in ("size", "theme", "scale", "zoom", "page", "at", "compare"):
        if args.screenshot is None and getattr(args, name) is not None:
            raise InputError(f"--{name} is of a picture: give --screenshot OUT.png too.")


def run_parser() -> Parser:
    """Return the parser of ``kvviz run``."""
    parser = Parser("run", "Generate without a window and print what it cost.", ERRORS)
    _add_run_options(parser)
    parser.add_argument(
        "--cache",
        metavar="LAYOUT",
        type=values.layout,
        default="preallocated",
        help="how K and V are kept: none (full prefix each step), concat, preallocated (default), "
        "paged:16 (tokens a block), sliding:64+4 (window + sinks), quantized:int8 or int4",
    )
    parser.add_argument(
        "--earlier",
        metavar="PROMPT",
        help="run this prompt first in the same pool (paged): its blocks may be found again",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object, nothing else")
    parser.add_argument("--trace", metavar="FILE", help="also write the whole run to this file")
    return parser


def compare_parser() -> Parser:
    """Return the parser of ``kvviz compare``."""
    parser = Parser(
        "compare",
        "Make the same run with several cache layouts and say whether they chose the same tokens.",
        ERRORS,
    )
    _add_run_options(parser)
    parser.add_argument(
        "--cache",
        metavar="LAYOUT,...",
        type=values.layouts,
        default="none,concat,preallocated",
        help="layouts, the first is the reference (default none,concat,preallocated)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object, nothing else")
    return parser


def lessons_parser() -> Parser:
    """Return the parser of ``kvviz lessons``."""
    parser = Parser("lessons", "List the step-through lessons, or play them without a window.")
    parser.add_argument("name", nargs="?", help="one lesson, by name or number (default all)")
    parser.add_argument(
        "--check", action="store_true", help="play to the end and back, and check every claim"
    )
    picture = parser.add_argument_group("pictures")
    picture.add_argument("--pictures", metavar="FOLDER", help="write a PNG of every step")
    _add_picture_options(picture)
    return parser


def bench_parser() -> Parser:
    """Return the parser of ``kvviz bench``."""
    parser = Parser("bench", "Measure kvviz against plain baselines, a fresh process each.", ERRORS)
    parser.add_argument(
        "--model",
        metavar="NAME|DIR",
        help="measure decode and load of this model only: built-in, or a model's folder",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object, nothing else")
    return parser


def _add_run_options(parser: argparse.ArgumentParser) -> None:
    # Not "required": argparse would miss the prompt before it says that --promp is unknown.
    prompt = parser.add_argument_group("prompt", "one of the two").add_mutually_exclusive_group()
    prompt.add_argument("--prompt", metavar="TEXT", help="text, in the model's own tokens")
    prompt.add_argument("--prompt-ids", metavar="IDS", help="token ids, such as 10,20,30,40")
    parser.add_argument(
        "--also",
        metavar="PROMPT",
        action="append",
        default=[],
        help="a further prompt of the batch, text or ids as the first; may be given again",
    )
    _add_model_options(
        parser.add_argument_group(
            "model", "the built-in one for text; shape flags alone, or ids, mean random weights"
        )
    )
    _add_generation_options(parser.add_argument_group("generation"))


def _add_model_options(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add(
        "--model",
        metavar="NAME|DIR",
        help="built-in, random, or a model's folder in Hugging Face's layout; nothing is "
        "downloaded, and no code in a folder is run",
    )
    add(
        "--bytes",
        action="store_true",
        help="feed text as UTF-8 bytes to a folder without a tokenizer.json, or to random weights",
    )
    add("--weights", metavar="FILE", help="a tutorial's weights (.safetensors); needs --heads")
    add("--layers", metavar="N", type=values.whole, help="transformer blocks (default 2)")
    add("--heads", metavar="N", type=values.whole, help="query heads (default 4)")
    add("--kv-heads", metavar="N", type=values.whole, help="KV heads (default as --heads)")
    add("--head-dim", metavar="N", type=values.whole, help="elements of one head (default 16)")
    add(
        "--vocab-size",
        metavar="N",
        type=values.whole,
        help="token ids (default 256 for bytes, 128 for ids)",
    )
    add("--positions", metavar="HOW", type=values.positions, help="none (default) or rope")
    add(
        "--dtype",
        type=values.dtype,
        default="float32",
        help="the model's: float32 (default), bfloat16, float16, float64",
    )
    add("--kv-dtype", type=values.dtype, metavar="DTYPE", help="the cache's (default as --dtype)")
    add(
        "--v-dtype", type=values.dtype, metavar="DTYPE", help="that of V alone, such as float8_e4m3"
    )
    add("--batch", metavar="N", type=values.whole, help="copies of the prompt, 1 (default) to 16")
    add("--device", metavar="NAME", default="cpu", help="cpu (default), cuda or mps")


def _add_generation_options(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add(
        "--max-new-tokens",
        metavar="N",
        type=values.whole,
        default=24,
        help="tokens to generate (default 24)",
    )
    add(
        "--max-seq-len",
        metavar="N",
        type=values.whole,
        help="sequence limit in tokens, reserved by preallocated (default prompt + new tokens)",
    )
    add(
        "--prefill-chunk",
        metavar="N",
        type=values.whole,
        default=0,
        help="prompt tokens per pass (default 0: all in one)",
    )
    add(
        "--kernel",
        metavar="HOW",
        type=values.kernel,
        default="sdpa",
        help="attention by sdpa (default), eager, or blockwise: tiles with a running softmax",
    )
    add("--tile", metavar="N", type=values.whole, default=16, help="side of a tile (default 16)")
    add("--temperature", metavar="X", type=values.number, default=0.0, help="0 (default) is greedy")
    add("--top-k", metavar="N", type=values.whole, default=0, help="likeliest tokens kept, 0: all")
    add("--top-p", metavar="P", type=values.number, default=1.0, help="probability kept, 1: all")
    add("--seed", metavar="N", type=values.whole, default=0, help="of weights and sampling")
