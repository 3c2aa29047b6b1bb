"""Pages that have a control that shows more, as their source tells."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.browser import grows


@pytest.mark.parametrize(
    "control",
    [
        "<button class=x>Load more</button>",
        "<BUTTON><span>Older</span> posts</BUTTON>",
        "<a href='#'>Mehr anzeigen</a>",
        "<a class=more href=#>Load  more (12)</a>",
        '<a href="javascript:void(0)">もっと見る</a>',
        "<a onclick='more()'>Показать ещё</a>",
        '<input type="button" class="b" value="Show more">',
        "<button>Plus d&#39;articles</button>",
        "<div class=x role=button tabindex=0>Older posts</div>",
        "<span role='button'>Show more</span>",
        "<input value='Show more' type=button>",
        "<script>new IntersectionObserver(more).observe(end)</script>",
        "<script src=/js/infinite-scroll.min.js></script>",
    ],
)
def test_controls(control: str) -> None:
    assert grows(f"<html><body><ul><li>One</ul>{control}</body></html>".encode())


@pytest.mark.parametrize(
    "markup",
    [
        "<a href='/page/2/'>Older posts</a>",
        '<a class="more" href="https://example.org/archive">Load more</a>',
        "<a href=/page/2>Load more</a>",
        "<button>Search</button>",
        "<div role=button>Search</div>",
        "<input type=text value='Load more'>",
        "<p>Load more</p>",
        f"<button>Load more of what {'is ' * 40}there</button>",
        "<button>Load more",
        "",
    ],
)
def test_other_markup(markup: str) -> None:
    assert not grows(f"<html><body>{markup}</body></html>".encode())


@given(st.binary(max_size=400))
def test_any_bytes_are_read(body: bytes) -> None:
    assert grows(body) in (True, False)


@pytest.mark.parametrize("piece", [b"<a", b"<button", b"<a href=# ", b"<input type=button ", b"<a>", b"<button><"])
def test_markup_without_end_takes_little_time(piece: bytes) -> None:
    begun = time.perf_counter()
    assert not grows(piece * (300_000 // len(piece)))
    assert time.perf_counter() - begun < 10
