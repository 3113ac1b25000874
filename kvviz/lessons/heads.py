"""What may stand in the heads of a lesson's file, checked by pydantic."""

import re
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from kvviz.lessons.run_wish import RunWish
from kvviz.session.regions import Place, Region
from kvviz.session.selection import Aggregate, Counted, GridMode

PLACE = re.compile(r"(start|end|prefill|decode)(?: ([1-9][0-9]*))?")
NO_REFERENCE = "none"


class LessonHead(BaseModel):
    """The first head: what the lesson is, and the runs it needs by name."""

    model_config = ConfigDict(extra="forbid")

    title: str = Field(min_length=1, max_length=40)
    minutes: int = Field(ge=1, le=15)
    runs: dict[str, RunWish] = Field(min_length=1)


class QuestionHead(BaseModel):
    """A question; the options that read like the filled ``answer`` are right."""

    model_config = ConfigDict(extra="forbid")

    ask: str = Field(min_length=1)
    options: tuple[str, ...] = Field(min_length=2, max_length=4)
    answer: str = Field(min_length=1)
    why: str = Field(min_length=1)


def _one_or_more(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _place(value: Any) -> Any:
    found = PLACE.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise ValueError(
            f"{value!r} is no place in a run: write start, prefill, prefill 2, decode 5 or end"
        )
    return Place(found[1]), int(found[2] or 1)


class StepHead(BaseModel):
    """A step's head: what is shown; what is left out stays as in the step before."""

    model_config = ConfigDict(extra="forbid")

    run: str | None = None
    reference: str | None = None
    at: Annotated[tuple[Place, int] | None, BeforeValidator(_place)] = None
    layer: int | None = None
    head: int | Aggregate | None = None
    view: GridMode | None = None
    counted: Counted | None = None
    cell: tuple[int, int] | Literal["none"] | None = None
    releases: bool = False
    point: Annotated[tuple[Region, ...], BeforeValidator(_one_or_more)] = ()
    holds: Annotated[tuple[str, ...], BeforeValidator(_one_or_more)] = ()
    question: QuestionHead | None = None
