"""Web archive collections: what the index and the list of pages say is in the WARC files; Webrecorder's validator agrees.

That validator is a program of its own, with requirements under other licences (AGPL). It is looked for on the PATH, and
in the folder that the variable WACZ names.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import shutil
import subprocess
from datetime import timedelta
from io import BytesIO
from itertools import pairwise
from zipfile import ZIP_STORED, ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from blogcrawler.errors import NotArchived
from blogcrawler.export import FORMATS, Selection
from blogcrawler.export.captures import surt
from blogcrawler.export.completeness import statement_of
from tests.export.archives import ANN, BO, LATER, NOW, SEGMENT, a_record, bare, captured, filled, warc_record

WACZ = FORMATS["wacz"]
VALIDATOR = shutil.which("wacz", path=os.pathsep.join(filter(None, [os.environ.get("WACZ"), os.environ.get("PATH")])))
MORE = "blogcrawler-2-00001.warc.gz"
RENDERED = f"{ANN}rendered"
SOON = NOW + timedelta(hours=1)


def more_records():
    """Records of a second crawl: what has not changed, what a browser showed, what an address alone does not open."""
    about = {"WARC_Refers_To_Target_URI": f"{ANN}a", "WARC_Refers_To_Date": f"{NOW:%Y-%m-%dT%H:%M:%S}.123Z"}
    nowhere = {**about, "WARC_Refers_To_Date": "1999-01-01T00:00:00Z"}
    digest = {"WARC_Payload_Digest": "sha256:beef"}
    yield warc_record(ANN, "Home", SOON)
    yield warc_record(f"{ANN}a", "", SOON, "revisit", **about)
    yield warc_record(f"{ANN}bare", "", SOON, "revisit", **nowhere)
    yield warc_record(RENDERED, "before scripts", SOON - timedelta(minutes=1))
    for url, body, method in ((RENDERED, "an answer to a form", "POST"), (f"{ANN}asked", "got", "GET")):
        yield warc_record(url, body, SOON)
        of = {"WARC_Concurrent_To": f"<urn:response:{url}:{SOON.timestamp()}>"}
        yield warc_record(url, f"{method} / HTTP/1.1\r\n\r\n", SOON, "request", **of)
    yield warc_record(f"urn:view:{RENDERED}", "<p>after scripts</p>", SOON, "resource")
    yield warc_record(f"{ANN}damaged", "ab", SOON, **digest)
    yield from (warc_record(f"{ANN}picture-{number}.png", f"{number}", SOON) for number in range(700))


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    folder = tmp_path_factory.mktemp("archive")
    with captured(folder) as opened:
        with (folder / "warc" / MORE).open("wb") as file:
            for record in more_records():
                if b"urn:view:" in gzip.decompress(record):
                    rendered = a_record("rendered")
                    rendered.provenance.rendered, rendered.provenance.warc = True, f"{MORE}#{file.tell()}"
                    opened.save_record(rendered, now=NOW)
                file.write(record)
        opened.save_record(a_record("lost"), now=NOW)
        yield opened


class Collection:
    """A collection that was exported, and what was told to be lost."""

    def __init__(self, archive, target, *addresses):
        self.lost = {}
        warcs = archive.file.parent / "warc"
        chosen = Selection.of(archive, addresses, warcs=warcs)
        WACZ.export(Selection(archive, chosen.blogs, warcs=warcs, on_lost=self.lost.__setitem__), str(target))
        self.data = target.read_bytes()
        with ZipFile(target) as file:
            self.infos = file.infolist()
            self.stored = {info.filename for info in file.infolist() if info.compress_type == ZIP_STORED}
            self.files = {name: file.read(name) for name in file.namelist()}

    def pages(self):
        header, *pages = map(json.loads, self.files["pages/pages.jsonl"].splitlines())
        assert (header["format"], header["id"]) == ("json-pages-1.0", "pages")
        return {page["url"]: page for page in pages}

    def index(self):
        """The lines of the index: the key, the time, and the rest."""
        for line in gzip.decompress(self.files["indexes/index.cdx.gz"]).decode().splitlines():
            key, at, told = line.split(" ", 2)
            yield key, at, json.loads(told)

    def times(self, url):
        return [at for _, at, told in self.index() if told["url"] == url]


@pytest.fixture(scope="module")
def exported(archive, tmp_path_factory):
    return Collection(archive, tmp_path_factory.mktemp("wacz") / "posts.wacz")


def test_it_has_what_the_specification_asks_for(exported):
    about = json.loads(exported.files["datapackage.json"])
    assert (about["profile"], about["wacz_version"]) == ("data-package", "1.1.1")
    assert about["created"] == f"{LATER:%Y-%m-%dT%H:%M:%S}Z"
    assert about["title"] == "2 blogs"
    assert (about["mainPageUrl"], about["mainPageDate"]) == (ANN, f"{SOON:%Y-%m-%dT%H:%M:%S}Z")
    listed = {told["path"]: told for told in about["resources"]}
    assert set(listed) == set(exported.files) - {"datapackage.json", "datapackage-digest.json"}
    assert {"indexes/index.cdx.gz", "indexes/index.idx", "pages/pages.jsonl", f"archive/{MORE}"} <= set(listed)
    assert len({told["name"] for told in about["resources"]}) == len(listed)
    for path, told in listed.items():
        content = exported.files[path]
        assert (told["bytes"], told["hash"]) == (len(content), f"sha256:{hashlib.sha256(content).hexdigest()}")
    digest = json.loads(exported.files["datapackage-digest.json"])
    assert digest["path"] == "datapackage.json"
    assert digest["hash"] == f"sha256:{hashlib.sha256(exported.files['datapackage.json']).hexdigest()}"


def test_it_states_how_complete_each_blog_is(exported, archive):
    for number, blog in enumerate(archive.blogs(), 1):
        statement = json.loads(exported.files[f"completeness/{number}-{blog.home[7:-1]}.json"])
        assert statement == statement_of(archive, blog)


def test_what_is_compressed_already_is_stored(exported):
    assert exported.stored == {name for name in exported.files if name.endswith(".gz")}


def test_the_head_of_each_file_is_as_long_as_the_list_of_files_says(exported):
    """ReplayWeb.page reads files by that list."""
    data = exported.data
    for info in exported.infos:
        name, extra = (
            int.from_bytes(data[info.header_offset + at : info.header_offset + at + 2], "little") for at in (26, 28)
        )
        assert (name, extra) == (len(info.filename), len(info.extra))


def test_warc_files_are_there_as_they_were(exported, archive):
    there = {f"archive/{file.name}": file.read_bytes() for file in (archive.file.parent / "warc").iterdir()}
    assert {name: content for name, content in exported.files.items() if name.startswith("archive/")} == there


def test_each_line_of_the_index_names_the_place_of_such_a_record(exported):
    lines = list(exported.index())
    assert len(lines) > 700
    for key, at, told in lines:
        start = int(told["offset"])
        member = exported.files[f"archive/{told['filename']}"][start : start + int(told["length"])]
        (record,) = ArchiveIterator(BytesIO(member))
        assert record.rec_headers["WARC-Target-URI"] == told["url"]
        assert "".join(filter(str.isdigit, record.rec_headers["WARC-Date"]))[:14] == at
        assert key == surt(told["url"])
        if told["mime"] != "warc/revisit":
            assert told["digest"] == record.rec_headers["WARC-Payload-Digest"]


def test_the_index_is_sorted_and_its_parts_are_where_it_is_told(exported):
    data = exported.files["indexes/index.cdx.gz"]
    header, *beginnings = exported.files["indexes/index.idx"].decode().splitlines()
    assert header.startswith("!meta 0 ")
    assert json.loads(header[8:]) == {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}
    assert len(beginnings) > 2
    end, lines = 0, []
    for beginning in beginnings:
        key, _, told = beginning.partition(" {")
        place = json.loads(f"{{{told}")
        assert place["offset"] == end
        end += place["length"]
        part = data[place["offset"] : end]
        assert place["digest"] == f"sha256:{hashlib.sha256(part).hexdigest()}"
        lines += gzip.decompress(part).decode().splitlines()
        assert key in [line.partition(" {")[0] for line in lines]
    assert end == len(data)
    assert all(one.encode() <= other.encode() for one, other in pairwise(lines))


def test_what_an_address_does_not_open_is_not_in_the_index(exported):
    assert exported.times(RENDERED) == [f"{SOON - timedelta(minutes=1):%Y%m%d%H%M%S}"]
    assert len(exported.times(f"{ANN}asked")) == 1
    assert len(exported.times(f"urn:view:{RENDERED}")) == 1


def test_what_has_not_changed_refers_to_what_is_there(exported):
    same = {told["url"]: told for _, _, told in exported.index() if told["mime"] == "warc/revisit"}
    assert set(same) == {f"{ANN}a"}
    assert len(exported.times(f"{ANN}a")) == 2


def test_each_post_is_a_page_that_the_index_has(exported):
    pages = exported.pages()
    assert set(pages) == {f"{ANN}{name}" for name in ("a", "odd", "bare", "gone", "rendered")} | {f"{BO}b"}
    for url, page in pages.items():
        at = "".join(filter(str.isdigit, page["ts"]))
        assert at in exported.times(url)
        assert page["ts"].endswith("Z")
    assert pages[f"{ANN}a"]["title"] == "Changed"
    assert pages[f"{ANN}a"]["text"] == "Water for a\n\nBoil it."
    assert pages[f"{ANN}bare"]["title"] == "Untitled post"
    assert len({page["id"] for page in pages.values()}) == len(pages)


def test_what_is_missing_or_damaged_is_told(exported):
    (damaged,) = (name for name in exported.lost if name.startswith(MORE))
    assert exported.lost == {
        f"{ANN}lost": "its page is not in the WARC files",
        damaged: "the record does not match its warc-payload-digest",
    }
    assert exported.times(f"{ANN}damaged") == []


def test_a_blog_comes_with_its_warc_files_alone(archive, tmp_path):
    one = Collection(archive, tmp_path / "bo.wacz", BO)
    assert [name for name in one.files if name.startswith("archive/")] == [f"archive/bo{SEGMENT}"]
    assert set(one.pages()) == {f"{BO}b"}
    about = json.loads(one.files["datapackage.json"])
    assert "mainPageUrl" not in about
    assert "1 post, archived" in about["description"]


def test_without_warc_files_it_says_what_to_do(tmp_path):
    with filled(tmp_path) as archive, pytest.raises(NotArchived, match=r"nothing to replay. Crawl the blog again with"):
        WACZ.export(Selection.of(archive), str(tmp_path / "posts.wacz"))
    assert not list(tmp_path.glob("*.wacz*"))


def test_a_warc_file_that_a_crawl_writes_is_told(tmp_path):
    with captured(tmp_path) as archive:
        (tmp_path / "warc" / f"an{SEGMENT}").rename(tmp_path / "warc" / f"an{SEGMENT}.open")
        found = Collection(archive, tmp_path / "posts.wacz")
    assert set(found.pages()) == {f"{BO}b"}
    assert (
        found.lost[f"an{SEGMENT}"]
        == "it is incomplete: a crawl is writing it, or was killed; the next crawl will complete it"
    )


def test_posts_that_do_not_say_where_their_page_is_are_found_by_their_address(tmp_path):
    with captured(tmp_path) as archive:
        archive.save_record(bare("bare"), now=NOW)
        assert archive.record(ANN, f"{ANN}bare").provenance.warc is None
        found = Collection(archive, tmp_path / "posts.wacz")
    assert f"{ANN}bare" in found.pages()


@pytest.mark.skipif(not VALIDATOR, reason="there is no wacz: pip install it somewhere, and set WACZ")
def test_the_validator_of_webrecorder_finds_nothing(archive, tmp_path):
    Collection(archive, tmp_path / "posts.wacz")
    done = subprocess.run([VALIDATOR, "validate", "-f", tmp_path / "posts.wacz"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Validation succeeded" in done.stdout


@given(st.one_of(st.text(max_size=40), st.builds("http://a.example.org{}".format, st.text(max_size=40))))
def test_any_address_has_a_key_without_white_space(url):
    assert len(surt(f"{url}x").split()) == 1


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://www.Example.org/A?c&b#part", "org,example)/a?b&c"),
        ("https://example.org", "org,example)/"),
        ("https://www2.example.org:443/", "org,example)/"),
        ("http://example.org:8080/x", "org,example:8080)/x"),
        ("http://127.0.0.1:99/", "1,0,0,127:99)/"),
        ("http://[::1]:99/x", "[::1]:99)/x"),
        ("http://example.org/a b\n", "org,example)/a%20b%0a"),
        ("http://example.org:port/", "http://example.org:port/"),
        ("http://[bad/", "http://[bad/"),
        ("urn:view:http://example.org/A", "urn:view:http://example.org/A"),
    ],
)
def test_addresses_as_keys(url, key):
    assert surt(url) == key
