import pytest

from kvviz.ui.text_dialog import TOO_FEW, TextDialog


@pytest.fixture
def asked(qtbot, look):
    def ask(can_take_bytes=True):
        dialog = TextDialog(look, "some <model>", can_take_bytes)
        heard = []
        dialog.chosen.connect(heard.append)
        dialog.show()
        return dialog, heard

    return ask


@pytest.mark.parametrize(("button", "said"), [("bytes_button", [True]), ("ids_button", [False])])
def test_one_of_two_ways_is_chosen(asked, button, said):
    dialog, heard = asked()
    getattr(dialog, button).click()
    assert heard == said


def test_cancel_chooses_nothing(asked):
    dialog, heard = asked()
    dialog.cancel_button.click()
    assert heard == []


def test_too_few_tokens_for_bytes_are_the_reason(asked):
    dialog, heard = asked(can_take_bytes=False)
    assert dialog.bytes_button.reason == TOO_FEW
    assert dialog.ids_button.isDefault()
    dialog.reject()
    assert heard == []
