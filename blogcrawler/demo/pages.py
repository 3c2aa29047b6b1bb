"""The HTML pages of the demonstration blog, all in one layout, with the noise that real blogs have."""

from __future__ import annotations

from html import escape
from posixpath import relpath
from string import Template
from typing import TYPE_CHECKING
from urllib.parse import quote

from blogcrawler.demo.content import AUTHORS, BLOG, MOTTO, data

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from blogcrawler.demo.content import Post, Reply

#: posts on the home page and on each older page
PER_PAGE = 5
_RECENT = 5


class Pages:
    """Writes the pages of a blog with these posts, newest first.

    `base` is the blog's origin without a slash at the end; it stands in canonical links and share buttons only.
    """

    def __init__(self, posts: Sequence[Post], base: str) -> None:
        self._posts = posts
        self._base = base
        folder = data() / "theme"
        names = ("layout", "post", "comment", "excerpt", "print")
        self._templates = {name: Template((folder / f"{name}.html").read_text(encoding="utf-8")) for name in names}
        self._sidebar = self._make_sidebar()

    @property
    def count(self) -> int:
        """How many pages the list of all posts has."""
        return max(1, -(-len(self._posts) // PER_PAGE))

    def home(self, number: int) -> str:
        """Page `number` of the list of all posts, from 1."""
        path = "/" if number == 1 else f"/page/{number}/"
        shown = self._posts[(number - 1) * PER_PAGE : number * PER_PAGE]
        newer = "/" if number == 2 else f"/page/{number - 1}/"
        pager = [f'<a rel="prev" href="{newer}">Newer notes</a>'] if number > 1 else []
        if number < self.count:
            pager.append(f'<a rel="next" href="/page/{number + 1}/">Older notes</a>')
        navigation = f'<nav class="pager" aria-label="Pages">{" ".join(pager)}</nav>'
        title = BLOG if number == 1 else f"{BLOG}, page {number}"
        return self._layout(title, "\n".join([*self._excerpts(shown, path), navigation]))

    def listing(self, heading: str, posts: Iterable[Post], path: str) -> str:
        """A list with excerpts below a heading: of a tag, an author, a year."""
        main = [f"<h1>{escape(heading)}</h1>", *self._excerpts(posts, path)]
        return self._layout(f"{heading} – {BLOG}", "\n".join(main))

    def search(self, sought: str) -> str:
        """The posts in which all the words of `sought` occur."""
        words = sought.casefold().split()
        found = [post for post in self._posts if _holds_all(post, words)] if words else []
        heading = f"{len(found)} notes found" if len(found) != 1 else "1 note found"
        main = [f"<h1>{heading}</h1>", *self._excerpts(found, "/")]
        return self._layout(f"Search – {BLOG}", "\n".join(main), sought=sought)

    def archive(self) -> str:
        """Every title, by year."""
        main = ["<h1>Archive</h1>"]
        for year in self._years():
            titles = [
                f'<li><time datetime="{post.published:%Y-%m-%d}">{post.published.day} {_month(post.published)}</time> '
                f'<a href="{post.path}">{escape(post.title)}</a></li>'
                for post in self._posts
                if post.published.year == year
            ]
            main += [f'<h2 id="y{year}">{year}</h2>', "<ul>", *titles, "</ul>"]
        return self._layout(f"Archive – {BLOG}", "\n".join(main))

    def about(self) -> str:
        """The page about the blog: in the posts' layout, and no post."""
        content = (data() / "about.html").read_text(encoding="utf-8")
        heading = "<header>\n<h1>About</h1>\n</header>"
        main = f'<article class="entry" id="page-2">\n{heading}\n<div class="entry-body">\n{content}</div>\n</article>'
        return self._layout(f"About – {BLOG}", main)

    def not_found(self) -> str:
        """The page for addresses that do not exist."""
        main = '<h1>Not found</h1>\n<p>Nothing is shelved here. Try the <a href="/archive/">archive</a>.</p>'
        return self._layout(f"Not found – {BLOG}", main)

    def post(self, index: int) -> str:
        """The page of the post at this place, 0 being the newest."""
        post = self._posts[index]
        edited = ""
        if post.updated:
            when = f'<time datetime="{post.updated.isoformat()}">{_in_words(post.updated)}</time>'
            edited = f'<p class="edited">Last edited on {when}</p>\n'
        main = self._templates["post"].substitute(
            self._common(post),
            id=post.id,
            content=post.html,
            edited=edited,
            tags=", ".join(_tag_link(tag) for tag in post.tags),
            encoded_url=quote(self._base + post.path, safe=""),
            encoded_title=quote(post.title, safe=""),
            author_blurb=escape(AUTHORS[post.author]),
            neighbours="\n".join(self._neighbours(index)),
            comments=self._thread(post.replies),
        )
        return self._layout(f"{post.title} – {BLOG}", main, head=self._post_head(post))

    def printed(self, post: Post) -> str:
        """The version of a post for printers: another page with the same text, canonical at the permalink."""
        return self._templates["print"].substitute(
            self._common(post), url=self._base + post.path, blog=escape(BLOG), content=post.html
        )

    def _layout(self, title: str, main: str, *, head: str = "", sought: str = "") -> str:
        return self._templates["layout"].substitute(
            self._sidebar,
            head_title=escape(title),
            blog=escape(BLOG),
            motto=escape(MOTTO),
            head=head,
            main=main,
            sought=escape(sought),
        )

    def _make_sidebar(self) -> dict[str, str]:
        recent = [
            f'<li><a href="{post.path}?utm_source=sidebar&amp;utm_medium=link">{escape(post.title)}</a> '
            f"<small>{_in_words(post.published)}</small></li>"
            for post in self._posts[:_RECENT]
        ]
        tags = sorted({tag for post in self._posts for tag in post.tags})
        return {
            "recent": "\n".join(recent),
            "years": "\n".join(f'<li><a href="/{year}/">{year}</a></li>' for year in self._years()),
            "tags": " ".join(map(_tag_link, tags)),
        }

    def _years(self) -> list[int]:
        return sorted({post.published.year for post in self._posts}, reverse=True)

    def _common(self, post: Post) -> dict[str, str]:
        return {
            "path": post.path,
            "title": escape(post.title),
            "author": post.author,
            "author_path": f"/author/{post.author.lower()}/",
            "published": post.published.isoformat(),
            "date": _in_words(post.published),
            "replies": _count(len(post.replies)),
        }

    def _excerpts(self, posts: Iterable[Post], path: str) -> list[str]:
        template = self._templates["excerpt"]
        return [
            template.substitute(
                self._common(post), excerpt=escape(post.excerpt), relative=relpath(post.path, path) + "/"
            )
            for post in posts
        ]

    def _post_head(self, post: Post) -> str:
        title = escape(post.title)
        return "\n".join(
            (
                f'<link rel="canonical" href="{self._base}{post.path}">',
                f'<link rel="shortlink" href="{self._base}/?p={post.id}">',
                f'<link rel="alternate" type="application/rss+xml" title="Replies to {title}" href="{post.path}feed/">',
                f'<meta property="og:title" content="{title}">',
                f'<meta name="description" content="{escape(post.excerpt)}">',
            )
        )

    def _neighbours(self, index: int) -> list[str]:
        here = self._posts[index].path
        links = []
        if index + 1 < len(self._posts):
            older = self._posts[index + 1]
            links.append(f'<a rel="prev" href="{relpath(older.path, here)}/">← {escape(older.title)}</a>')
        if index > 0:
            newer = self._posts[index - 1]
            links.append(f'<a rel="next" href="{relpath(newer.path, here)}/">{escape(newer.title)} →</a>')
        return links

    def _thread(self, replies: Sequence[Reply]) -> str:
        """The replies as nested lists. A reply stands after the one that it answers, so going backwards finishes each
        list of answers before the reply that holds it.
        """
        answers: dict[int | None, list[str]] = {}
        for reply in reversed(replies):
            below = answers.pop(reply.id, [])
            nested = "<ol>\n" + "\n".join(reversed(below)) + "\n</ol>\n" if below else ""
            answers.setdefault(reply.parent, []).append(self._reply(reply) + nested + "</li>")
        top = "\n".join(reversed(answers.get(None, [])))
        return f'<ol class="comments">\n{top}\n</ol>' if top else ""

    def _reply(self, reply: Reply) -> str:
        name = escape(reply.author)
        linked = f'<a rel="nofollow ugc" href="{escape(reply.author_url)}">{name}</a>' if reply.author_url else name
        return self._templates["comment"].substitute(
            kind=reply.kind,
            id=reply.id,
            author=linked,
            name=name,
            published=reply.published.isoformat(),
            date=_in_words(reply.published),
            content=reply.html,
        )


def _holds_all(post: Post, words: Iterable[str]) -> bool:
    text = f"{post.title} {post.html}".casefold()
    return all(word in text for word in words)


def _tag_link(tag: str) -> str:
    return f'<a rel="tag" href="/tag/{quote(tag)}/">{escape(tag)}</a>'


def _month(moment: datetime) -> str:
    return f"{moment:%B}"


def _in_words(moment: datetime) -> str:
    return f"{moment.day} {_month(moment)} {moment.year}"


def _count(replies: int) -> str:
    return {0: "No replies", 1: "1 reply"}.get(replies, f"{replies} replies")
