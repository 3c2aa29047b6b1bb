from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import pytest

from blogcrawler.serialise import INLINE, dump, load, register, stored_as


@dataclass(frozen=True)
class Place:
    path: str
    depth: float = 1


@dataclass(frozen=True)
class Signs:
    words: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Step:
    place: Place = field(metadata=INLINE)
    mode: Literal["all", "first"] = "all"
    pairs: frozenset[tuple[str, str]] = frozenset()
    answers: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    second: Place | None = field(default=None, metadata=stored_as("other"))
    inner: tuple[Step, ...] = ()


@dataclass(frozen=True)
class Cut:
    path: str
    signs: Signs | None = field(default=None, metadata=INLINE)


class Point:
    def __init__(self, x: int) -> None:
        self.x = x


register(Point, lambda point: point.x, Point)

STEP = Step(
    Place("a"), "first", frozenset([("b", "c"), ("a", "d")]), {"e": (1, 2)}, Place("f", 2.5), (Step(Place("g")),)
)
STORED = {
    "path": "a",
    "depth": 1,
    "mode": "first",
    "pairs": [["a", "d"], ["b", "c"]],
    "answers": {"e": [1, 2]},
    "other": {"path": "f", "depth": 2.5},
    "inner": [
        {"path": "g", "depth": 1, "mode": "all", "pairs": [], "answers": {}, "other": None, "inner": []},
    ],
}


def test_values_are_stored_and_loaded() -> None:
    assert dump(STEP) == STORED
    assert load(Step, STORED) == STEP


@pytest.mark.parametrize(
    ("cut", "stored"), [(Cut("a"), {"path": "a"}), (Cut("a", Signs(frozenset("c"))), {"path": "a", "words": ["c"]})]
)
def test_what_is_inline_is_stored_beside_it_unless_it_is_none(cut: Cut, stored: object) -> None:
    assert dump(cut) == stored
    assert load(Cut, stored) == cut


def test_unknown_names_are_passed_over_and_missing_ones_have_their_defaults() -> None:
    assert load(Place, {"path": "a", "width": 3}) == Place("a")


def test_collections_and_other_classes() -> None:
    assert dump({"a": [Point(3)]}) == {"a": [3]}
    assert load(list[Point], [3])[0].x == 3
    assert load(tuple[re.Pattern[str], ...], ["a+"])[0].fullmatch("aa")


@pytest.mark.parametrize(
    "damage",
    [
        *(None, 3, "a", [], ["path"], {"x": 1}, {}),
        *({"path": "a", "mode": "all", **other} for other in ({"inner": 3}, {"answers": [1]}, {"inner": "ab"})),
        *({"path": "a", "mode": "all", "depth": depth} for depth in ("1", True, None)),
        *({"path": "a", "mode": "all", "pairs": pairs} for pairs in ("ab", [["a"]], ["ab"], [["a", 1]])),
        *({"path": path, "mode": "all"} for path in (None, 1, ["a"])),
        *({"path": "a", "mode": mode} for mode in (None, 1, "some", ["all"])),
    ],
)
def test_what_is_no_such_value_is_refused(damage: object) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        load(Step, damage)


@pytest.mark.parametrize(
    ("kind", "data"),
    [(int, "1"), (int, True), (int, 1.0), (bool, 1), (bool, "no"), (str, 1), (float, "1"), (str, None)],
)
def test_no_type_is_made_of_another(kind: type, data: object) -> None:
    with pytest.raises(TypeError):
        load(kind, data)
