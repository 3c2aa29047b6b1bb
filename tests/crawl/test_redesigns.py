"""Blogs whose old posts have another template than the newest, and feeds that show the new one alone."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

import pytest

from tests.crawl.blog import Blog, Post, make_posts, serve
from tests.crawl.running import crawl

pytestmark = pytest.mark.slow

OLD = 30
NEW = 12

TAGS = ("Tea", "Old maps", "Birds", "Radio")


def tags_of(post: Post) -> list[str]:
    """One or two tags."""
    first = len(post.text) % 3
    return list(TAGS[first : first + 1 + len(post.slug) % 2])


@dataclass
class Redesigned(Blog):
    """A blog that got new clothes; its oldest posts keep theirs: tables, no names, everything in one cell."""

    heading: str = "<h3>{}</h3>"

    def page(self, post: Post) -> str:
        if post not in self.posts[-OLD:]:
            return super().page(post)
        text = "<br><br>".join(escape(paragraph) for paragraph in post.paragraphs)
        tags = ", ".join(f'<a href="{self.folder}/category/{tag}/">{tag}</a>' for tag in tags_of(post))
        heading = escape(post.title)
        return (
            f"<!DOCTYPE html><html><head><title>{self.name}: {escape(post.title)}</title></head><body><table><tr>"
            f'<td><a href="{self.folder}/">Home</a><br><a href="{self.folder}/about/">About</a></td>'
            f"<td>{self.heading.format(heading)}<br><i>Written by {post.author} on {post.published:%d.%m.%Y} in {tags}</i>"
            f"<blockquote>{text}</blockquote></td></tr>"
            "</table><hr><center>Made by hand</center></body></html>"
        )


@pytest.mark.parametrize("heading", ["<h3>{}</h3>", "<b>{}</b>"])
def test_posts_from_before_a_redesign(tmp_path, heading):
    blog = Redesigned(make_posts(OLD + NEW), in_feed=8, heading=heading)
    with serve(blog) as site:
        done = crawl(tmp_path, f"{site.url}/", server=site)
        assert done.code == 0, done.stderr
        assert done.urls == blog.urls(site.url)
        for post in blog.posts[-OLD:]:
            record = done.record(site.url + blog.path(post))
            left = record["content_text"].removeprefix(post.title)  # which no heading tells from the text
            assert left.split() == post.text.split()
            assert record["title"] == post.title
            assert record["published"] == f"{post.published:%Y-%m-%d}"
            assert record["authors"] == [post.author]
            assert sorted(record["tags"]) == sorted(tags_of(post))
            assert all(told["confidence"] < 0.9 for told in record["provenance"]["fields"].values())
        new = done.record(site.url + blog.path(blog.posts[0]))
        assert new["provenance"]["fields"]["content"]["source"] == "rule"


def test_a_post_of_the_feed_in_another_template_has_the_article_of_the_feed(tmp_path):
    """Its page is fetched, no rule fits it, and the feed has the whole article."""
    blog = Redesigned(make_posts(OLD + NEW), in_feed=NEW + 1)
    with serve(blog) as site:
        done = crawl(tmp_path, f"{site.url}/", server=site)
        assert done.urls == blog.urls(site.url)
        post = blog.posts[NEW]
        record = done.record(site.url + blog.path(post))
        assert record["content_text"] == post.text
        assert record["title"] == post.title
