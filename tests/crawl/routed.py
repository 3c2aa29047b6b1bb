"""The blog of `tests.crawl.blog` as one page: a script shows what stands behind "#" in its address."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.crawl.blog import Blog, Post
from tests.site import Reply

ROUTER = """
const mark = '%s', app = document.getElementById('app');
const show = () => {
  const route = location.hash.startsWith(mark) ? location.hash.slice(mark.length) : '';
  fetch('/data/' + route).then((reply) => reply.ok ? reply.text() : '<h1>Not found</h1>').then((html) => {
    app.innerHTML = html;
  });
};
addEventListener('hashchange', show);
show();
"""


@dataclass
class RoutedBlog(Blog):
    """A blog of one page, whose feed and links name all else by routes."""

    #: what a route begins with
    mark: str = "#/"
    #: of the one page
    shell_path: str = "/"
    #: of a post's route
    form: str = "{path}"
    comments: int = 3

    def urls(self, base: str) -> list[str]:
        """The addresses of all posts, sorted."""
        return sorted(self.url(post, base) for post in self.posts)

    def url(self, post: Post, base: str) -> str:
        return base + self.shell_path + self.mark + self.path(post).removeprefix("/")

    def path(self, post: Post) -> str:
        """What its route is, and where the script finds what it shows."""
        return self.form.format(path=post.path, slug=post.slug)

    def tag(self, post: Post) -> str:
        return post.slug.split("-")[1]

    def _item(self, post: Post, base: str) -> str:
        item = super()._item(post, base).replace("</item>", f"<category>{self.tag(post)}</category></item>")
        return item.replace(f"{base}{self.path(post)}", self.url(post, base))

    def page(self, post: Post) -> str:
        said = "".join(
            f'<li class="said" id="said-{post.slug}-{number}"><cite>Reader {number}</cite> '
            f'<time datetime="{post.published:%Y-%m-%d}T1{number}:00:00Z">{post.published:%Y-%m-%d}</time>'
            f'<div class="words"><p>{text[:90]}</p></div></li>'
            for number, text in enumerate(post.paragraphs[: self.comments])
        )
        word = post.paragraphs[1].split()[0]
        linked = f'<p><a href="{self.path(self.posts[0])}">{word}</a> '
        page = super().page(post).replace(f"<p>{word} ", linked)
        tag = f'<p class="tags"><a href="/tag/{self.tag(post)}/" rel="tag">{self.tag(post)}</a></p>'
        return page.replace("</article>", f"{tag}</article><ol>{said}</ol>")

    def routes(self, base: str) -> dict[str, Reply]:
        pages = super().routes(base)
        shell = (
            f'<!DOCTYPE html><html lang="{self.language}"><head><meta charset="utf-8"><title>{self.name}</title>'
            f'<link rel="alternate" type="application/rss+xml" href="{self.feed_path}"></head>'
            '<body><div id="app"></div><script src="/app.js"></script></body></html>'
        )
        routes = {
            self.shell_path: Reply(shell, headers={"ETag": '"1"'}),
            "/app.js": Reply(ROUTER % self.mark, content_type="text/javascript"),
        }
        for path, reply in pages.items():
            if path == self.feed_path:
                routes[path] = reply
                continue
            body = re.search("<body>(.*)</body>", str(reply.body), re.DOTALL)
            assert body is not None
            routes[f"/data{path}"] = Reply(re.sub('href="/', f'href="{self.mark}', body[1]))
        return routes
