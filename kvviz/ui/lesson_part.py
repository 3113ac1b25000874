"""The lessons put into the window, the first time they are asked for."""

from typing import TYPE_CHECKING

from kvviz.session.regions import Region
from kvviz.ui.lessons.desk import Ground, LessonDesk, MakeRoom
from kvviz.ui.top_bar import LESSONS, PLAYGROUND

if TYPE_CHECKING:
    from kvviz.ui.window import MainWindow

MEMORY = {Region.MEMORY, Region.MEMORY_HELD}


def lesson_desk(window: "MainWindow") -> LessonDesk:
    """Return the lessons of ``window``, their panel in the place of its controls."""
    playground = window.playground
    centre, charts = playground.centre, playground.charts
    ground = Ground(
        page=playground,
        views={
            Region.GRID: centre.grid,
            Region.HEADS: centre.heads,
            Region.KERNEL: centre.kernel,
            Region.CACHE_MAP: centre.cache_map,
            Region.PREFIX: centre.prefix,
            Region.TOKENS: centre.tokens,
            Region.TOOLBAR: centre.toolbar,
            Region.MEMORY: charts.memory,
            Region.LATENCY: charts.latency,
            Region.WORK: charts.work,
            Region.NEXT_TOKEN: charts.next_token,
            Region.INSPECTOR: playground.inspector,
            Region.TRANSPORT: playground.transport,
        },
        make_room=_room_maker(window),
        transport=playground.transport,
    )
    desk = LessonDesk(window.store, window.look, window.preferences.values, ground, window)
    playground.left.addWidget(desk.panel)
    desk.opened.connect(lambda: _enter(window, desk))
    desk.left.connect(lambda: _leave(window))
    desk.wanted.connect(lambda: window.show_part(LESSONS))
    return desk


def _room_maker(window: "MainWindow") -> MakeRoom:
    centre, charts = window.playground.centre, window.playground.charts
    folds = {
        Region.CACHE_MAP: centre.cache_fold,
        Region.WORK: charts.work_fold,
        Region.NEXT_TOKEN: charts.next_fold,
    }

    def make_room(points: tuple[Region, ...] | None) -> None:
        ended, wanted = points is None, set(points or ())
        for region, fold in folds.items():
            fold.want(True if region in wanted else None)
        centre.want_heads(Region.HEADS in wanted)
        centre.spare_panels(not (ended or Region.PREFIX in wanted))
        charts.spare_memory(not (ended or MEMORY & wanted))
        charts.memory.spare_held(not (ended or Region.MEMORY_HELD in wanted))

    return make_room


def _enter(window: "MainWindow", desk: LessonDesk) -> None:
    window.pages.show_page(PLAYGROUND)
    window.top_bar.tabs.set_current(LESSONS)
    window.playground.left.setCurrentWidget(desk.panel)
    window.playground.centre.grid.setFocus()  # Space and arrows lead through the lesson


def _leave(window: "MainWindow") -> None:
    window.playground.left.setCurrentWidget(window.playground.controls)
    window.top_bar.tabs.set_current(PLAYGROUND)
