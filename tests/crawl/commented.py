"""A blog whose posts have feeds of comments, with whatever oddity a test wants."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from html import escape
from urllib.parse import parse_qs, urlsplit

from tests.crawl.blog import Blog, Post
from tests.site import Reply

_ATOM = "application/atom+xml; charset=utf-8"


@dataclass(frozen=True)
class Said:
    """A comment. `parent` is the number of the one that it answers."""

    number: int
    author: str
    text: str
    parent: int | None = None


def talk(count: int) -> list[Said]:
    """So many comments: each third answers the one before."""
    return [
        Said(n, f"Reader {n % 7}", f"Remark {n} on this.", n - 1 if n % 3 == 0 else None) for n in range(1, count + 1)
    ]


@dataclass
class CommentedBlog(Blog):
    """`comments` gives those of the post at a place; feeds are Atom with threads, `size` entries a document."""

    comments: Callable[[int], list[Said]] = lambda at: talk(at % 4)
    size: int = 10
    #: what the feed of posts says of comments, and the head of a post's page
    entry_names_feed: bool = True
    entry_counts: bool = True
    page_names_feed: bool = False
    #: what feeds are answered with, instead, by the post's place
    instead: dict[int, Reply] = field(default_factory=dict)
    #: the place of the post whose feed is answered, where it is not its own
    swapped: dict[int, int] = field(default_factory=dict)
    #: whether pages show comments at anchors
    shows_comments: bool = False
    #: whether pages show comments as themes do, with day and thread, and how many on a page: the newest come first
    shows_talk: bool = False
    talk_size: int = 10_000
    #: whether feeds have but their newest entries, and lead to no others
    is_cut: bool = False

    def feed_of(self, post: Post) -> str:
        return f"{self.path(post)}comments.atom"

    def routes(self, base: str) -> dict[str, Reply]:
        routes = super().routes(base)
        for at, post in enumerate(self.posts):
            shown = self.swapped.get(at, at)
            routes |= {
                path: self.instead.get(at, Reply(self.document(base, shown, path), content_type=_ATOM))
                for path in self._documents(post, shown)
            }
            if self.shows_talk:
                for number in range(1, self.talk_pages(post)):
                    whole = Blog.page(self, post).replace("</main>", f"{self._talk(post, number)}</main>")
                    routes[self.talk_path(post, number)] = Reply(whole)
        return routes

    def _documents(self, post: Post, at: int) -> list[str]:
        pages = max(1, -(-len(self.comments(at)) // self.size))
        return [self.feed_of(post), *(f"{self.feed_of(post)}?page={n}" for n in range(2, pages + 1))]

    def document(self, base: str, at: int, path: str) -> str:
        """A page of the feed of a post's comments, newest first."""
        post, said = self.posts[at], self.comments(at)[::-1]
        number = int(parse_qs(urlsplit(path).query).get("page", ["1"])[0])
        shown = said[(number - 1) * self.size : number * self.size]
        link = base + self.path(post)
        is_last = self.is_cut or number * self.size >= len(said)
        more = f'<link rel="next" href="{base}{self.feed_of(post)}?page={number + 1}"/>'
        return (
            '<feed xmlns="http://www.w3.org/2005/Atom" xmlns:thr="http://purl.org/syndication/thread/1.0">'
            f"<title>Comments on {escape(post.title)}</title><link rel='alternate' href='{link}'/>"
            f"{'' if is_last else more}{''.join(self._entry(post, one, link) for one in shown)}"
            "</feed>"
        )

    @staticmethod
    def time(post: Post, said: Said) -> datetime:
        """When a comment was made: so many minutes after its post."""
        return post.published + timedelta(minutes=said.number % 100_000)

    def _entry(self, post: Post, said: Said, link: str) -> str:
        published = self.time(post, said).isoformat()
        above = f"<thr:in-reply-to ref='{link}#c{said.parent}' href='{link}#c{said.parent}'/>" if said.parent else ""
        return (
            f"<entry><id>{link}#c{said.number}</id><link rel='alternate' href='{link}#c{said.number}'/>"
            f"<title>By: {said.author}</title><author><name>{said.author}</name><uri>http://r.example.org/</uri></author>"
            f"<published>{published}</published><updated>{published}</updated>"
            f"<content type='html'>{escape(f'<p>{said.text}</p>')}</content>"
            f"<thr:in-reply-to ref='{link}' href='{link}'/>{above}</entry>"
        )

    def page(self, post: Post) -> str:
        html = super().page(post)
        if self.page_names_feed:
            link = f'<link rel="alternate" type="application/atom+xml" href="{self.feed_of(post)}">'
            html = html.replace("</head>", f"{link}</head>")
        if self.shows_comments:
            said = self.comments(self.posts.index(post))
            shown = "".join(f'<li id="c{one.number}"><b>{one.author}</b> <p>{one.text}</p></li>' for one in said)
            html = html.replace("</main>", f"<section><h2>Talk</h2><ol>{shown}</ol></section></main>")
        return html.replace("</main>", f"{self._talk(post, self.talk_pages(post))}</main>") if self.shows_talk else html

    def talk_pages(self, post: Post) -> int:
        """How many pages a post's comments have."""
        return max(1, -(-len(self.comments(self.posts.index(post))) // self.talk_size))

    def talk_path(self, post: Post, number: int) -> str:
        """The address of a page of comments; the post's own shows the last."""
        return self.path(post) if number == self.talk_pages(post) else f"{self.path(post)}comment-page-{number}/"

    def _talk(self, post: Post, number: int) -> str:
        """A page of a post's comments."""
        said = self.comments(self.posts.index(post))
        shown = "".join(
            self._remark(post, one) for one in said[(number - 1) * self.talk_size : number * self.talk_size]
        )
        near = [at for at in (number - 1, number + 1) if 1 <= at <= self.talk_pages(post)]
        links = [f'<a href="{self.path(post)}comment-page-{at}/#talk">{at}</a>' for at in near]
        form = '<form id="respond"><textarea></textarea></form>'
        return f'<section id="talk"><h2>Talk</h2><ol>{shown}</ol>{" ".join(links)}{form}</section>'

    def _remark(self, post: Post, said: Said) -> str:
        day = self.time(post, said)
        above = f'<a href="#c{said.parent}">in answer to this</a>' if said.parent else ""
        return (
            f'<li class="remark" id="c{said.number}"><b>{said.author}</b> <i>on {day:%d %B %Y %H:%M}</i> {above}'
            f"<div><p>{said.text}</p></div></li>"
        )

    def _item(self, post: Post, base: str) -> str:
        at = self.posts.index(post)
        named = f"<wfw:commentRss xmlns:wfw='http://wellformedweb.org/CommentAPI/'>{base}{self.feed_of(post)}</wfw:commentRss>"
        count = len(self.comments(at))
        counted = f"<s:comments xmlns:s='http://purl.org/rss/1.0/modules/slash/'>{count}</s:comments>"
        told = (named if self.entry_names_feed else "") + (counted if self.entry_counts else "")
        return super()._item(post, base).replace("</item>", f"{told}</item>")
