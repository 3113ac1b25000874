"""What a control says when it is pointed at, and why it is off when it is off."""

import html

from PySide6.QtWidgets import QWidget


def explain(widget: QWidget, tooltip: str, reason: str | None = None, shortcut: str = "") -> None:
    """Set the tooltip and the screen reader's description; a ``reason`` also switches it off."""
    lines = [line for line in (reason, tooltip) if line]
    key = f"Key: {shortcut}" if shortcut else ""
    # Rich text, because a plain tooltip is never wrapped.
    marked = [html.escape(line, quote=False) for line in lines]
    if reason:
        marked[0] = f"<span style='font-weight:600'>{marked[0]}</span>"
    if key:
        marked.append(f"<span style='font-weight:500'>{html.escape(key, quote=False)}</span>")
    widget.setToolTip(f"<qt>{'<br>'.join(marked)}</qt>" if marked else "")
    widget.setAccessibleDescription(" ".join([*lines, key]).strip())
    widget.setEnabled(reason is None)
