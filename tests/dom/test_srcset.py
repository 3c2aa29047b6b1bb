from __future__ import annotations

import time

import pytest

from blogcrawler.dom.references import candidates


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("a.png 2x, b.png", [("a.png", "2x"), ("b.png", "")]),
        ("a,b.png 300w,c.png 1.5x", [("a,b.png", "300w"), ("c.png", "1.5x")]),
        (" ,, a.png, b.png 2x,, ", [("a.png", ""), ("b.png", "2x")]),
        ("a.png 2x,\u00a0\u00a0", [("a.png", "2x"), ("\u00a0\u00a0", "")]),
        ("a.png\n\t300w 200h,b.png 2y", [("a.png", "300w")]),
        ("", []),
        (",,", []),
    ],
)
def test_candidates(value: str, found: list[tuple[str, str]]) -> None:
    assert list(candidates(value)) == found


@pytest.mark.parametrize("part", ["\u00a0", "\u3000", " ", ",", "\v", "a,", ", ", "a.png ", "1 ", "2x "])
def test_repetitions_take_linear_time(part: str) -> None:
    begin = time.process_time()
    list(candidates("a.png 2x," + part * 100_000))
    assert time.process_time() - begin < 1
