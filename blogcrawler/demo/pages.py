"""The pages and feeds of the demonstration blog, with menus, sidebars and other boilerplate as on real blogs."""

from __future__ import annotations

from email.utils import format_datetime
from operator import itemgetter
from posixpath import relpath
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from markupsafe import Markup

from blogcrawler.demo.content import AUTHORS, BLOG, MOTTO, last_change
from blogcrawler.templates import templates_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from blogcrawler.demo.content import Post, Reply

#: number of posts on the home page and on each older page
PER_PAGE = 5
#: number of entries in the main feed, and in the feed of all comments
IN_FEED, REPLIES_IN_FEED = 8, 10
#: path of the page that is sent with status 404
NOT_FOUND = "/404.html"


class Pages:
    """Renders the pages and feeds of a blog with these posts, newest first.

    `base` is the blog's origin without a final slash; it only appears in canonical links and share buttons.
    """

    def __init__(self, posts: Sequence[Post], base: str) -> None:
        self._posts = posts
        self._years = sorted({post.published.year for post in posts}, reverse=True)
        self._tags = sorted({tag for post in posts for tag in post.tags})
        self._templates = templates_of("blogcrawler.demo", folder="theme")
        self._templates.filters.update(
            cdata=_cdata,
            in_words=_in_words,
            quoted=lambda text: quote(text, safe=""),
            relative_to=lambda path, page: f"{relpath(path, page)}/",
            rfc822=format_datetime,
        )
        self._templates.globals.update(
            all_posts=posts, years=self._years, tags=self._tags, authors=AUTHORS, base=base, blog=BLOG, motto=MOTTO
        )

    def pages(self) -> Iterator[tuple[str, str]]:
        """Yield path and HTML of each page."""
        last = max(1, -(-len(self._posts) // PER_PAGE))
        for number in range(1, last + 1):
            path, title = (f"/page/{number}/", f"{BLOG}, page {number}") if number > 1 else ("/", BLOG)
            posts = self._posts[(number - 1) * PER_PAGE : number * PER_PAGE]
            yield path, self._page("list.html", title, posts=posts, path=path, number=number, last=last)
        beside = zip([None, *self._posts], self._posts, [*self._posts[1:], None], strict=False)
        for newer, post, older in beside:
            yield post.path, self._page("post.html", f"{post.title} – {BLOG}", post=post, newer=newer, older=older)
            yield f"{post.path}print/", self._page("print.html", post.title, post=post)
        for path, heading, posts in self._lists():
            yield path, self._page("list.html", f"{heading} – {BLOG}", heading=heading, posts=posts, path=path)
        yield "/archive/", self._page("archive.html", f"Archive – {BLOG}")
        yield "/about/", self._page("about.html", f"About – {BLOG}")
        yield NOT_FOUND, self._page("404.html", f"Not found – {BLOG}")

    def search(self, sought: str) -> str:
        """The search result page: the posts that contain all words of `sought`."""
        words = sought.casefold().split()
        matching = [
            post
            for post in self._posts
            if words and all(word in f"{post.title} {post.html}".casefold() for word in words)
        ]
        heading = f"{len(matching)} notes found" if len(matching) != 1 else "1 note found"
        return self._page("list.html", f"Search – {BLOG}", heading=heading, posts=matching, path="/", sought=sought)

    def feeds(self) -> Iterator[tuple[str, str]]:
        """Yield path and RSS of the feed of posts, the feed of all comments, and each post's comment feed."""
        newest = self._posts[:IN_FEED]
        yield "/feed.xml", self._feed(BLOG, "/", "feed.xml", last_change(newest), posts=newest)
        replies = sorted(
            (
                (reply.published, f"Comment on {post.title} by", post, reply)
                for post in self._posts
                for reply in post.replies
            ),
            key=itemgetter(0),
        )
        newest_replies = [row[1:] for row in replies[: -REPLIES_IN_FEED - 1 : -1]]
        changed = last_change(self._posts)
        yield (
            "/comments/feed.xml",
            self._feed(f"Comments for {BLOG}", "/", "comments/feed.xml", changed, replies=newest_replies),
        )
        for post in self._posts:
            below = [("By:", post, reply) for reply in reversed(post.replies)]
            title, changed = f"Comments on: {post.title}", last_change([post])
            yield f"{post.path}feed/", self._feed(title, post.path, "feed/", changed, replies=below)

    def _feed(
        self,
        title: str,
        path: str,
        name: str,
        changed: datetime,
        *,
        posts: Sequence[Post] = (),
        replies: Sequence[tuple[str, Post, Reply]] = (),
    ) -> str:
        return self.file(
            "feed.xml", title=title, path=path, own_path=path + name, changed=changed, posts=posts, replies=replies
        )

    def file(self, name: str, **values: Any) -> str:  # noqa: ANN401
        """A static file of the theme."""
        return self._templates.get_template(name).render(values)

    def _page(self, template: str, title: str, **values: Any) -> str:  # noqa: ANN401
        return self.file(template, title=title, **values)

    def _lists(self) -> Iterator[tuple[str, str, list[Post]]]:
        """Yield path, heading and posts of the list of each tag, author and year."""
        for tag in self._tags:
            yield f"/tag/{tag}/", f"Notes on {tag}", [post for post in self._posts if tag in post.tags]
        for author in AUTHORS:
            posts = [post for post in self._posts if post.author == author]
            yield f"/author/{author.lower()}/", f"Notes by {author}", posts
        for year in self._years:
            yield f"/{year}/", f"Notes of {year}", [post for post in self._posts if post.published.year == year]


def _in_words(moment: datetime) -> str:
    return f"{moment.day} {moment:%B} {moment.year}"


def _cdata(text: str) -> Markup:
    return Markup("<![CDATA[" + text.replace("]]>", "]]]]><![CDATA[>") + "]]>")  # noqa: S704 - no markup in a CDATA section
