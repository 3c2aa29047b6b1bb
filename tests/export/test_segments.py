"""Which WARC files go with which posts."""

from __future__ import annotations

from dataclasses import replace
from zipfile import ZipFile

import pytest

from blogcrawler.backend.warc import OPEN
from blogcrawler.export import FORMATS, Selection
from blogcrawler.export.segments import Segments
from blogcrawler.items import Media
from tests.backend.test_warc import exchange, written
from tests.export.archives import ANN, BO, LATER, a_record, filled

PICTURE = f"{ANN}kettle.png"


@pytest.fixture
def archive(tmp_path):
    """A post's page in one WARC file, its picture in a later one, and another blog's page in a third."""
    warcs = tmp_path / "warc"
    with filled(tmp_path) as opened:
        (page,) = written(warcs, exchange(url=f"{ANN}late"))
        written(warcs, exchange(b"a picture", url=PICTURE))
        (other,) = written(warcs, exchange(b"another", url=f"{BO}late"))
        shown = Media(PICTURE, "sha256/00/0", "0", "image/png", 9, "image")
        for blog, place, media in ((ANN, page, [shown]), (BO, other, [])):
            post = a_record("late", blog, media=media)
            post.provenance = replace(post.provenance, warc=place)
            opened.save_record(post, now=LATER)
        yield opened


def chosen(archive, *blogs, **told):
    return Selection.of(archive, blogs, since=LATER, warcs=archive.file.parent / "warc", **told)


def names(archive):
    return sorted(path.name for path in (archive.file.parent / "warc").glob("*.gz"))


def segments(selection):
    with Segments.of(selection) as found:
        for post in selection.posts():
            found.add(post.record)
    return sorted(found.names)


def test_files_of_posts_may_be_elsewhere_than_their_pages(archive, tmp_path):
    of_page, of_picture, other = names(archive)
    assert segments(chosen(archive, ANN)) == [of_page, of_picture]
    assert segments(chosen(archive, BO)) == [other]
    FORMATS["wacz"].export(chosen(archive, ANN), str(tmp_path / "out.wacz"))
    with ZipFile(tmp_path / "out.wacz") as file:
        held = [name.removeprefix("archive/") for name in file.namelist() if name.startswith("archive/")]
    assert held == [of_page, of_picture]
    FORMATS["bagit"].export(chosen(archive, ANN), str(tmp_path / "bag"))
    assert sorted(path.name for path in (tmp_path / "bag/data/warc").iterdir()) == [of_page, of_picture]


@pytest.mark.parametrize("content", [None, b"no database, but text that is long enough"])
def test_without_an_index_those_of_pages_are_known(archive, content):
    index = archive.file.parent / "warc" / "index.db"
    index.unlink() if content is None else index.write_bytes(content)
    assert segments(chosen(archive, ANN)) == names(archive)[:1]
    assert index.exists() is (content is not None)


def test_a_file_that_was_left_open_is_told(archive, tmp_path):
    of_page, _, _ = names(archive)
    file = archive.file.parent / "warc" / of_page
    file.rename(f"{file}{OPEN}")
    lost = {}
    FORMATS["bagit"].export(replace(chosen(archive, ANN), on_lost=lost.__setitem__), str(tmp_path / "bag"))
    assert lost[of_page] == "it is incomplete: a crawl is writing it, or was killed; the next crawl will complete it"
