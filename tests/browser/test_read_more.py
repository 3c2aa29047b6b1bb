"""Pages that hold more than the feed's summary behind a control."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.browser.read_more import unfolds, waits_unfolded
from blogcrawler.dom import parse
from blogcrawler.similarity import squeezed

FIRST = "The river came up to the old bridge in the night, and nobody in the town had heard it."
REST = "By noon the market stood under water, and the boats of the rowing club brought bread to the houses. " * 3
SUMMARY = squeezed(FIRST)
COMMENTS = (
    "<section><h3>Two readers say</h3><p>I have seen it from the hill.</p><p>So have I, with my own eyes.</p></section>"
)


def page(behind: str, *, first: str = FIRST, end: str = COMMENTS) -> str:
    body = f"<main><article><h1>A flood</h1><div class=b><p>{first}</p>{behind}</div><p>Tags: water</p></article>{end}</main>"
    return (
        f"<html><body><nav>A blog of a town</nav>{body}<footer>All rights reserved by the town</footer></body></html>"
    )


CONTROLS = [
    "<button>Read more</button>",
    "<p><a href='#'>Continue reading…</a></p>",
    "<div role=button><b>Show the full article</b></div>",
    "<span class=more>Weiterlesen »</span>",
    "<a onclick='more()'>続きを読む</a>",
    "<p>It was a long night, as all were to say.</p><button>Lire la suite</button>",
]
OTHERS = [
    "<a href='/a-flood?all'>Read more</a>",
    "<a href='/a-flood?all'><span>Read more</span></a>",
    "<p><a href='#rest'>Read more</a></p>",
    "<button>Load more comments</button>",
    "<button>Read more comments</button>",
    "<button>Show more</button>",
    "<button>Subscribe to read more</button>",
    "<p>There is much more to read: read more in the next part.</p>",
    "<h2>Read more</h2>",
    f"<p>{REST}</p>",
]


@pytest.mark.parametrize("control", CONTROLS)
def test_a_control_behind_the_summary(control: str) -> None:
    assert waits_unfolded(parse(page(control)), SUMMARY)
    assert waits_unfolded(parse(page(control)), squeezed(f"{FIRST} And then […]"))


@pytest.mark.parametrize("control", OTHERS)
def test_other_pages(control: str) -> None:
    assert not waits_unfolded(parse(page(control)), SUMMARY)


def test_a_control_that_stands_elsewhere_is_another_things() -> None:
    button = "<button>Read more</button>"
    assert not waits_unfolded(parse(page("", end=f"<section><p>{REST}</p>{button}</section>")), SUMMARY)
    assert not waits_unfolded(parse(page("").replace("<nav>", f"<nav>{button}")), SUMMARY)
    assert not waits_unfolded(parse(page(button, first="Another post, about the hill and its tower.")), SUMMARY)
    assert waits_unfolded(parse(page("", end=f"<p>{button}</p>")), SUMMARY)


@pytest.mark.parametrize("control", CONTROLS)
def test_an_article_that_is_longer_when_it_is_shown(control: str) -> None:
    before, after = parse(page(control)), page(f"<p>{REST}</p>")
    assert not unfolds(before, before, SUMMARY)
    assert unfolds(before, parse(after), SUMMARY) is (REST not in control)
    assert unfolds(before, parse(page(f"<p>{REST}</p>{control}")), SUMMARY)
    assert not unfolds(before, parse(page("<p>No more.</p>")), SUMMARY)


def test_comments_that_were_added_are_no_longer_article() -> None:
    button = "<button>Read more</button>"
    more = COMMENTS.replace("</section>", f"<p>{REST}</p></section>")
    assert not unfolds(parse(page(button)), parse(page("", end=more)), SUMMARY)
    assert not unfolds(parse(page(button)), parse(page(button, end=more)), SUMMARY)


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text(text: str, summary: str) -> None:
    tree = parse(f"<body><p>{text.replace('<', '')}</p>x")
    assert not unfolds(tree, tree, squeezed(summary))


def test_linear() -> None:
    begun = time.process_time()
    parts = f"<p>{FIRST}" + "<b>read more</b>" * 50_000, "<div>" * 2_000 + f"{FIRST}<button>Read more</button>" * 2_000
    for part in parts:
        tree = parse(f"<body>{part}")
        waits_unfolded(tree, SUMMARY)
        unfolds(tree, tree, SUMMARY)
        waits_unfolded(tree, squeezed(FIRST * 40))
    assert time.process_time() - begun < 10
