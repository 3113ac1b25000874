from kvviz.session.model_shelf import MOST_OPENED, ModelShelf
from kvviz.trace.config import ModelChoice, ModelSource, ModelSpec


def opened(path):
    return ModelChoice(ModelSpec(source=ModelSource.FOLDER, path=path))


def test_the_newest_comes_first_and_each_path_once():
    shelf = ModelShelf()
    for path in ("/a", "/b", "/a"):
        shelf.add(opened(path))
    assert [choice.spec.path for choice in shelf.opened] == ["/a", "/b"]


def test_old_ones_make_room():
    shelf = ModelShelf()
    for number in range(MOST_OPENED + 2):
        shelf.add(opened(f"/{number}"))
    assert len(shelf.opened) == MOST_OPENED
    assert shelf.opened[0].spec.path == f"/{MOST_OPENED + 1}"


def test_what_was_not_opened_is_not_listed():
    shelf = ModelShelf(ModelChoice(ModelSpec(source=ModelSource.BUILT_IN)))
    shelf.add(shelf.built_in)
    shelf.add(ModelChoice(ModelSpec()))
    assert shelf.opened == []
