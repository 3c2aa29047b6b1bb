"""A blog in the manner of real ones: posts at addresses of any form beside menus, lists of many kinds and static pages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Literal

from tests.crawl.blog import Blog, Post, make_posts
from tests.site import Reply

CATEGORIES = ("travel", "code", "garden")
Template = Literal["classes", "elements", "table"]


@dataclass(frozen=True)
class Static:
    """A page that is no post. `date` is a text before its body, `dated` whether it has the byline of posts."""

    path: str
    title: str
    dated: bool = False
    date: str = ""
    in_menu: bool = True
    #: paragraphs; 0 is a page with no text
    size: int = 2


@dataclass
class Weblog(Blog):
    """`form` writes a post's path; from the post number `old_from` in order of age on, `old_form` and `old_template`."""

    posts: list[Post] = field(default_factory=lambda: make_posts(40))
    in_feed: int = 10
    per_page: int = 5
    form: Callable[[Post], str] = lambda post: f"/{post.slug}/"
    old_form: Callable[[Post], str] | None = None
    old_from: int = 20
    template: Template = "classes"
    old_template: Template | None = None
    statics: Sequence[Static] = ()
    #: posts that every page links to beside the newest, by their place among all posts
    popular: Sequence[int] = ()
    #: do lists show whole posts?
    full_lists: bool = False
    #: are there lists of posts besides those of the home page?
    has_lists: bool = True
    #: has each post a picture with a page of its own?
    has_attachments: bool = False
    titles_are_links: bool = True

    def path(self, post: Post) -> str:
        form = self.old_form if self._is_old(post) and self.old_form else self.form
        return self.folder + form(post)

    def _is_old(self, post: Post) -> bool:
        return self.posts.index(post) >= self.old_from

    def routes(self, base: str) -> dict[str, Reply]:
        lists = {f"{self.folder}/": self.posts}
        if self.has_lists:
            lists |= self._lists()
        pages: dict[str, str] = {}
        for path, posts in lists.items():
            pages |= self._pages_of_list(path, posts)
        for post in self.posts:
            pages[self.path(post)] = self.page(post)
            if self.has_attachments:
                pages[self._picture(post)] = self._attachment(post)
        for static in self.statics:
            pages[self.folder + static.path] = self._static(static)
        pages[f"{self.folder}/search/"] = self._frame("Search", "<h2>Search</h2><form><input name=q></form>")
        routes = {path: Reply(html) for path, html in pages.items()}
        routes[self.folder + self.feed_path] = Reply(self.feed(base), content_type="application/rss+xml; charset=utf-8")
        return routes

    def _lists(self) -> dict[str, list[Post]]:
        found: dict[str, list[Post]] = defaultdict(list)
        for post in self.posts:
            author = post.author.split()[0].lower()
            for path in (
                f"/category/{category(post)}/",
                f"/tag/{post.slug.split('-')[1]}/",
                f"/author/{author}/",
                f"/{post.published:%Y/%m}/",
                f"/{post.published:%Y}/",
            ):
                found[self.folder + path].append(post)
        return dict(found)

    def _pages_of_list(self, path: str, posts: Sequence[Post]) -> dict[str, str]:
        count = -(-len(posts) // self.per_page)
        return {
            path if number == 1 else f"{path}page/{number}/": self._list_page(path, posts, number, count)
            for number in range(1, count + 1)
        }

    def _list_page(self, path: str, posts: Sequence[Post], number: int, count: int) -> str:
        shown = posts[(number - 1) * self.per_page : number * self.per_page]
        blocks = "".join(self._block(post, is_list=True) for post in shown)
        older = f'<p class="nav"><a rel="next" href="{path}page/{number + 1}/">Older</a></p>' if number < count else ""
        heading = "" if path == f"{self.folder}/" else f'<h1 class="pagetitle">Archive for {path.strip("/")}</h1>'
        return self._frame(self.name, f"{heading}{blocks}{older}")

    def page(self, post: Post) -> str:
        at = self.posts.index(post)
        near = [self.posts[other] for other in (at - 1, at + 1) if 0 <= other < len(self.posts)]
        nav = "".join(f'<a href="{self.path(one)}">{escape(one.title)}</a> ' for one in near)
        template = self.old_template if self._is_old(post) and self.old_template else self.template
        below = f'<div class="nav">{nav}</div><div id="comments"><h3>No comments</h3></div>'
        return self._frame(post.title, self._block(post, is_list=False, template=template) + below, template)

    def _block(self, post: Post, *, is_list: bool, template: Template | None = None) -> str:
        text = post.html if self.full_lists or not is_list else f"<p>{post.paragraphs[0][:120]} …</p>"
        if self.has_attachments and not is_list:
            text += f'<p><a href="{self._picture(post)}"><img src="/i/{post.slug}.jpg" alt=""></a></p>'
        day = f"{post.published:%B} {post.published.day}, {post.published.year}"
        title = escape(post.title)
        if self.titles_are_links or is_list:
            title = f'<a href="{self.path(post)}" rel="bookmark">{title}</a>'
        return block(title, day, post.author, category(post), text, template or self.template)

    def _picture(self, post: Post) -> str:
        return f"{self.path(post).rstrip('/')}/img_{number(post)}/"

    def _attachment(self, post: Post) -> str:
        day = f"{post.published:%B} {post.published.day}, {post.published.year}"
        title = f"img_{number(post)}"
        text = f'<p class="attachment"><a href="/i/{post.slug}-full.jpg"><img src="/i/{post.slug}-full.jpg"></a></p>'
        back = f'<p class="parent"><a href="{self.path(post)}">&larr; {escape(post.title)}</a></p>'
        return self._frame(title, back + block(title, day, post.author, "", text, self.template))

    def _static(self, static: Static) -> str:
        (like,) = make_posts(1, seed=len(static.title) + sum(map(ord, static.path)))
        body = "".join(f"<p>{text}</p>" for text in like.paragraphs[: static.size])
        if static.date:
            body = f"<p><em>Last updated <time>{static.date}</time></em></p>{body}"
        day = f"{like.published:%B} {like.published.day}, {like.published.year}" if static.dated else ""
        return self._frame(static.title, block(static.title, day, "Ann Archer", "", body, self.template))

    def _beside(self) -> list[Post]:
        return [*self.posts[:5], *(self.posts[at] for at in self.popular)]

    def _frame(self, title: str, main: str, template: Template | None = None) -> str:
        feed = f'<link rel="alternate" type="application/rss+xml" href="{self.folder}{self.feed_path}">'
        menu = "".join(
            f'<li><a href="{self.folder}{static.path}">{static.title}</a></li>'
            for static in self.statics
            if static.in_menu
        )
        recent = "".join(f'<li><a href="{self.path(post)}">{escape(post.title)}</a></li>' for post in self._beside())
        lists = "".join(f'<li><a href="{path}">{path}</a></li>' for path in self._lists()) if self.has_lists else ""
        loose = "".join(
            f'<a href="{self.folder}{static.path}">{static.title}</a> ' for static in self.statics if not static.in_menu
        )
        foot = f"<p>{loose}</p>" if title == self.name else ""
        head = f'<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>{feed}</head>'
        name = f'<a class="home" href="{self.folder}/">{self.name}</a>'
        if template == "table":
            return (
                f"<!DOCTYPE html>{head}<body><table><tr><td colspan=2>{name}</td></tr><tr><td>{main}</td>"
                f"<td><ul>{menu}</ul><ul>{lists}</ul></td></tr></table></body></html>"
            )
        return (
            f'<!DOCTYPE html>{head}<body><header>{name}<nav><ul>{menu}</ul></nav></header><main id="content">{main}'
            f"</main><aside><ul>{recent}</ul><ul>{lists}</ul></aside><footer>{foot}"
            f'<a href="{self.folder}/search/">Search</a> All rights reserved.</footer></body></html>'
        )


def category(post: Post) -> str:
    """The category that a post is filed under."""
    return CATEGORIES[len(post.title) % 3]


def number(post: Post) -> int:
    """A post's number, 1 for the oldest."""
    return int("".join(filter(str.isdigit, post.slug.split("-")[0])))


def block(title: str, day: str, author: str, filed: str, text: str, template: Template) -> str:
    """One post, or what looks like one; no byline without a day."""
    tags = f'Filed under <a href="/category/{filed}/" rel="category tag">{filed}</a>' if filed else ""
    if template == "classes":
        meta = f'<p class="meta">Posted on {day} by <span class="author">{author}</span> {tags}</p>' if day else ""
        return f'<div class="post"><h2 class="entry-title">{title}</h2>{meta}<div class="entry">{text}</div></div>'
    if template == "elements":
        meta = f"<time>{day}</time> <span>{author}</span> {tags}" if day else ""
        return f"<article><header><h1>{title}</h1>{meta}</header><section>{text}</section></article>"
    meta = f"<font size=1>{day} - {author} {tags}</font>" if day else ""
    text = text.replace("<p>", "<blockquote>").replace("</p>", "</blockquote>")
    return f"<h3>{title}</h3>{meta}{text}"
