"""A blog in several languages, each post at an address of its own in each of them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from html import escape

from tests.crawl.blog import Blog, Post, make_posts
from tests.site import ProxySite, Reply

SITE = "http://blog.example.org"
XML = "application/xml; charset=utf-8"
WORDS = {
    "de": "aber heute morgen ging der alte Mann wieder durch den Wald und sah dort viele kleine graue Vögel",
    "fr": "encore une fois le vieux facteur était parti sans bruit vers la montagne avec ses lettres et sa lampe",
    "zh": "今 天 早 上 老 人 又 走 过 森 林 看 见 许 多 小 鸟 然 后 他 回 家 写 信 给 他 的 朋 友 说 明 他 的 想 法",
}


def translated(post: Post, language: str) -> Post:
    """The post as a reader of the language gets it, of other words at the same time."""
    source, space = random.Random(f"{language}{post.slug}"), "" if language == "zh" else " "
    texts = [space.join(source.choices(WORDS[language].split(), k=60)) for _ in post.paragraphs]
    return replace(post, title=f"{texts[0][:12]} {post.slug[-3:]}", paragraphs=tuple(texts))


@dataclass
class Translated(Blog):
    """English at the root; `form` is the address of a page in another language, of its `path` and `language`."""

    posts: list[Post] = field(default_factory=lambda: make_posts(24))
    in_feed: int = 6
    per_page: int = 8
    others: tuple[str, ...] = ("de", "zh")
    form: str = SITE + "/{language}{path}"
    has_sitemap: bool = False
    has_hreflang: bool = False
    #: what stands in a link to another language
    label: str = "{language}"
    #: whether each page leads to its own version, or to the other home page
    leads_to_version: bool = True
    #: whether the other versions are the same text
    is_copied: bool = False

    def address(self, path: str, language: str) -> str:
        """The address of a page in a language."""
        return SITE + path if language == "en" else self.form.format(path=path, language=language)

    def addresses(self) -> list[str]:
        """The addresses of all posts, sorted."""
        languages = ("en",) if self.is_copied else ("en", *self.others)
        return sorted(self.address(self.path(post), language) for post in self.posts for language in languages)

    def answers(self) -> dict[str, Reply]:
        """Every page, by address."""
        found = {SITE + self.feed_path: Reply(self.feed(SITE), content_type=XML)}
        all_posts = self.posts
        for language in ("en", *self.others):
            is_other = language != "en" and not self.is_copied
            self.posts = [translated(post, language) for post in all_posts] if is_other else all_posts
            for path, reply in self.routes(SITE).items():
                if path != self.feed_path:
                    found[self.address(path, language)] = Reply(self._in(language, path, str(reply.body)))
        self.posts = all_posts
        if self.has_sitemap:
            urls = "".join(f"<url><loc>{escape(url)}</loc></url>" for url in found if not url.endswith(".xml"))
            found[f"{SITE}/sitemap.xml"] = Reply(f"<urlset>{urls}</urlset>", content_type=XML)
        return found

    def _in(self, language: str, path: str, page: str) -> str:
        page = page.replace('lang="en"', f'lang="{language}"')
        for post in (*self.posts, None):
            to = "/about/" if post is None else self.path(post)
            page = page.replace(f'href="{to}"', f'href="{escape(self.address(to, language))}"')
        for number in range(2, 9):
            to = f"/page/{number}/"
            page = page.replace(f'href="{to}"', f'href="{escape(self.address(to, language))}"')
        page = page.replace('class="home" href="/"', f'class="home" href="{escape(self.address("/", language))}"')
        versions = {
            one: escape(self.address(path if self.leads_to_version else "/", one)) for one in ("en", *self.others)
        }
        links = "".join(
            f'<li><a href="{to}">{self.label.format(language=one)}</a></li>' for one, to in versions.items()
        )
        heads = [f'<link rel="alternate" hreflang="{one}" href="{to}">' for one, to in versions.items()]
        head = "".join(heads) if self.has_hreflang else ""
        switch = "" if self.has_hreflang else f'<ul class="languages">{links}</ul>'
        return page.replace("</head>", f"{head}</head>").replace("<main>", f"{switch}<main>")


@contextmanager
def serve(blog: Translated) -> Iterator[ProxySite]:
    """The web as it is with this blog."""
    answers = blog.answers()
    with ProxySite(lambda url: answers.get(url, Reply("not found", 404))) as web:
        yield web
