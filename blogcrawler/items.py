"""The record of a post, and the entry of a feed that announces one.

`Record` is what is exported and kept; its keys are a promise to users. `Entry` is what a feed says of a post: the truth
that wrappers are learned from. Both are plain data that know no library.
"""

from __future__ import annotations

from dataclasses import InitVar, dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, Self

from blogcrawler.serialise import dump, load

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lxml.html import HtmlElement

Source = Literal["feed", "rule", "metadata", "url", "fallback"]
"""By which means a field was got."""
Trust = Literal["sure", "fair", "doubtful"]
"""How far a value is to be trusted, in a word."""
SURE, FAIR = 0.9, 0.7
"""Confidences from which on a value is sure, or fair."""

LOCKED = "password form"
"""What provenance names as the rule of the article where a page asks for a password in its place."""
SCREENSHOT = "screenshot"
"""The role of a picture of a post's page among its files."""


@dataclass(frozen=True)
class Enclosure:
    """A file that a feed entry brings along."""

    url: str
    type: str | None = None
    #: bytes, as the feed claims
    length: int | None = None


@dataclass(frozen=True)
class Entry:
    """A post as the blog's feed tells it. Unknown is None, or an empty tuple."""

    #: permalink, absolute, as the feed writes it
    url: str
    guid: str | None = None
    #: plain text
    title: str | None = None
    authors: tuple[str, ...] = ()
    #: ISO 8601, as precise as the feed says: date alone, with time, with offset
    published: str | None = None
    updated: str | None = None
    tags: tuple[str, ...] = ()
    #: the article as HTML, where the feed brings content or a description
    content_html: str | None = None
    #: True where content_html came from an element that stands for a summary (RSS description, Atom summary)
    is_summary: bool = False
    #: BCP 47, of the entry or its feed
    language: str | None = None
    #: URL of the post's own comment feed
    comments_feed: str | None = None
    comment_count: int | None = None
    enclosures: tuple[Enclosure, ...] = ()
    #: True where no feed says this: it was read from a list page of the blog
    is_synthetic: bool = False
    #: who answers for the whole feed, where none of its entries has an author
    editor: str | None = None


@dataclass
class FieldSource:
    """Where a field's value came from, and how sure it is."""

    source: Source
    #: the XPath rule, or the name of the metadata property; None for the feed
    rule: str | None = None
    #: 0 to 1
    confidence: float = 0.0

    @property
    def trust(self) -> Trust:
        """The confidence in a word."""
        return "sure" if self.confidence >= SURE else "fair" if self.confidence >= FAIR else "doubtful"


@dataclass
class Provenance:
    """How a record came to be."""

    #: ISO 8601 with offset: when the page was fetched
    fetched: str | None = None
    #: HTTP status of the page
    status: int | None = None
    #: of the page's decoded body, in hexadecimal
    sha256: str | None = None
    rendered: bool = False
    #: where the page is in the WARC files
    warc: str | None = None
    #: the software that made the page, as it says
    generator: str | None = None
    fields: dict[str, FieldSource] = field(default_factory=dict)


@dataclass
class Comment:
    """A reader's comment, or another blog's pingback."""

    id: str | None = None
    #: id of the comment that this one answers
    parent: str | None = None
    kind: Literal["comment", "pingback"] = "comment"
    author: str | None = None
    author_url: str | None = None
    published: str | None = None
    url: str | None = None
    content_html: str | None = None
    content_text: str | None = None


def _identity(comment: Comment) -> tuple[str | None, ...]:
    return (comment.id,) if comment.id else (comment.author, comment.published, comment.content_text)


@dataclass
class Media:
    """A file that belongs to a post."""

    url: str
    #: below the archive's folder
    path: str | None = None
    sha256: str | None = None
    type: str | None = None
    bytes: int | None = None
    role: str | None = None
    error: str | None = None


@dataclass
class Page:
    """A page as it was fetched: the raw material of a record."""

    #: after redirects
    url: str
    #: decoded from transfer and content encodings, not from its charset
    body: bytes
    #: value of the HTTP header
    content_type: str | None = None
    status: int = 200
    #: ISO 8601 with offset
    fetched: str | None = None
    tree: HtmlElement | None = None
    #: True if the body is what a browser showed, and not what was sent
    is_rendered: bool = False
    #: True if the body ended early each time it was asked for
    is_cut: bool = False
    #: the whole page as a picture (JPEG), where it was asked for and rendered
    screenshot: bytes | None = field(default=None, repr=False)
    #: where the WARC files have what was sent
    warc: str | None = None
    #: of the answer, by names in lower case
    headers: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False, compare=False)
    #: permanent redirects alone led to it
    has_moved: bool = False

    def header(self, name: str) -> str | None:
        """The last value of a header, which is named in lower case."""
        values = self.headers.get(name)
        return values[-1] if values else None

    @property
    def fetched_at(self) -> datetime | None:
        """When the page was fetched; None where that is not known."""
        try:
            return datetime.fromisoformat(self.fetched) if self.fetched else None
        except ValueError:
            return None


@dataclass(frozen=True)
class ToldComments:
    """The comments on a page as its comment system has told them, all of them."""

    #: name of the system
    system: str
    comments: tuple[Comment, ...]
    #: True if they are the blog's own, and not those of an embedded service
    is_own: bool = False


@dataclass(frozen=True)
class RecordSource:
    """What a record is made from."""

    page: Page
    #: the blog's `blogcrawler.wrapper.Wrapper`
    wrapper: Any
    #: where the feed has the post
    entry: Entry | None = None
    #: the further pages of an article that is spread over several
    more_pages: tuple[Page, ...] = ()
    #: the page as readers see it, where `page` lacks the comments that scripts load
    shown: Page | None = None
    #: where the comment system has told them
    told_comments: ToldComments | None = None
    #: True if the record is wanted only where it says something new
    is_update: bool = False
    #: addresses of pictures that the article has in the background
    backgrounds: tuple[str, ...] = ()
    #: the `blogcrawler.crawl.read_page.ReadPage` of `page` by `wrapper`, where that was read already
    read_page: Any = None

    def read_by(self, wrapper: Any) -> Self:  # noqa: ANN401
        """The same, to be read by a wrapper: what another one has extracted is of no use then."""
        return self if wrapper is self.wrapper else replace(self, wrapper=wrapper, read_page=None)

    def without_trees(self) -> Self:
        """The same without what takes most memory, when nothing is to be read any more."""
        return replace(self, page=replace(self.page, tree=None), read_page=None)


@dataclass(repr=False)
class Record:
    """One post. Every key is always there; unknown is None, none is [].

    `material` is what the pipeline works from; it is no field, so no exporter sees it.
    """

    #: home page of the blog
    blog: str
    #: permalink after redirects and canonicalisation
    url: str
    guid: str | None = None
    title: str | None = None
    authors: list[str] = field(default_factory=list)
    #: ISO 8601; a date alone when no time is known; never a guessed time or offset
    published: str | None = None
    updated: str | None = None
    tags: list[str] = field(default_factory=list)
    #: BCP 47
    language: str | None = None
    #: sanitised, absolute URLs, the article and nothing but the article
    content_html: str | None = None
    content_text: str | None = None
    comments: list[Comment] = field(default_factory=list)
    #: what the page or feed says; None when it says nothing
    comment_count: int | None = None
    media: list[Media] = field(default_factory=list)
    provenance: Provenance = field(default_factory=Provenance)
    source: InitVar[RecordSource | None] = None

    def __post_init__(self, source: RecordSource | None) -> None:
        self.material = source
        #: True for a record of the archive that is wanted only for files that it lacks
        self.lacks_media = False

    def __repr__(self) -> str:
        return f"Record({self.url!r})"

    @property
    def made_from(self) -> RecordSource:
        """The `material` of a record that has some."""
        assert self.material is not None
        return self.material

    @property
    def page_url(self) -> str:
        """The address of the page that it is made from; its permalink where it is made from none."""
        return self.material.page.url if self.material is not None else self.url

    def complete_from(self, earlier: Record) -> None:
        """Take over what an earlier record of the post knew and this one does not, since the feed has dropped the post.

        That is what has no value now, and the time of the day that is known now.
        """
        for name in ("guid", "updated", "comment_count", "title", "published", "language"):
            if getattr(self, name) is None:
                self._take_over(name, getattr(earlier, name), earlier)
        for name in ("authors", "tags"):
            if not getattr(self, name):
                self._take_over(name, list(getattr(earlier, name)), earlier)
        self._keep_comments(earlier)
        self._keep_screenshot(earlier)
        if not self.content_text and not self.content_html:
            self.content_html = earlier.content_html
            self.keep_media(earlier)
            self._take_over("content_text", earlier.content_text, earlier, field_name="content")
        if self.published and earlier.published and earlier.published.startswith(f"{self.published}T"):
            self._take_over("published", earlier.published, earlier)

    def keep_media(self, earlier: Record) -> None:
        """Keep the files of an earlier record of the post, as nobody has looked for them now."""
        known = {media.url for media in self.media}
        self.media = [*self.media, *(media for media in earlier.media if media.url not in known)]

    def _keep_screenshot(self, earlier: Record) -> None:
        """Keep the picture of the page where none was taken now."""
        if all(media.role != SCREENSHOT for media in self.media):
            self.media = [*(media for media in earlier.media if media.role == SCREENSHOT), *self.media]

    def _keep_comments(self, earlier: Record) -> None:
        """Keep the comments that this record lacks, unless it has as many as there are: then they are gone."""
        if self.comment_count is not None and len(self.comments) >= self.comment_count:
            return
        known = {_identity(comment) for comment in self.comments}
        kept = [comment for comment in earlier.comments if _identity(comment) not in known]
        source = earlier.provenance.fields.get("comments")
        if kept and not self.comments and source is not None:
            self.provenance.fields["comments"] = source
        self.comments = [*kept, *self.comments]

    def _take_over(self, name: str, value: Any, earlier: Record, field_name: str | None = None) -> None:  # noqa: ANN401
        setattr(self, name, value)
        source = earlier.provenance.fields.get(field_name or name)
        if source is not None:
            self.provenance.fields[field_name or name] = source

    def to_dict(self) -> dict[str, Any]:
        """The record as it is exported: JSON types only."""
        data: dict[str, Any] = dump(self)
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The record of `to_dict`; keys that this version does not know are passed over."""
        return load(cls, data)
