"""What is dropped on the window, or pasted."""

from PySide6.QtCore import QMimeData, QUrl


def mime_of(*urls, text=None):
    """Links and text, as another program hands them over."""
    mime = QMimeData()
    if urls:
        mime.setUrls([QUrl(url) for url in urls])
    if text is not None:
        mime.setText(text)
    return mime
