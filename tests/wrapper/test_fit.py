"""Does a wrapper still fit?"""

from __future__ import annotations

import pytest

from blogcrawler.dom import parse
from blogcrawler.items import Entry, Page
from blogcrawler.wrapper import Example, learn
from blogcrawler.wrapper.fit import Habits, fits
from tests.crawl.blog import Blog, make_posts

BLOG = Blog(make_posts(12))
BY_HAND = "<p>What I have seen on my way to the town, and what others told me of it on the same day, as I write it.</p>"


def cut(post):
    return f"<p>{post.paragraphs[0][:120]} …</p>"


def pairs_of(content, *, is_summary):
    """Pages and entries; `content` is what an entry brings."""
    found = []
    for post in BLOG.posts:
        page = Page(f"http://blog.example.org{BLOG.path(post)}", BLOG.page(post).encode())
        page.tree = parse(page.body)
        found.append((page, Entry(page.url, title=post.title, content_html=content(post), is_summary=is_summary)))
    return found


def learned(pairs):
    """A wrapper, what is to be expected of it, and a pair that it was not learned from."""
    wrapper = learn(Example(page.tree, entry, page.url) for page, entry in pairs[1:])
    return wrapper, Habits.of(wrapper, pairs[1:]), pairs[0]


@pytest.mark.parametrize(("content", "is_summary"), [(cut, True), (lambda post: post.html, False)])
def test_a_page_like_those_that_were_learned_from_fits(content, is_summary):
    wrapper, habits, (page, entry) = learned(pairs_of(content, is_summary=is_summary))
    assert habits == Habits(has_rule=True, has_summary=is_summary)
    assert fits(wrapper, page, page.tree, entry, habits)


def test_entries_may_pass_for_whole_and_be_but_the_beginnings_of_articles():
    wrapper, habits, (page, entry) = learned(pairs_of(cut, is_summary=False))
    assert habits == Habits(has_rule=True, has_summary=True, is_cut=True)
    assert fits(wrapper, page, page.tree, entry, habits)


@pytest.mark.parametrize("is_summary", [True, False])
@pytest.mark.parametrize("text", ["Read what others have written, and write to us if you like to.", ""])
def test_a_page_whose_article_lacks_the_summary_does_not_fit(text, is_summary):
    wrapper, habits, (page, entry) = learned(pairs_of(cut, is_summary=is_summary))
    box = f'<div class="text"><p>{text}</p></div><div class="b3">'
    page.tree = parse(page.body.replace(b'<div class="text">', box.encode()))
    assert not fits(wrapper, page, page.tree, entry, habits)


def test_where_summaries_are_written_by_hand_they_tell_nothing():
    wrapper, habits, (page, entry) = learned(pairs_of(lambda _: BY_HAND, is_summary=True))
    assert not habits.has_summary
    assert fits(wrapper, page, page.tree, entry, habits)


def test_nothing_is_expected_where_nothing_is_at_hand():
    wrapper, _, _ = learned(pairs_of(cut, is_summary=True))
    assert Habits.of(wrapper, []) == Habits()
