import os
import signal
import subprocess
import sys
import threading

import pytest
from PySide6.QtCore import QThread, Signal
from PySide6.QtWidgets import QApplication, QWidget

from kvviz.sizing.errors import InputError
from kvviz.ui.app import Faults, Interruptions, fault_sentence, finish

SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


@pytest.fixture
def faults(qapp):
    faults = Faults()
    faults.heard = []
    faults.found.connect(faults.heard.append)
    hooks = (sys.excepthook, threading.excepthook)
    faults.watch()
    yield faults
    faults.release()
    assert (sys.excepthook, threading.excepthook) == hooks


def in_a_process_of_its_own(code):
    """Run what changes the application for good; return the words it printed."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout.split()


def fail(error):
    """Raise ``error`` and hand it to the hook, as the interpreter does with what nobody caught."""
    try:
        raise error
    except (ValueError, TypeError):
        sys.excepthook(*sys.exc_info())


def test_a_fault_is_said_in_one_sentence(faults):
    fail(ValueError("two\nlines"))
    (sentence,) = faults.heard
    assert sentence.startswith("A mistake in kvviz itself (ValueError in test_app.py, line ")
    assert "two lines" in sentence
    assert "\n" not in sentence


def test_the_same_fault_is_said_once(faults):
    for _ in range(3):
        fail(ValueError("again"))
    assert len(faults.heard) == 1
    fail(TypeError("another"))
    assert len(faults.heard) == 2


def test_no_traceback_reaches_the_terminal(faults, capsys, monkeypatch):
    monkeypatch.delenv("KVVIZ_DEBUG", raising=False)
    fail(ValueError("quiet"))
    assert capsys.readouterr().err == ""


def test_a_traceback_can_be_asked_for(faults, capsys, monkeypatch):
    monkeypatch.setenv("KVVIZ_DEBUG", "1")
    fail(ValueError("loud"))
    assert "Traceback" in capsys.readouterr().err


def test_without_a_terminal_nothing_is_printed(faults, monkeypatch):
    monkeypatch.setenv("KVVIZ_DEBUG", "1")
    monkeypatch.setattr(sys, "stderr", None)
    fail(ValueError("nowhere"))
    assert len(faults.heard) == 1


def test_a_fault_in_a_thread_is_heard_in_the_windows_thread(qtbot, faults):
    threads = []

    class Ear(QWidget):
        heard = Signal()

        def hear(self, sentence):
            threads.append(QThread.currentThread())
            self.heard.emit()

    ear = Ear()
    qtbot.addWidget(ear)
    faults.found.connect(ear.hear)
    with qtbot.waitSignal(ear.heard):
        thread = threading.Thread(target=lambda: 1 / 0)
        thread.start()
        thread.join()
        assert threads == []  # handed over, not done there
    assert threads == [QApplication.instance().thread()]
    assert "ZeroDivisionError" in faults.heard[0]


def test_a_thread_may_end_itself(faults):
    thread = threading.Thread(target=sys.exit)
    thread.start()
    thread.join()
    QApplication.sendPostedEvents()
    assert faults.heard == []


def test_an_input_error_speaks_for_itself():
    error = InputError("The prompt is empty: type a few words.")
    assert fault_sentence(InputError, error, "a.py", 3) == "The prompt is empty: type a few words."


@pytest.mark.parametrize("error", [None, ValueError(), ValueError("x" * 10_000)])
def test_any_error_makes_one_short_line(error):
    sentence = fault_sentence(ValueError, error, "", 0)
    assert len(sentence) < 400
    assert "\n" not in sentence


def test_interruptions_give_the_signals_back(qapp):
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    interruptions = Interruptions(qapp)
    assert signal.getsignal(signal.SIGINT) is not before[0]
    interruptions.release()
    assert [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)] == before
    assert interruptions.code == 0
    interruptions.deleteLater()


@pytest.mark.parametrize("name", [n for n in SIGNALS if hasattr(signal, n)])
def test_a_signal_closes_the_windows_and_ends_the_loop(name):
    said = in_a_process_of_its_own(f"""
import os, signal
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget
from kvviz.ui.app import Interruptions, create_application
signal.signal(signal.{name}, signal.SIG_DFL)  # nohup's children ignore it
application = create_application(["kvviz"])
interruptions = Interruptions(application)
window = QWidget()
window.show()
QTimer.singleShot(0, lambda: os.kill(os.getpid(), signal.{name}))
application.exec()
print(interruptions.code, window.isVisible())
""")
    assert said == [str(128 + getattr(signal, name)), "False"]


def test_finish_closes_and_deletes(qapp):
    window, waiting = QWidget(), QWidget()
    window.show()
    gone = []
    waiting.destroyed.connect(lambda: gone.append(True))
    waiting.deleteLater()
    finish(qapp)
    assert not window.isVisible()
    assert gone == [True]


def test_the_application_is_named_and_styled():
    said = in_a_process_of_its_own("""
from kvviz.ui.app import create_application
application = create_application(["kvviz"])
print(application.applicationName(), application.desktopFileName(), application.style().name())
""")
    assert said == ["kvviz", "kvviz", "fusion"]


def test_off_screen_only_what_no_one_can_mend_is_not_said():
    said = in_a_process_of_its_own("""
import sys
sys.stderr = sys.stdout
from PySide6.QtCore import qWarning
from PySide6.QtWidgets import QWidget
from kvviz.ui.app import create_application
application = create_application(["kvviz"])
window = QWidget()
window.setFixedSize(300, 200)
window.show()
qWarning("heard")
""")
    assert said == ["heard"]


ASKED = """
names = []
def __getattr__(name):
    names.append(name)
    raise AttributeError(name)
"""


def test_no_source_is_read_of_what_is_imported_later(tmp_path):
    (tmp_path / "asked.py").write_text(ASKED)
    said = in_a_process_of_its_own(f"""
import sys
from kvviz.ui.app import create_application
application = create_application(["kvviz"])
sys.path.insert(0, {str(tmp_path)!r})
from asked import names
print("__wrapped__" in names)
""")
    assert said == ["False"]
