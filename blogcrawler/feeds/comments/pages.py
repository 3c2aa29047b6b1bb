"""Reads all pages of a post's comment feed: which URL to fetch next, and which comments were found."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from blogcrawler.errors import NotAFeed
from blogcrawler.feeds.links import same_site
from blogcrawler.feeds.sources.software import software_of
from blogcrawler.feeds.texts import whole_number

from .addresses import conventions
from .parse import parse_comments
from .proof import of_post
from .threads import thread

if TYPE_CHECKING:
    from blogcrawler.feeds.sources import Answer
    from blogcrawler.items import Comment

    from .parse import CommentFeed
    from .proof import Post
    from .read import FeedComment

MOST_DOCUMENTS = 100
MOST_COMMENTS = 20_000
ROUND, STEP = 10, 5
"""Numbers of entries that suggest a truncated feed if its software is unknown: ten, or a larger multiple of five."""
OK = 200


class CommentPages:
    """Reads the comment feed of a post.

    Fetch `next_url` and pass the response to `take`, until `next_url` is None. `announced` is the number of comments
    that the post's entry or page states. `can_page` permits guessed URLs of further pages, according to the feed's
    software, where no link leads to them.
    """

    def __init__(self, url: str, post: Post, *, announced: int | None = None, can_page: bool = True) -> None:
        self.next_url: str | None = url
        #: True if the document was the post's comment feed; None before it was read
        self.is_of_post: bool | None = None
        #: number of comments that the feed states
        self.total: int | None = None
        #: True if there may be more comments than were read
        self.is_cut = True
        #: True if a later attempt may succeed
        self.is_late = False
        #: True if a guessed URL of a further page returned comments; None if no URL was guessed
        self.has_made_pages: bool | None = None
        self._url = url
        self._post = post
        self._announced = announced
        self._can_page = can_page
        self._entries: list[FeedComment] = []
        self._known: set[str] = set()
        self._asked: set[str] = {url}
        self._is_made = False

    @property
    def comments(self) -> list[Comment]:
        """The comments read so far, in feed order, with their parents."""
        return thread(self._entries)

    def take(self, answer: Answer | None) -> None:
        """Process the response for `next_url`; None if there was no response."""
        self.next_url = None
        self.is_late = answer is not None and answer.is_late
        feed = self._read(answer)
        entries = of_post(feed, self._post) if feed is not None else None
        if self.is_of_post is None:
            self.is_of_post = entries is not None
        if feed is None or entries is None:
            is_behind_end = self._is_made and answer is not None and answer.is_gone
            self.is_cut = self.is_cut and not (is_behind_end and self.total is None)
            return
        fresh = [entry for entry in entries if entry.comment.id is None or entry.comment.id not in self._known]
        self._known.update(entry.comment.id for entry in fresh if entry.comment.id is not None)
        self._entries += fresh[: MOST_COMMENTS - len(self._entries)]
        self.total = feed.document.total if feed.document.total is not None else self.total
        if self._is_made:
            self.has_made_pages = bool(fresh) or bool(self.has_made_pages)
        if fresh or not self._is_made:
            self.is_cut = has_more(feed, self._announced, found=len(self._entries))
        if fresh and self.is_cut:
            self._go_on(feed)

    def _read(self, answer: Answer | None) -> CommentFeed | None:
        if answer is None or answer.status != OK:
            return None
        try:
            return parse_comments(answer.body, answer.url, answer.content_type)
        except NotAFeed:
            return None

    def _go_on(self, feed: CommentFeed) -> None:
        page, known = len(self._asked) + 1, len(self._entries)
        if page > MOST_DOCUMENTS or known >= MOST_COMMENTS:
            return
        url = further_page(feed, self._url, page=page, known=known, can_make=self._can_page)
        if url is not None and url not in self._asked and same_site(url, self._url):
            self._is_made = feed.document.next_url is None
            self._asked.add(url)
            self.next_url = url


def further_page(feed: CommentFeed, url: str, *, page: int, known: int, can_make: bool = True) -> str | None:
    """URL of the next page of the feed at `url`; None if there is none.

    If no link leads to it, the URL is built as the feed's software does it, provided that `can_make` is True; `page` is
    its number, `known` the number of comments read so far.
    """
    document = feed.document
    if document.next_url is not None or not can_make:
        return document.next_url
    software = software_of(url, (document.generator,))
    if software is None or software.query is None or (document.total is None and not _is_full(feed)):
        return None
    return software.page_url(url, page=page, known=known)


def has_more(feed: CommentFeed, announced: int | None = None, *, found: int | None = None) -> bool:
    """True if there are more comments than the `found` ones.

    This is decided by the feed's own total and by the number that the post's entry or page states; else by a link to
    the next page, or if the feed has as many entries as such feeds have at most.
    """
    found = len(feed.entries) if found is None else found
    totals = [total for total in (feed.document.total, announced) if total is not None]
    if totals:
        return max(totals) > found
    return feed.document.next_url is not None or _is_full(feed)


def _is_full(feed: CommentFeed) -> bool:
    """True if a feed has the maximum number of entries of its software, or the requested number."""
    url, generator, count = feed.document.url, feed.document.generator, len(feed.entries)
    asked = whole_number(parse_qs(urlsplit(url).query[:500]).get("max-results", [""])[0])
    if asked is not None:
        return count >= asked
    sizes = (size for word, size in conventions().sizes.items() if word in (generator or "").lower())
    if (size := next(sizes, None)) is not None:
        return count >= size
    return software_of(url, (generator,)) is None and count >= ROUND and count % STEP == 0
