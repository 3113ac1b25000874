"""A list of storage types to choose from, each with the bits of one element."""

from collections.abc import Callable
from functools import cache

from kvviz.sizing.answer import Answer
from kvviz.sizing.element_types import ElementType, parse_element_type
from kvviz.sizing.stored_types import usual_cache_type
from kvviz.ui.theme import ThemeManager
from kvviz.ui.widgets.dropdown import Dropdown
from kvviz.ui.widgets.segmented import Option

TYPES = (
    "float32",
    "bfloat16",
    "float16",
    "float8_e4m3",
    "float8_e5m2",
    "int8:64",
    "int4:64",
    "q8_0",
    "q5_1",
    "q5_0",
    "q4_1",
    "q4_0",
    "iq4_nl",
    "fp8_ds_mla",
)
USUAL, DIFFER = "as usual", "K and V differ"


def type_choice(
    look: ThemeManager, label: str, tooltip: str, chosen: Callable[[object], None]
) -> Dropdown:
    """Return the list, which tells a chosen type's name to ``chosen``."""
    choice = Dropdown(look, _options(), "bfloat16", name=label, tooltip=tooltip)
    choice.chosen.connect(chosen)
    return choice


def show_type(choice: Dropdown, kind: ElementType) -> None:
    """Show a type that may not be in the list."""
    _show(choice, _options(kind), kind.name)


def show_kv_type(choice: Dropdown, answer: Answer) -> None:
    """Show the type of K and V, above all others the one that is kept if nobody chooses."""
    question, policy = answer.question, answer.policy
    usual, _ = usual_cache_type(answer.config, policy.engine)
    first = (USUAL, f"{usual.name}   {USUAL}", "")
    if question.k_type is None and question.v_type is None:
        _show(choice, [first, *_options()], USUAL)
    elif policy.k_type != policy.v_type:
        _show(choice, [first, *_options(), (DIFFER, DIFFER, "")], DIFFER)
    else:
        _show(choice, [first, *_options(policy.k_type)], policy.k_type.name)


def _show(choice: Dropdown, options: list[Option], value: str) -> None:
    """Show one of ``options``; what is there already is left alone, as it is slow."""
    texts = [text for _, text, _ in options]
    if choice.value != value or texts != [choice.itemText(n) for n in range(choice.count())]:
        choice.set_options(options, value)


def _options(shown: ElementType | None = None) -> list[Option]:
    """Return all types, and ``shown`` if it is another."""
    own = () if shown is None or shown.name in TYPES else (shown.name,)
    return [(name, _text(name), "") for name in (*TYPES, *own)]


@cache
def _text(name: str) -> str:
    return f"{name}   {parse_element_type(name).bits_text} bit"
