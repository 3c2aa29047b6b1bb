"""Creates the records of posts again from their archived pages, with the blog's current wrapper."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from blogcrawler.backend import LATE_MEDIA, Hold, LatePosts
from blogcrawler.dom import parse_page
from blogcrawler.errors import DamagedCapture, NotAWebPage, NotEnoughExamples
from blogcrawler.items import Media, Record, RecordSource
from blogcrawler.pipelines.content import drop_doubtful, fill, holds_nothing
from blogcrawler.pipelines.media import files_of
from blogcrawler.reextraction.archived import ArchivedPages, entry_of
from blogcrawler.reextraction.relearn import relearn
from blogcrawler.wrapper import Wrapper

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from blogcrawler.backend import Archive, MediaFiles

LEAST = 0.3
"""Default confidence below which a field is left empty."""
NOT_FETCHED = "not fetched yet"
_BATCH = 50
"""Number of posts that are written in one transaction."""


@dataclass
class Outcome:
    """Number of re-extracted, changed and unchanged posts of a blog."""

    changed: int = 0
    same: int = 0
    #: reasons why posts could not be re-extracted, by URL
    left: dict[str, str] = field(default_factory=dict)
    #: number of new files that the next update will fetch
    new_files: int = 0


def reextract(
    archive: Archive,
    home: str,
    archived: ArchivedPages,
    *,
    least: float = LEAST,
    keeps_files: bool = True,
    on_post: Callable[[], object] = lambda: None,
) -> Outcome:
    """Create all records of a blog again and save them; old contents remain as earlier versions.

    Memory is bounded, and each batch of posts is one transaction: an interrupted call has done part of the work, and
    the next call does the rest. Raises BackendUnavailable, and UnreadableRules or NotEnoughExamples if the blog has no
    rules.
    """
    wrapper_data = archive.load_wrapper(home)
    if wrapper_data is None:
        raise NotEnoughExamples(f"No rules were learned for {home} yet; crawl it first: blogcrawler archive {home}")
    wrapper, outcome, batch = Wrapper.from_dict(wrapper_data), Outcome(), list[Record]()
    for record in archive.records(home):
        try:
            batch.append(reextracted(record, wrapper, archived, least=least))
        except (DamagedCapture, NotAWebPage) as error:
            outcome.left[record.url] = str(error)
        if len(batch) == _BATCH:
            _save(archive, home, batch, outcome, keeps_files=keeps_files)
            batch = []
        on_post()
    _save(archive, home, batch, outcome, keeps_files=keeps_files)
    return outcome


def reextracted(record: Record, wrapper: Wrapper, archived: ArchivedPages, *, least: float = LEAST) -> Record:
    """Create a record again from its page, and add field values from other sources.

    Raises DamagedCapture if the page is not archived, NotAWebPage if it cannot be read or has no content.
    """
    page = archived.page(record)
    tree = page.tree = parse_page(page)
    source = RecordSource(page, wrapper, entry_of(record), archived.more_pages(page, tree))
    again = Record(record.blog, record.url, source=source)
    fill(again)
    drop_doubtful(again, least)
    if holds_nothing(again):
        raise NotAWebPage(f"No content was found in the page of {record.url} any more; the record is unchanged.")
    again.guid, again.comment_count, again.comments = record.guid, record.comment_count, record.comments
    again.provenance.warc = record.provenance.warc
    again.provenance.rendered = record.provenance.rendered
    if (comments_source := record.provenance.fields.get("comments")) is not None:
        again.provenance.fields["comments"] = comments_source
    again.media = _files(again, record)
    return again


def _files(again: Record, record: Record) -> list[Media]:
    """The files of the old record, and new files that only the new record has."""
    urls = {media.url: media for media in record.media}
    return [*record.media, *(media for media in files_of(again) if media.url not in urls)]


def _save(archive: Archive, home: str, records: list[Record], outcome: Outcome, *, keeps_files: bool) -> None:
    files, late = archive.media_files(home), LatePosts(archive, home, LATE_MEDIA)
    with archive.transaction():
        for record in records:
            new_files = _look_up(record, files, keeps_files=keeps_files)
            if new_files:
                late.note(record.url, is_late=True)
            outcome.new_files += new_files
            saved = archive.save_record(record, now=datetime.now(UTC), is_read=False)
            outcome.changed += saved != "same"
            outcome.same += saved == "same"
        late.save()


def _look_up(record: Record, files: MediaFiles, *, keeps_files: bool) -> int:
    """Look up a record's new files in the archive; return how many have to be fetched."""
    media_list, missing = list[Media](), 0
    for media in record.media:
        is_new = media.path is None and media.error is None
        stored = files.find(media.url) if is_new else None
        if stored is not None:
            values = (stored.path, stored.sha256, stored.type, stored.bytes, media.role, stored.error)
            media_list.append(Media(media.url, *values))
        elif not is_new:
            media_list.append(media)
        elif keeps_files:
            media_list.append(Media(media.url, role=media.role, error=NOT_FETCHED))
            missing += 1
    record.media = media_list
    return missing


def renew(
    database_url: str,
    home: str,
    warcs: Path | None,
    *,
    learns: bool = True,
    least: float = LEAST,
    keeps_files: bool = True,
    on_post: Callable[[], object] = lambda: None,
) -> Outcome:
    """Learn a blog's wrapper again if `learns` is True, and create its records again. Nothing is fetched.

    Raises BeingCrawled if a crawl of the blog is running, and the errors of `relearn` and `reextract`.
    """
    hold = Hold(database_url)
    try:
        hold.take(home)
        with ArchivedPages(hold.archive, home, warcs) as archived:
            if learns:
                relearn(hold.archive, home, archived)
            return reextract(hold.archive, home, archived, least=least, keeps_files=keeps_files, on_post=on_post)
    finally:
        hold.close()
