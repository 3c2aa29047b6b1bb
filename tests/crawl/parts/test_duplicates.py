"""Which pages show what others have shown."""

from __future__ import annotations

import pytest

from blogcrawler.crawl.duplicates import ComparableContent, Copies
from blogcrawler.dom import parse
from blogcrawler.wrapper import Extraction

TEXT = "A long way round the lake, with a rest at each of the three mills that still turn. " * 4
OTHER = "The mills are shut in winter, and the way is under snow until the end of March. " * 4


def shown(text: str = TEXT, title: str | None = "Mills", published: str | None = "2020-05-01") -> ComparableContent:
    return ComparableContent.of(Extraction(article=parse(f"<p>{text}</p>".encode()), title=title, published=published))


def test_the_first_page_is_no_copy() -> None:
    copies = Copies()
    assert copies.page_like(shown(), "blog/1") is None
    copies.note_page(shown(), "blog/1")
    assert copies.page_like(shown(), "blog/1") is None, "the same page again"
    assert copies.page_like(shown(), "blog/2") == "blog/1"


def test_what_a_page_that_is_no_post_has_shown_is_not_a_post_again() -> None:
    """A list that holds one post shows it before its own page is met."""
    copies = Copies()
    copies.note_page(shown(), "blog/month")
    assert copies.post_like(shown(), "blog/post") is None
    assert copies.same_post(shown(), "blog/post") is None
    copies.note_post(shown(), "blog/post")
    assert copies.post_like(shown(), "blog/month") == "blog/post"
    assert copies.post_like(shown(), "blog/post") is None


@pytest.mark.parametrize(
    ("other", "alike", "again"),
    [
        (shown(), True, True),
        (shown(text=OTHER), False, False),
        (shown(text=TEXT[:120]), True, False),
        (shown(text=f"{TEXT} More of it, which the list does not show. " * 3), True, False),
        (shown(text="Mills"), True, False),
        (shown(published="2020-05-02"), False, False),
        (shown(title="Snow"), False, False),
    ],
    ids=["all alike", "another text", "its beginning", "more than it", "a short text", "another day", "another title"],
)
def test_posts_are_told_by_title_and_date(other: ComparableContent, alike: bool, again: bool) -> None:
    copies = Copies()
    copies.note_post(shown(), "blog/1")
    assert (copies.post_like(other, "blog/2") is not None) == alike
    assert (copies.same_post(other, "blog/2") is not None) == again


@pytest.mark.parametrize("missing", [{"title": None}, {"published": None}])
def test_pages_without_a_title_or_date_are_told_by_their_text(missing: dict[str, None]) -> None:
    copies = Copies()
    copies.note_post(shown(**missing), "blog/1")
    assert copies.post_like(shown(**missing), "blog/2") == "blog/1"
    assert copies.post_like(shown(text=OTHER, **missing), "blog/3") is None
    assert copies.same_post(shown(**missing), "blog/2") is None, "a page without them is not told for sure"


def test_a_page_without_an_article_is_a_copy_of_none() -> None:
    copies, empty = Copies(), ComparableContent.of(Extraction(article=None, title="Mills", published="2020-05-01"))
    copies.note_post(empty, "blog/1")
    assert copies.page_like(empty, "blog/2") is None
    assert copies.post_like(empty, "blog/2") is None


def test_posts_of_one_day_and_title_are_told_by_their_texts() -> None:
    copies = Copies()
    copies.note_post(shown(), "blog/1")
    assert copies.differs_from(shown(text=OTHER), "blog/1")
    assert not copies.differs_from(shown(text=TEXT[:120]), "blog/1"), "its beginning"
    assert copies.differs_from(shown(text=OTHER, published="2020-05-03"), "blog/1"), "a series has one title"
    assert not copies.differs_from(shown(text=OTHER), "blog/2")


def test_texts_without_spaces_are_told_apart() -> None:
    copies = Copies()
    one, other = (
        "湖の周りを歩くと三つの水車小屋がある。今も回っている。",
        "冬になると小屋は閉まり、道は三月の終わりまで雪の下になる。",
    )
    copies.note_post(shown(text=one), "blog/1")
    assert copies.post_like(shown(text=one[:18]), "blog/list") == "blog/1"
    assert copies.post_like(shown(text=other), "blog/2") is None
