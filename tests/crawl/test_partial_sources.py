"""A sitemap that seems to have all posts is not believed where a list shows others beside them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import pytest

from tests.crawl.blog import Blog, Post, links, make_posts, serve
from tests.crawl.running import crawl
from tests.site import Reply

pytestmark = pytest.mark.slow


@dataclass
class Folders(Blog):
    """The feed and the home page have the posts at the root alone; one page lists these and those in folders."""

    posts: list[Post] = field(default_factory=lambda: make_posts(75))
    #: pages in each folder, which the list has and which are gone
    gone: int = 0
    #: whether the sitemap has what is in folders
    is_in_sitemap: bool = True

    @cached_property
    def folders(self) -> dict[str, str]:
        """The folder of each post, by its name."""
        return {post.slug: ("", "tools/", "tables/")[at % 3] for at, post in enumerate(self.posts)}

    def path(self, post: Post) -> str:
        return f"/{self.folders[post.slug]}{post.slug}"

    def routes(self, base: str) -> dict[str, Reply]:
        at_root = Blog(
            [post for post in self.posts if not self.folders[post.slug]],
            in_feed=8,
            extra='<a href="/all/">All of it</a>',
        )
        at_root.path = self.path
        found = at_root.routes(base) | {self.path(post): Reply(self.page(post)) for post in self.posts}
        gone = [f"/{folder}/away-{number}" for number in range(self.gone) for folder in ("old", "tables")]
        listed = sorted([*gone, *map(self.path, self.posts)])
        found["/all/"] = Reply(self._page("All", links(listed)))
        known = [path for path in ("/all/", *listed) if self.is_in_sitemap or path.count("/") == 1]
        urls = "".join(f"<url><loc>{base}{path}</loc></url>" for path in known)
        found["/sitemap.xml"] = Reply(f"<urlset>{urls}</urlset>", content_type="application/xml")
        return found


@pytest.mark.parametrize("blog", [Folders(), Folders(gone=9), Folders(is_in_sitemap=False)])
def test_all_posts_are_found(tmp_path, blog):
    with serve(blog) as site:
        done = crawl(tmp_path, f"{site.url}/", server=site)
        assert done.code == 0, done.stderr
        assert done.urls == blog.urls(site.url)
