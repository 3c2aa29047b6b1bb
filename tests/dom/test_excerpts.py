"""Excerpts of other pages, as blog software writes them."""

from __future__ import annotations

import pytest

from blogcrawler.dom import ends_cut, is_excerpt


@pytest.mark.parametrize(
    "text", ["[…] as Ann wrote […]", " [...] and so on [...] ", "(…) was once (…)", "[ … ] x [ … ]"]
)
def test_excerpts(text: str) -> None:
    assert is_excerpt(text)
    assert ends_cut(text)


@pytest.mark.parametrize(
    "text", ["", "Well said.", "[…] as Ann wrote", "She said […] so.", "… and so on …", f"[…] {'long ' * 500} […]"]
)
def test_other_texts(text: str) -> None:
    assert not is_excerpt(text)
