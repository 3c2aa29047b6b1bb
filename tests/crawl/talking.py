"""A blog whose pages show comments, and which has a feed of all of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from tests.crawl.commented import CommentedBlog, Said
from tests.site import Reply

if TYPE_CHECKING:
    from datetime import datetime

    from tests.crawl.blog import Post


@dataclass
class TalkingBlog(CommentedBlog):
    """Its pages show comments, and name the feed of all of them, which has the newest.

    `said` are the comments of the posts by their number, 1 for the oldest.
    """

    said: dict[int, list[Said]] = field(default_factory=dict)
    newest: int = 10
    wide: str = "/comments.atom"
    #: of the feed; each but the last names the next one
    pages: int = 1

    def __post_init__(self):
        self.comments = lambda at: self.said.get(len(self.posts) - at, [])
        self.shows_talk, self.entry_names_feed, self.entry_counts = True, False, False

    @staticmethod
    def time(post: Post, said: Said) -> datetime:
        """When a comment was made: so many minutes after its post, up to two years."""
        return post.published + timedelta(minutes=said.number % 1_000_000)

    def routes(self, base: str) -> dict[str, Reply]:
        feeds = {self._wide(page): self._all(base, page) for page in range(1, self.pages + 1)}
        return super().routes(base) | {
            path: Reply(feed, content_type="application/atom+xml") for path, feed in feeds.items()
        }

    def _wide(self, page: int) -> str:
        return self.wide if page == 1 else self.wide.replace(".", f"-{page}.")

    def _all(self, base: str, page: int) -> str:
        told: list[tuple[Post, Said]] = [(post, one) for at, post in enumerate(self.posts) for one in self.comments(at)]
        told.sort(key=lambda pair: self.time(*pair), reverse=True)
        part = told[(page - 1) * self.newest : page * self.newest]
        entries = "".join(self._entry(post, one, base + self.path(post)) for post, one in part)
        further = f"<link rel='next' href='{base}{self._wide(page + 1)}'/>" if page < self.pages else ""
        return (
            "<feed xmlns='http://www.w3.org/2005/Atom' xmlns:thr='http://purl.org/syndication/thread/1.0'>"
            f"<title>Comments on everything</title>{further}{entries}</feed>"
        )

    def _page(self, title: str, main: str) -> str:
        link = f'<link rel="alternate" type="application/atom+xml" title="Comments" href="{self.wide}">'
        return super()._page(title, main).replace("</head>", f"{link}</head>")
