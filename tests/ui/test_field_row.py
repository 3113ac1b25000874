from kvviz.ui.widgets.field_row import FieldRow
from kvviz.ui.widgets.segmented import Segmented


def test_a_row_names_its_control(qtbot, look):
    control = Segmented(look, [("a", "fp32", ""), ("b", "bf16", "")])
    row = FieldRow(look, "Dtype", control)
    qtbot.addWidget(row)
    assert control.accessibleName() == "Dtype"
    assert row.label.buddy() is control
    named = Segmented(look, [("a", "fp32", "")], name="Cache dtype")
    outer = FieldRow(look, "Dtype", named)
    qtbot.addWidget(outer)
    assert outer.control is named
    assert named.accessibleName() == "Cache dtype"
