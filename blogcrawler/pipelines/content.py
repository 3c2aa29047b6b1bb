"""Second stage: extract content.

Fills a record's fields from its page with the blog's wrapper, and from its feed entry.
"""

from __future__ import annotations

import hashlib
import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from scrapy.exceptions import DropItem

from blogcrawler.capture import removed_of
from blogcrawler.component import Component
from blogcrawler.crawl.read_page import ReadPage, content_of, reading_of
from blogcrawler.dates import Moment
from blogcrawler.dom import (
    base_url,
    clean_listings,
    drop_pager,
    drop_permalinks,
    fragment,
    inline_text,
    parse_page,
    readable_text,
    sanitise,
)
from blogcrawler.downloader.removed import REMOVED
from blogcrawler.errors import NotAWebPage, PageTooSlow, RemovedOnRequest
from blogcrawler.items import LOCKED, FieldSource
from blogcrawler.similarity import fold, pairs
from blogcrawler.time_limit import time_limit
from blogcrawler.wrapper.contradiction import (
    are_similar_titles,
    is_cut_title,
    is_of_other_post,
    is_other_title,
    is_proven,
)
from blogcrawler.wrapper.fields.article import is_empty

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator

    from lxml.html import HtmlElement
    from scrapy.crawler import Crawler

    from blogcrawler.crawl.read_page import Content
    from blogcrawler.items import Entry, Record, RecordSource
    from blogcrawler.wrapper import Extraction, Wrapper

FEED_CONFIDENCE = 0.99
LIST_CONFIDENCE = 0.7
CUT_CONFIDENCE = 0.8
"""Confidence in a page's title that the feed truncates; a guessed title must have at least this confidence."""
ALL_OF_IT = 0.9
"""Minimum share of a text's word pairs in another text that continues it."""
SAME_TEXT = 0.5
"""F1 score of the word pairs of two articles below which they belong to different posts, not to versions of one
post."""
LIST_PAGE = "list page"
ENTRY_FIELDS = ("title", "authors", "published", "updated", "tags")

logger = logging.getLogger(__name__)


class ContentPipeline(Component):
    """Fills records; drops a record whose page turns out not to contain a post.

    Counts the source of each field under `blogcrawler/fields/FIELD/SOURCE`.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.least = crawler.settings.getfloat("CONFIDENCE_MINIMUM")

    async def process_item(self, item: Record) -> Record:
        """Fill one record.

        The record of a post that was removed on request is dropped, with RemovedOnRequest as the cause.
        """
        if item.material is None:
            self._count_sources(item)
            return item
        try:
            self._fill(item)
        except NotAWebPage as error:
            raise DropItem(str(error)) from error
        if (removed := removed_of(self.crawler)) is not None and removed.has_record(item):
            raise DropItem(REMOVED, log_level="DEBUG") from RemovedOnRequest(REMOVED)
        drop_doubtful(item, self.least)
        self._count_sources(item)
        if holds_nothing(item):
            raise DropItem(f"{item.url} has neither a title nor an article.")
        return item

    def _fill(self, item: Record) -> None:
        """Fill a record; if the further pages of its article take too long, fill it without them."""
        try:
            fill(item)
        except PageTooSlow:
            if not item.made_from.more_pages:
                raise
            logger.warning("The further pages of %s take too long to read; it is saved without them.", item.url)
            item.material = replace(item.made_from, more_pages=())
            fill(item)

    def _count_sources(self, item: Record) -> None:
        assert self.crawler.stats is not None
        for name, source in item.provenance.fields.items():
            self.crawler.stats.inc_value(f"blogcrawler/fields/{name}/{source.source}")
        if not item.title and not item.published:
            self.crawler.stats.inc_value("blogcrawler/bare")


def holds_nothing(record: Record) -> bool:
    """True if a record has neither title nor article; an image counts as an article."""
    return not record.title and not record.content_text and is_empty(fragment(record.content_html or ""))


@time_limit()
def fill(record: Record) -> None:
    """Fill a record from its page, then from its feed entry, whose values are the blog's own. Raises NotAWebPage."""
    material, page = record.made_from, reading_of(record.made_from)
    fields, content = _read(material, page)
    record.title, record.authors, record.published = fields.title, fields.authors, fields.published
    record.updated, record.tags, record.language = fields.updated, fields.tags, fields.language
    record.provenance.fields = dict(fields.sources)
    is_locked = content is not None and content.is_locked
    if content is not None and not is_locked:
        record.content_html, record.content_text = content.html, content.text
        record.material = replace(material, backgrounds=content.backgrounds)
        if content.language_source is not None:
            record.language, record.provenance.fields["language"] = content.language, content.language_source
    _fill_page_facts(record, page)
    record.provenance.rendered = any(fetched.is_rendered for fetched in filter(None, (page.page, material.shown)))
    if material.entry is not None:
        _fill_from_entry(record, material.entry, page)
        if not is_locked:
            _fill_content_from_entry(record, material.entry, page)
    if is_locked:
        record.provenance.fields["content"] = FieldSource("rule", LOCKED, 1.0)


def _read(material: RecordSource, page: ReadPage) -> tuple[Extraction, Content | None]:
    """The fields that the wrapper reads, and the article's element including further pages; None if there is no
    article."""
    if not material.more_pages:
        return page.extraction, page.content
    if page.extraction.article is None:  # for a page that a worker has read, the element is not available
        page = ReadPage(page.page, page.wrapper)
    if (article := page.extraction.article) is None:
        return page.extraction, None
    parts = [(article, base_url(page.tree, page.url)), *_further_parts(material, article, page.tree)]
    return page.extraction, content_of(page.wrapper, page.tree, parts)


def drop_doubtful(record: Record, least: float) -> None:
    """Empty the fields with a lower confidence, since no value is better than a wrong one."""
    doubtful = [name for name, source in record.provenance.fields.items() if source.confidence < least]
    for name in doubtful:
        del record.provenance.fields[name]
        for key in ("content_html", "content_text") if name == "content" else (name,):
            setattr(record, key, [] if isinstance(getattr(record, key), list) else None)


def _is_changed(published: str | None, updated: str | None) -> bool:
    """True if a post is known to have changed after its publication."""
    published_at, updated_at = (Moment.parse_iso(text) for text in (published, updated))
    return updated_at is not None and (published_at is None or updated_at.is_after(published_at))


def _further_parts(
    material: RecordSource, article: HtmlElement, tree: HtmlElement
) -> Iterator[tuple[HtmlElement, str]]:
    """The content of an article's further pages, without what the pages before already have; page links are removed
    from all."""
    urls = [page.url for page in (material.page, *material.more_pages)]
    drop_pager(article, tree, material.page.url, urls)
    seen_blocks = set(_blocks(article))
    for page in material.more_pages:
        try:
            root = parse_page(page)
        except NotAWebPage:
            continue
        part = material.wrapper.extract(root, page.url).article
        if part is None:
            continue
        drop_pager(part, root, page.url, urls)
        blocks = _blocks(part)
        fresh = [block for block in blocks if block not in seen_blocks]
        if 2 * sum(map(len, fresh)) >= sum(map(len, blocks)) > 0:
            seen_blocks.update(blocks)
            yield part, base_url(root, page.url)


def _blocks(article: HtmlElement) -> list[str]:
    return [block for block in readable_text(article).split("\n\n") if block]


def _fill_page_facts(record: Record, page: ReadPage) -> None:
    record.provenance.fetched = page.page.fetched
    if page.page.status:  # otherwise there is only the feed's entry
        record.provenance.status = page.page.status
        record.provenance.sha256 = hashlib.sha256(page.page.body).hexdigest()
    record.provenance.warc = page.page.warc
    record.provenance.capture = page.page.capture
    record.provenance.generator = page.generator


def _take(record: Record, entry: Entry, names: Iterable[str], source: FieldSource) -> None:
    """Take those fields from an entry that it has."""
    for name in names:
        value = getattr(entry, name)
        if value:
            setattr(record, name, list(value) if isinstance(value, tuple) else value)
            record.provenance.fields[name] = replace(source)


def _fill_from_entry(record: Record, entry: Entry, page: ReadPage) -> None:
    wrapper = page.wrapper
    if entry.is_synthetic:  # a list page fills fields that the post's own page does not have
        missing = [name for name in ENTRY_FIELDS if not getattr(record, name)]
        _take(record, entry, missing, FieldSource("fallback", LIST_PAGE, LIST_CONFIDENCE))
        return
    record.guid, record.comment_count = entry.guid, entry.comment_count
    entry = replace(entry, title=wrapper.affixes.strip(entry.title))
    page_fields = {*wrapper.distrusted, *wrapper.pinned(record.url)}
    if not record.authors:
        page_fields.discard("authors")
    elif _has_more_authors(record, entry, wrapper):
        page_fields.add("authors")
    if _has_cut_title(record, entry):
        page_fields.add("title")
        source = record.provenance.fields["title"]
        source.confidence = max(CUT_CONFIDENCE, source.confidence)
    elif _has_other_title(record, entry, page):
        page_fields.add("title")
    if _has_day(record, entry):
        page_fields.add("published")
    wanted = [name for name in ENTRY_FIELDS if name not in page_fields]
    _take(record, entry, wanted, FieldSource("feed", None, FEED_CONFIDENCE))
    if not _is_changed(record.published, record.updated):
        record.updated = None
        record.provenance.fields.pop("updated", None)
    if record.language is None and entry.language:
        record.language = entry.language
        record.provenance.fields["language"] = FieldSource("feed", None, 0.8)


def _has_day(record: Record, entry: Entry) -> bool:
    """True if the page states a complete date and the feed only a part of it."""
    stated, read_day = Moment.parse_iso(entry.published), Moment.parse_iso(record.published)
    return stated is not None and stated.day is None and read_day is not None and stated.may_be_same_day(read_day)


def _has_more_authors(record: Record, entry: Entry, wrapper: Wrapper) -> bool:
    """True if a page names the feed's authors and further authors, since many feeds only name the first one."""
    feed_authors, page_authors = (set(map(fold, authors)) for authors in (entry.authors, record.authors))
    return feed_authors < page_authors and page_authors - feed_authors <= set(wrapper.authors.known)


def _has_cut_title(record: Record, entry: Entry) -> bool:
    """True if the feed truncates the title that the page shows completely, by more than an addition in the page's
    head."""
    if not record.title or not entry.title or not is_cut_title(entry.title, record.title):
        return False
    source = record.provenance.fields["title"]
    return source.source != "fallback" or source.confidence >= CUT_CONFIDENCE


def _has_other_title(record: Record, entry: Entry, page: ReadPage) -> bool:
    """True if the feed has another post's title, while the page shows its own."""
    if not record.title or not entry.title or not is_proven(record.provenance.fields.get("title")):
        return False
    if are_similar_titles(entry.title, record.title):  # fast pre-check, so that most pages need not be parsed for it
        return False
    return is_other_title(entry.title, record.title, page.tree, record.url)


def _fill_content_from_entry(record: Record, entry: Entry, page: ReadPage) -> None:
    if entry.is_synthetic or not entry.content_html:
        return
    article = fragment(entry.content_html)
    if _takes_feed(record, entry, article, page):
        clean_listings(article)
        drop_permalinks(article)
        record.content_html = sanitise(article, record.url)
        record.content_text = readable_text(article) or inline_text(article)
        record.provenance.fields["content"] = FieldSource("feed", None, 0.5 if entry.is_summary else FEED_CONFIDENCE)


def _takes_feed(record: Record, entry: Entry, article: HtmlElement, page: ReadPage) -> bool:
    """True if the feed's article is better than the page's.

    It is better if the page has no article, or was truncated and has less text. A complete article in the feed is also
    better if the page's article is a guess, or a different text that is not much longer, unless it belongs to another
    post.
    """
    if not record.content_text or "content" in page.wrapper.pinned(record.url):
        return not record.content_text
    page_pairs, feed_pairs = pairs(record.content_text), pairs(inline_text(article))
    if page.page.is_cut and feed_pairs.total() > page_pairs.total():
        return True
    if entry.is_summary:
        return _goes_on(feed_pairs, page_pairs)
    if record.provenance.fields["content"].source == "fallback":
        return True
    if page.wrapper.article.mode == "summary":
        return _goes_on(feed_pairs, page_pairs)
    similarity = 2 * (page_pairs & feed_pairs).total() / max(1, page_pairs.total() + feed_pairs.total())
    if similarity >= SAME_TEXT or 2 * feed_pairs.total() < page_pairs.total():
        return False
    return not (is_proven(record.provenance.fields["content"]) and is_of_other_post(feed_pairs, page_pairs, page.tree))


def _goes_on(feed_pairs: Counter[tuple[str, str]], page_pairs: Counter[tuple[str, str]]) -> bool:
    """True if a feed continues the page's text by as much again, so that the page may only show the beginning."""
    return (
        feed_pairs.total() >= 2 * page_pairs.total()
        and (feed_pairs & page_pairs).total() >= ALL_OF_IT * page_pairs.total() > 0
    )
