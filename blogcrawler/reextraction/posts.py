"""The records of posts, made again from their archived pages by the blog's wrapper as it is now."""

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
"""Confidence below which a field is left empty, unless a setting says otherwise."""
NOT_FETCHED = "not asked for yet"
_BATCH = 50
"""Posts that are written at once."""


@dataclass
class Outcome:
    """What became of the posts of a blog."""

    changed: int = 0
    same: int = 0
    #: posts that stayed as they were, by the sentence that says why, each with one of them
    left: dict[str, str] = field(default_factory=dict)
    #: new files that the next update is to ask for
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
    """Make all records of a blog again, and keep them; what posts said before stays as their earlier versions.

    In bounded memory; each batch of posts is one transaction, so that a call that is cut short has done a part of the
    work, and the next one does the rest. Raises BackendUnavailable, and UnreadableRules or NotEnoughExamples where the
    blog has no rules.
    """
    kept = archive.load_wrapper(home)
    if kept is None:
        raise NotEnoughExamples(f"Nothing was learned of {home} yet; crawl it first: crawl newcrawl -a url={home}")
    wrapper, outcome, batch = Wrapper.from_dict(kept), Outcome(), list[Record]()
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
    """A record, made again from its page, with what other sources have told of it.

    Raises DamagedCapture where its page is not kept, NotAWebPage where that cannot be read or holds nothing any more.
    """
    page = archived.page(record)
    tree = page.tree = parse_page(page)
    source = RecordSource(page, wrapper, entry_of(record), archived.more_pages(page, tree))
    again = Record(record.blog, record.url, source=source)
    fill(again)
    drop_doubtful(again, least)
    if holds_nothing(again):
        raise NotAWebPage(f"Nothing of a post is found in the page of {record.url} any more; it stays as it was.")
    again.guid, again.comment_count, again.comments = record.guid, record.comment_count, record.comments
    again.provenance.warc = record.provenance.warc
    again.provenance.rendered = record.provenance.rendered
    if (told := record.provenance.fields.get("comments")) is not None:
        again.provenance.fields["comments"] = told
    again.media = _files(again, record)
    return again


def _files(again: Record, record: Record) -> list[Media]:
    """The files of a record, as they were, and those that only the new one shows."""
    known = {media.url: media for media in record.media}
    return [*record.media, *(media for media in files_of(again) if media.url not in known)]


def _save(archive: Archive, home: str, records: list[Record], outcome: Outcome, *, keeps_files: bool) -> None:
    files, late = archive.media_files(home), LatePosts(archive, home, LATE_MEDIA)
    with archive.transaction():
        for record in records:
            new = _look_up(record, files, keeps_files=keeps_files)
            if new:
                late.note(record.url, is_late=True)
            outcome.new_files += new
            saved = archive.save_record(record, now=datetime.now(UTC), is_read=False)
            outcome.changed += saved != "same"
            outcome.same += saved == "same"
        late.save()


def _look_up(record: Record, files: MediaFiles, *, keeps_files: bool) -> int:
    """Find the new files of a record among those that are kept; how many are to be asked for."""
    found, missing = list[Media](), 0
    for media in record.media:
        is_new = media.path is None and media.error is None
        kept = files.find(media.url) if is_new else None
        if kept is not None:
            told = (kept.path, kept.sha256, kept.type, kept.bytes, media.role, kept.error)
            found.append(Media(media.url, *told))
        elif not is_new:
            found.append(media)
        elif keeps_files:
            found.append(Media(media.url, role=media.role, error=NOT_FETCHED))
            missing += 1
    record.media = found
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
    """Learn a blog's wrapper again, unless told otherwise, and make its records again by it. Nothing is fetched.

    Raises BeingCrawled where a crawl has the blog, and what `relearn` and `reextract` raise.
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
