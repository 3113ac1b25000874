import pytest

from kvviz.ui.calculator.desk import CalculatorDesk


@pytest.fixture
def desk(qapp):
    desk = CalculatorDesk()
    yield desk
    desk.shut_down()
