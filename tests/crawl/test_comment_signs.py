"""Feeds of comments are not asked for posts that have none, and no comment is lost by that."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from tests.crawl.blog import make_posts, serve
from tests.crawl.commented import CommentedBlog, talk
from tests.crawl.running import crawl
from tests.crawl.talking import TalkingBlog

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.crawl.blog import Post
    from tests.crawl.running import Outcome

pytestmark = pytest.mark.slow

POSTS = 40
SECTION = re.compile(r'<section id="talk">.*?</section>', re.DOTALL)
COMMENTS = re.compile(r"<ol>.*?</ol>(?=.*</form>)", re.DOTALL)


@dataclass
class HidingBlog(CommentedBlog):
    """Pages show their comments but for those of some posts, by their place, whose section is replaced."""

    is_hidden: Callable[[int], bool] = lambda _: False
    replacement: str = ""
    pattern: re.Pattern[str] = SECTION

    def page(self, post: Post) -> str:
        html = super().page(post)
        if not self.is_hidden(self.posts.index(post)):
            return html
        return self.pattern.sub(self.replacement.format(path=self.path(post)), html)


def feeds_asked(done: Outcome) -> int:
    return sum(target.endswith("comments.atom") and target != "/comments.atom" for target in done.requests)


def numbers(done: Outcome, base: str, blog: CommentedBlog) -> dict[int, int]:
    """How many comments the records have, by the place of their post; those without are left out."""
    found = {at: len(done.record(base + blog.path(post))["comments"]) for at, post in enumerate(blog.posts)}
    return {at: count for at, count in found.items() if count}


def hiding(comments: Callable[[int], int], **values: object) -> HidingBlog:
    return HidingBlog(
        posts=make_posts(POSTS),
        entry_counts=False,
        page_names_feed=True,
        shows_talk=True,
        comments=lambda at: talk(comments(at)),
        **values,
    )


def test_a_few_posts_prove_that_pages_show_all_comments(tmp_path):
    blog = hiding(lambda at: 3 if at in (1, 30) else 0)
    with serve(blog) as site:
        done = crawl(tmp_path, f"{site.url}/", server=site)
        assert numbers(done, site.url, blog) == {1: 3, 30: 3}
        assert all(record["comment_count"] == len(record["comments"]) for record in done.records)
    assert feeds_asked(done) < POSTS / 2


def test_comments_that_are_in_feeds_alone_are_found(tmp_path):
    blog = hiding(lambda at: 2 if at % 9 == 1 else 0, is_hidden=lambda _: True)
    with serve(blog) as site:
        done = crawl(tmp_path, f"{site.url}/", server=site)
        assert numbers(done, site.url, blog) == {at: 2 for at in range(POSTS) if at % 9 == 1}


def test_comments_that_are_hidden_where_they_are_closed_are_found(tmp_path):
    """The newest posts prove that pages with a form show all; those of older posts have none, and hide comments."""
    blog = hiding(lambda at: 3 if at in (1, 2, 30, 37) else 0, is_hidden=lambda at: at >= 15)
    with serve(blog) as site:
        done = crawl(tmp_path, f"{site.url}/", server=site)
        assert numbers(done, site.url, blog) == {1: 3, 2: 3, 30: 3, 37: 3}


@pytest.mark.parametrize(
    "replacement",
    ['<ol></ol><a href="{path}comment-page-1/#talk">1</a>', "<ol></ol><p>3 comments</p>"],
    ids=["on other pages", "announced alone"],
)
def test_comments_that_a_page_leads_to_or_announces_are_found(tmp_path, replacement):
    blog = hiding(
        lambda at: 3 if at in (1, 2, 30) else 0,
        is_hidden=lambda at: at == 30,
        pattern=COMMENTS,
        replacement=replacement,
    )
    with serve(blog) as site:
        done = crawl(tmp_path, f"{site.url}/", server=site)
        assert numbers(done, site.url, blog) == {1: 3, 2: 3, 30: 3}


def test_a_comment_that_came_after_a_page_was_cached_is_found(tmp_path):
    """The feed of all comments has it, though the page has not."""

    @dataclass
    class Cached(TalkingBlog):
        def page(self, post: Post) -> str:
            html = super().page(post)
            return COMMENTS.sub("<ol></ol>", html) if self.posts.index(post) == 20 else html

    blog = Cached(posts=make_posts(POSTS), said={POSTS - at: talk(2) for at in (1, 2, 20)}, page_names_feed=True)
    with serve(blog) as site:
        done = crawl(tmp_path, f"{site.url}/", server=site)
        assert numbers(done, site.url, blog) == {1: 2, 2: 2, 20: 2}


def test_a_blog_without_any_comments_has_few_of_its_feeds_asked(tmp_path):
    blog = TalkingBlog(posts=make_posts(POSTS), page_names_feed=True)
    with serve(blog) as site:
        done = crawl(tmp_path, f"{site.url}/", server=site)
        assert numbers(done, site.url, blog) == {}
    assert feeds_asked(done) < POSTS / 2
