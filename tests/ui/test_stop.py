from PySide6.QtCore import QTimer


def waiting(store):
    return [
        timer for timer in store.findChildren(QTimer) if timer.isSingleShot() and timer.isActive()
    ]


def test_stop_also_ends_what_is_about_to_run(store):
    store.change("num_layers", 3, settled=True)
    assert waiting(store)
    store.stop()
    assert not waiting(store)
