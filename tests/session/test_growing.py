import numpy as np

from kvviz.session.growing import GrowingTable


def test_rows_stay_in_order_however_they_come():
    table = GrowingTable(2)
    assert table.columns.shape == (2, 0)
    whole = np.arange(2 * 500).reshape(2, 500)
    for first, last in ((0, 1), (1, 1), (1, 40), (40, 500)):
        table.extend(whole[:, first:last])
        assert len(table) == last
    assert table.columns.tolist() == whole.tolist()
    assert table.columns[1].flags.c_contiguous
