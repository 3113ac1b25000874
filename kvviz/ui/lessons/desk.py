"""Lessons in the window: the guide, its panel, its light, and what is remembered."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QRect, QTimer, Signal, Slot
from PySide6.QtWidgets import QWidget

from kvviz.lessons.course import all_lessons, find_lesson
from kvviz.lessons.lesson import Lesson
from kvviz.lessons.player import Player
from kvviz.session.regions import Region
from kvviz.ui.changes import Change
from kvviz.ui.inspector_panel import InspectorPanel
from kvviz.ui.lessons.guide import Guide
from kvviz.ui.lessons.overview import Overview
from kvviz.ui.lessons.panel import LessonPanel
from kvviz.ui.lessons.places import lit_by, reveal, view_of
from kvviz.ui.lessons.spotlight import Lit, Spotlight
from kvviz.ui.preferences import Preferences
from kvviz.ui.store import Store
from kvviz.ui.theme import ThemeManager

MakeRoom = Callable[[tuple[Region, ...] | None], None]


@dataclass(frozen=True, slots=True)
class Ground:
    """The parts of the window that lessons are about.

    ``make_room`` shows what is pointed at where there is little room; with None all is as it was.
    ``transport`` is never dimmed.
    """

    page: QWidget
    views: dict[Region, QWidget]
    make_room: MakeRoom
    transport: QWidget


class LessonDesk(QObject):
    """``opened`` and ``left`` when a lesson begins and ends; ``wanted`` asks for the overview."""

    opened = Signal()
    left = Signal()
    wanted = Signal()

    def __init__(
        self,
        store: Store,
        look: ThemeManager,
        values: Preferences,
        ground: Ground,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._store, self._values, self._ground = store, values, ground
        self.lessons: list[Lesson] = all_lessons()
        self.guide = Guide(store, lambda: values.reduce_motion, self)
        self.panel = LessonPanel(self.guide, look, len(self.lessons))
        self._look = look
        self._overview: Overview | None = None
        self.spotlight = Spotlight(look, ground.page)
        self._place = QTimer(self, singleShot=True, interval=0)
        self._place.timeout.connect(self._light)
        self._unseen: tuple[Region, ...] = ()  # still to be scrolled to
        self.guide.changed.connect(self._follow)
        self.guide.ended.connect(self._finish)
        self.guide.taken_over.connect(self.leave)
        self.panel.left.connect(self.leave)
        store.changed.connect(self._on_changed)
        look.changed.connect(self._place.start)
        ground.page.installEventFilter(self)
        for view in ground.views.values():
            view.installEventFilter(self)
            if isinstance(view, InspectorPanel):
                view.moved.connect(self._place.start)

    @property
    def active(self) -> bool:
        """Whether a lesson is going on."""
        return self.guide.active

    @property
    def overview(self) -> Overview:
        """All lessons side by side, laid out when they are first asked for."""
        if self._overview is None:
            self._overview = Overview(self._look, self.lessons, self._values)
            self._overview.chosen.connect(self.open)
        return self._overview

    @Slot(str)
    def open(self, name: str, index: int | None = None) -> None:
        """Begin a lesson by name or number, where it was left; raise InputError without one."""
        lesson = find_lesson(name, self.lessons)
        remembered = self._values.lesson_places.get(lesson.name, 0)
        self.opened.emit()
        self.guide.open(lesson, remembered if index is None else index)

    def go_on(self) -> None:
        """Show the next step."""
        self.guide.go_on()

    def go_back(self) -> None:
        """Show the step before."""
        self.guide.go_back()

    def answer(self, place: int) -> bool:
        """Give the ``place``-th answer to the question shown, from 1; False without one."""
        choices = self.guide.choices()
        if len(choices) < place:
            return False
        self.guide.answer(choices[place - 1].text)
        return True

    def restart(self) -> None:
        """Begin the lesson again."""
        self.guide.restart()

    @Slot()
    def leave(self) -> None:
        """End the lesson; the run stays."""
        if self.active:
            self.guide.leave()
            self.spotlight.hide()
            self._ground.make_room(None)
            if self._overview is not None:
                self._overview.refresh()
            self.left.emit()

    def stop(self) -> None:
        """End timers."""
        self.guide.leave()
        self._place.stop()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the views wherever they go."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show):
            self._place.start()
            player = self.guide.player
            if watched is self._ground.page and player is not None:
                self._ground.make_room(player.step.scenery.points)  # it may be another room now
        return super().eventFilter(watched, event)

    @Slot()
    def _follow(self) -> None:
        player = self.guide.player
        if player is None:
            return
        points = player.step.scenery.points
        self._ground.make_room(points)
        self._unseen = points
        self._remember(player, done=player.at_end and self.guide.resting)
        self._place.start()

    @Slot()
    def _finish(self) -> None:
        player = self.guide.player
        if player is None:
            return
        self._remember(player, done=True)
        self.leave()
        self.wanted.emit()
        self.overview.point_behind(player.lesson.name)

    def _remember(self, player: Player, *, done: bool) -> None:
        """Keep where a person is; who has seen the last step begins anew, however they leave."""
        name, places = player.lesson.name, dict(self._values.lesson_places)
        if done:
            self._values.lessons_done = sorted({*self._values.lessons_done, name})
            places.pop(name, None)
        else:
            places[name] = player.index
        self._values.lesson_places = places

    @Slot(object)
    def _on_changed(self, changes: Change) -> None:
        if self.active and changes & (Change.CURSOR | Change.SELECTION | Change.RUNS):
            self._place.start()

    @Slot()
    def _light(self) -> None:
        player = self.guide.player
        if player is None or not self._ground.page.isVisible():
            return
        page, panel = self._ground.page, self.panel
        left = panel.mapTo(page, panel.rect().topRight()).x() + 1
        self.spotlight.setGeometry(QRect(left, 0, page.width() - left, page.height()))
        if self.guide.resting:
            views = self._ground.views
            self._unseen = tuple(one for one in self._unseen if not reveal(one, views))
        lit = self._lit_now(player.step.scenery.points)
        self.spotlight.light(lit)
        self.spotlight.setVisible(bool(lit))
        self.spotlight.raise_()

    def _lit_now(self, points: tuple[Region, ...]) -> list[Lit]:
        def found(region: Region) -> Lit | None:
            return lit_by(region, self._ground.views, self.spotlight)

        lit = [place for place in map(found, points) if place is not None]
        if not lit:  # what is pointed at is still to come: its view is where to look
            views = {view_of(region, self._ground.views) for region in points}
            lit = [
                Lit(place.view, None)
                for region, view in self._ground.views.items()
                if view in views and (place := found(region)) is not None
            ]
        transport = self._ground.transport
        corner = transport.mapTo(self._ground.page, transport.rect().topLeft())
        corner -= self.spotlight.pos()
        box = QRect(corner, transport.size()).toRectF()
        return [*lit, Lit(box, None)] if lit or not points else []
