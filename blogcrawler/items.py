"""The record of a post, and the feed entry that announces a post.

`Record` is what is exported and stored; its keys are a promise to users. `Entry` is what a feed states about a post:
the examples from which wrappers are learned. Both are plain data, independent of libraries.
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
"""Source of a field's value."""
Trust = Literal["sure", "fair", "doubtful"]
"""Confidence in a value, as a word."""
SURE, FAIR = 0.9, 0.7
"""Minimum confidence of a value that is "sure", and of one that is "fair"."""

LOCKED = "password form"
"""Rule name in the provenance of the article, if the page asks for a password instead."""
SCREENSHOT = "screenshot"
"""Role of the screenshot of a post's page among its files."""


@dataclass(frozen=True)
class Enclosure:
    """A file attached to a feed entry."""

    url: str
    type: str | None = None
    #: size in bytes, as stated in the feed
    length: int | None = None


@dataclass(frozen=True)
class Entry:
    """A post as described in the blog's feed. Unknown values are None, or an empty tuple."""

    #: permalink as in the feed, absolute
    url: str
    guid: str | None = None
    #: title as plain text
    title: str | None = None
    authors: tuple[str, ...] = ()
    #: ISO 8601 with the feed's precision: date, with time, with offset
    published: str | None = None
    updated: str | None = None
    tags: tuple[str, ...] = ()
    #: the article as HTML, if the feed has content or a description
    content_html: str | None = None
    #: True if content_html comes from an element for summaries (RSS description, Atom summary)
    is_summary: bool = False
    #: language tag (BCP 47) of the entry or its feed
    language: str | None = None
    #: URL of the post's own comment feed
    comments_feed: str | None = None
    comment_count: int | None = None
    enclosures: tuple[Enclosure, ...] = ()
    #: True if it comes from a list page of the blog instead of a feed
    is_synthetic: bool = False
    #: author of the feed, if none of its entries has an author
    editor: str | None = None
    #: all comments of the post when a blog was exported; None if the source has no comments
    comments: tuple[Comment, ...] | None = field(default=None, hash=False)


@dataclass
class FieldSource:
    """Source and confidence of a field's value."""

    source: Source
    #: the XPath rule, or the name of the metadata property; None for the feed
    rule: str | None = None
    #: from 0 to 1
    confidence: float = 0.0

    @property
    def trust(self) -> Trust:
        """The confidence as a word."""
        return "sure" if self.confidence >= SURE else "fair" if self.confidence >= FAIR else "doubtful"


@dataclass(frozen=True)
class CaptureReference:
    """The capture from which a record was made, if its page was not fetched from the web by this program."""

    #: the path of a WARC file, "#", and the offset of the record in bytes; or the address in a web archive
    place: str
    #: time of the capture, ISO 8601 in UTC
    time: str
    #: digest of the payload as in the WARC file or index ("sha1:…"); empty if unknown
    digest: str = ""


@dataclass
class Provenance:
    """How a record was made."""

    #: time at which the page was fetched, or captured by others, ISO 8601 with offset
    fetched: str | None = None
    #: HTTP status of the page
    status: int | None = None
    #: digest of the page's decoded body, in hexadecimal
    sha256: str | None = None
    rendered: bool = False
    #: position of the page in the WARC files
    warc: str | None = None
    capture: CaptureReference | None = None
    #: the software of the page, as it states itself
    generator: str | None = None
    fields: dict[str, FieldSource] = field(default_factory=dict)


@dataclass
class Comment:
    """A reader's comment, or a pingback from another blog."""

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
    #: path relative to the archive's folder
    path: str | None = None
    sha256: str | None = None
    type: str | None = None
    bytes: int | None = None
    role: str | None = None
    error: str | None = None


@dataclass
class Page:
    """A fetched page, from which a record is made."""

    #: URL after redirects
    url: str
    #: body without transfer and content encodings, in its original charset
    body: bytes
    #: value of the HTTP header
    content_type: str | None = None
    #: HTTP status; 0 for an empty page in place of one that cannot be had
    status: int = 200
    #: ISO 8601 with offset
    fetched: str | None = None
    tree: HtmlElement | None = None
    #: True if the body is the browser's result, and not what the server sent
    is_rendered: bool = False
    #: True if the body was truncated in every attempt
    is_cut: bool = False
    #: screenshot of the whole page (JPEG), if enabled and rendered
    screenshot: bytes | None = field(default=None, repr=False)
    #: position of the server's response in the WARC files
    warc: str | None = None
    #: the capture that it was read from, if it was not fetched from the web
    capture: CaptureReference | None = None
    #: response headers by lower-case name
    headers: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False, compare=False)
    #: True if only permanent redirects led to it
    has_moved: bool = False
    #: True if nothing was captured of it, so that its status says nothing about the web
    is_not_captured: bool = False

    def header(self, name: str) -> str | None:
        """The last value of a header, by its lower-case name."""
        values = self.headers.get(name)
        return values[-1] if values else None

    @property
    def fetched_at(self) -> datetime | None:
        """Time at which the page was fetched; None if unknown."""
        try:
            return datetime.fromisoformat(self.fetched) if self.fetched else None
        except ValueError:
            return None


@dataclass(frozen=True)
class SystemComments:
    """All comments of a page, as returned by its comment system."""

    #: name of the comment system
    system: str
    comments: tuple[Comment, ...]
    #: True if they are the blog's own, and not those of an embedded service
    is_own: bool = False


@dataclass(frozen=True)
class RecordSource:
    """The data from which a record is made."""

    page: Page
    #: the blog's `blogcrawler.wrapper.Wrapper`
    wrapper: Any
    #: the post's feed entry, if there is one
    entry: Entry | None = None
    #: the further pages of a paginated article
    more_pages: tuple[Page, ...] = ()
    #: the page with the comments that scripts load, if `page` lacks them
    shown: Page | None = None
    #: the comments as returned by a comment system
    system_comments: SystemComments | None = None
    #: True if the record is only wanted if it contains something new
    is_update: bool = False
    #: URLs of the article's background images
    backgrounds: tuple[str, ...] = ()
    #: the result of reading `page` with `wrapper`, a `blogcrawler.crawl.read_page.ReadPage`, if that was already done
    read_page: Any = None

    def read_by(self, wrapper: Any) -> Self:  # noqa: ANN401
        """The same data for another wrapper; results of the previous wrapper are dropped."""
        return self if wrapper is self.wrapper else replace(self, wrapper=wrapper, read_page=None)

    def without_trees(self) -> Self:
        """The data without the parsed pages, which need most memory; for use after everything has been read."""
        return replace(self, page=replace(self.page, tree=None), read_page=None)


@dataclass(repr=False)
class Record:
    """A post. All keys are always present; unknown values are None or [].

    `material` is the input of the pipeline; it is not a field, so no exporter sees it.
    """

    #: URL of the blog's home page
    blog: str
    #: permalink after redirects and canonicalisation
    url: str
    guid: str | None = None
    title: str | None = None
    authors: list[str] = field(default_factory=list)
    #: ISO 8601; a date if the time is unknown; never a guessed time or offset
    published: str | None = None
    updated: str | None = None
    tags: list[str] = field(default_factory=list)
    #: language tag (BCP 47)
    language: str | None = None
    #: sanitised HTML with absolute URLs, the article and nothing else
    content_html: str | None = None
    content_text: str | None = None
    comments: list[Comment] = field(default_factory=list)
    #: number that the page or feed announces; None if they announce none
    comment_count: int | None = None
    media: list[Media] = field(default_factory=list)
    provenance: Provenance = field(default_factory=Provenance)
    source: InitVar[RecordSource | None] = None

    def __post_init__(self, source: RecordSource | None) -> None:
        self.material = source
        #: True for a record from the archive that only lacks files
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
        """URL of the page from which it is made; its permalink if there is none."""
        return self.material.page.url if self.material is not None else self.url

    def complete_from(self, earlier: Record) -> None:
        """Take over values that only the post's earlier record has, since the post is no longer in the feed.

        These are missing values, and the time of a date that now has no time.
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
        """Keep the files of the post's earlier record, since nobody has requested them now."""
        known = {media.url for media in self.media}
        self.media = [*self.media, *(media for media in earlier.media if media.url not in known)]

    def _keep_screenshot(self, earlier: Record) -> None:
        """Keep the old screenshot if there is no new one."""
        if all(media.role != SCREENSHOT for media in self.media):
            self.media = [*(media for media in earlier.media if media.role == SCREENSHOT), *self.media]

    def _keep_comments(self, earlier: Record) -> None:
        """Keep the comments that this record lacks, unless it has as many as announced: then they were deleted."""
        if self.comment_count is not None and len(self.comments) >= self.comment_count:
            return
        known = {_identity(comment) for comment in self.comments}
        missing = [comment for comment in earlier.comments if _identity(comment) not in known]
        source = earlier.provenance.fields.get("comments")
        if missing and not self.comments and source is not None:
            self.provenance.fields["comments"] = source
        self.comments = [*missing, *self.comments]

    def _take_over(self, name: str, value: Any, earlier: Record, field_name: str | None = None) -> None:  # noqa: ANN401
        setattr(self, name, value)
        source = earlier.provenance.fields.get(field_name or name)
        if source is not None:
            self.provenance.fields[field_name or name] = source

    def to_dict(self) -> dict[str, Any]:
        """The record as JSON data, as it is exported."""
        data: dict[str, Any] = dump(self)
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Create a record from the data of `to_dict`; unknown keys are ignored."""
        return load(cls, data)
