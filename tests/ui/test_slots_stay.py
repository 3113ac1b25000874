"""PySide lets go of a deleted object's slots, but not of a slot that a subclass wrote again."""

import ast
import importlib
import inspect
import pkgutil
import textwrap

from PySide6.QtCore import QObject

import kvviz.ui


def objects():
    """Return every QObject class of the window."""
    for found in pkgutil.walk_packages(kvviz.ui.__path__, "kvviz.ui."):
        module = importlib.import_module(found.name)
        for value in vars(module).values():
            own = inspect.isclass(value) and value.__module__ == module.__name__
            if own and issubclass(value, QObject):
                yield value


def connected(kind):
    """Return the methods of its own that a class connects signals to."""
    calls = ast.walk(ast.parse(textwrap.dedent(inspect.getsource(kind))))
    targets = (
        call.args[0]
        for call in calls
        if isinstance(call, ast.Call) and ast.unparse(call.func).endswith(".connect")
    )
    return {
        t.attr for t in targets if isinstance(t, ast.Attribute) and ast.unparse(t.value) == "self"
    }


def test_no_class_writes_a_slot_again_that_its_base_connects():
    kinds = list(objects())
    assert len(kinds) > 100
    again = [
        f"{kind.__name__}.{name}"
        for kind in kinds
        for base in kind.__mro__[1:]
        if base.__module__.startswith("kvviz.")
        for name in connected(base) & vars(kind).keys()
    ]
    assert again == []
