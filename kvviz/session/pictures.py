"""The grid's picture and the strip of all heads, kept up with a run and a selection."""

from collections import deque
from collections.abc import Hashable

from kvviz.session.picture import Picture
from kvviz.session.picture_maker import PictureMaker, RowsShaded, RowsWanted
from kvviz.session.selection import Aggregate, Selection
from kvviz.session.shading import Shading, shade_rows, shading_of
from kvviz.trace.trace import Trace

GRID_MAX_SIDE = 8192
STRIP_MAX_SIDE = 128
CELLS_AT_ONCE = 16_384  # shaded in the caller's thread: half a millisecond

Key = tuple[int, Shading, int]  # a generation of pictures, how it is shaded, its largest side


class Pictures:
    """Asks a PictureMaker for the rows that are missing and puts them where they belong."""

    def __init__(self, maker: PictureMaker) -> None:
        self._maker = maker
        self._generation = 0
        self._trace: Trace | None = None
        self._size = 0
        self._keys: list[Key] = []
        self._shown: dict[Hashable, Picture] = {}
        self._made: deque[RowsShaded] = deque()
        self.grid: Picture | None = None
        self.heads: list[Picture] = []

    def show(self, trace: Trace, size: int, selection: Selection) -> None:
        """Make the pictures of ``size`` rows for a selection; those still right are kept."""
        if trace is not self._trace or size != self._size:
            self._generation += 1
            self._trace, self._size, self._shown = trace, size, {}
        old = self._shown
        keys = [self._key(shading_of(selection), GRID_MAX_SIDE)]
        for head in range(trace.config.model.shape.num_heads):
            keys.append(self._key(shading_of(selection, head), STRIP_MAX_SIDE))
        self._shown = {key: old.get(key) or Picture(size, key[2]) for key in keys}
        self._keys = keys
        self.grid = self._shown[keys[0]]
        self.heads = [self._shown[key] for key in keys[1:]]
        self.follow()
        self.order()

    def clear(self) -> None:
        """Show nothing."""
        self._trace, self.grid, self.heads = None, None, []
        self._keys, self._shown = [], {}
        self._maker.ask([])

    def follow(self) -> None:
        """Add the grid's rows that the trace has and the picture has not, where they are few.

        So no frame is without them; ``order`` asks for the rest.
        """
        if (trace := self._trace) is not None:
            self._shade_few(trace, trace.seq_len)

    def order(self) -> None:
        """Ask for the rows that the trace has and the pictures have not."""
        trace = self._trace
        if trace is None:
            return
        known = trace.seq_len
        self._maker.ask(
            [
                RowsWanted(key, trace, key[1], self._shown[key].rows, known)
                for key in self._keys
                if self._shown[key].rows < known
            ]
        )

    def _shade_few(self, trace: Trace, known: int) -> None:
        picture, (_, shading, _) = self._shown[self._keys[0]], self._keys[0]
        heads = trace.config.model.shape.num_heads if isinstance(shading.head, Aggregate) else 1
        missing = known - picture.rows
        if 0 < missing * known * heads <= CELLS_AT_ONCE:
            picture.put_rows(picture.rows, shade_rows(trace, shading, picture.rows, known))

    def collect(self, most: int | None = None) -> bool:
        """Put rows made since into their pictures, ``most`` pieces; return whether any changed.

        ``waiting`` then says whether there are more.
        """
        self._made.extend(self._maker.take())
        changed = False
        for _ in range(len(self._made) if most is None else min(most, len(self._made))):
            done = self._made.popleft()
            picture = self._shown.get(done.key)
            # A row asked for twice comes twice; the second is the same.
            if picture is not None and done.start <= picture.rows:
                picture.put_rows(done.start, done.rows)
                changed = True
        return changed

    @property
    def waiting(self) -> bool:
        """Whether rows are made that are in no picture yet."""
        return bool(self._made)

    @property
    def complete(self) -> bool:
        """Whether every picture has every row the trace has."""
        known = self._trace.seq_len if self._trace else 0
        return all(picture.rows >= known for picture in self._shown.values())

    def _key(self, shading: Shading, max_side: int) -> Key:
        return (self._generation, shading, max_side)
