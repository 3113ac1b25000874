"""What can be written behind ``kvviz calc``."""

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from kvviz.cli import parser as values
from kvviz.cli.parser import Parser
from kvviz.sizing.errors import InputError

if TYPE_CHECKING:
    from kvviz.sizing.element_types import ElementType
    from kvviz.sizing.hardware import Hardware

Value = TypeVar("Value")
GPUS = "RTX-4090, L40S, A100-80GB, H100-SXM, H200, B200, MI300X ..."
TYPES = "f32, f16, bf16, fp8, int8:G, int4:G, q8_0, q5_1, q5_0, q4_1, q4_0, iq4_nl"


def calc_parser() -> Parser:
    """Return the parser of ``kvviz calc``."""
    parser = Parser(
        "calc",
        "Say what a model's KV cache takes, exactly, and the formula with the numbers put in.",
        "A model that cannot be sized exactly ends with one sentence on stderr and exit code 2.",
    )
    parser.add_argument(
        "config",
        nargs="?",
        metavar="CONFIG|PRESET",
        help="a config.json, its folder, - or a preset",
    )
    parser.add_argument(
        "--presets",
        action="store_true",
        help="list the models that come along, or those with PRESET in their name",
    )
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--json", action="store_true", help="print one JSON object, nothing else")
    shown.add_argument("--markdown", action="store_true", help="print a Markdown table to paste")
    _add_numbers(parser.add_argument_group("bare numbers instead of a config"))
    _add_load(parser.add_argument_group("what is kept"))
    _add_policy(parser.add_argument_group("who keeps it, and how"))
    _add_memory(parser.add_argument_group("what fits"))
    return parser


def element_type(text: str) -> "ElementType":
    """Return a storage type by its name or alias."""
    from kvviz.sizing.element_types import parse_element_type

    return _as_argument(parse_element_type, text)


def hardware(text: str) -> "Hardware":
    """Return a GPU by its name."""
    from kvviz.sizing.hardware import find_hardware

    return _as_argument(find_hardware, text)


def amount(text: str) -> int:
    """Return bytes from a size such as 80GiB."""
    from kvviz.sizing.amounts import parse_bytes

    return _as_argument(parse_bytes, text)


def count(text: str) -> int:
    """Return a number such as 8.03B."""
    from kvviz.sizing.amounts import parse_count

    return _as_argument(parse_count, text)


def _add_numbers(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add("--layers", metavar="N", type=values.whole, help="layers, all alike")
    add("--kv-heads", metavar="N", type=values.whole, help="KV heads of a layer")
    add("--head-dim", metavar="N", type=values.whole, help="elements of one head")


def _add_load(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add("--tokens", metavar="N", type=values.whole, help="of one sequence (default 4096)")
    add("--sequences", metavar="N", type=values.whole, default=1, help="kept at once (default 1)")
    add("--source-tokens", metavar="N", type=values.whole, help="that a decoder attends to")
    add("--kv-dtype", metavar="T", type=element_type, help=f"of K and V: {TYPES}")
    add("--k-dtype", metavar="T", type=element_type, help="of K alone")
    add("--v-dtype", metavar="T", type=element_type, help="of V alone")
    add("--state-dtype", metavar="T", type=element_type, help="of a recurrent state")


def _add_policy(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add("--engine", choices=("exact", "vllm", "llama.cpp"), default="exact", help="(default exact)")
    add(
        "--windows",
        choices=("capped", "full"),
        default="capped",
        help="a window limits what is kept (default), or every layer keeps the full length",
    )
    add("--mla", choices=("latent", "expanded"), default="latent", help="(default latent)")
    add("--block-size", metavar="N", type=values.whole, help="tokens of a block")
    add("--tp", metavar="N", type=values.whole, default=1, help="GPUs that share each layer")
    add("--slots", metavar="N", type=values.whole, help="llama.cpp's, sharing one context")
    add(
        "--no-kv-unified",
        dest="kv_unified",
        action="store_false",
        help="llama.cpp's slots have a context each instead of sharing one",
    )
    add("--ubatch", metavar="N", type=values.whole, help="llama.cpp's batch (default 512)")
    add("--batched-tokens", metavar="N", type=values.whole, help="vLLM's step (default 8192)")
    add(
        "--mamba-cache-mode",
        choices=("align", "none"),
        default="align",
        help="vLLM's: a state more for prefix caching (default), or none",
    )
    add("--max-model-len", metavar="N", type=values.whole, help="vLLM's longest request")
    add("--speculative", metavar="N", type=values.whole, default=0, help="tokens drafted a step")


def _add_memory(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add("--memory", metavar="SIZE", type=amount, help="of a GPU; weights and allowance come off it")
    add("--cache-memory", metavar="SIZE", type=amount, help="of a GPU, all for the cache")
    add("--allowance", metavar="SIZE", type=amount, help="for activations (default a tenth)")
    add("--weights-dtype", metavar="T", type=element_type, help="of the weights (default as read)")
    add("--parameters", metavar="N", type=count, help="number of weights, such as 8.03B")
    add("--hardware", metavar="GPU", type=hardware, help=f"least times of work: {GPUS}")
    add("--index", metavar="FILE", help="a safetensors index to read their size from")


def _as_argument(parse: Callable[[str], Value], text: str) -> Value:
    try:
        return parse(text)
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
