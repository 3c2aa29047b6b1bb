"""Captures in WARC, ARC and WACZ files, through their public interface."""

from __future__ import annotations

import gzip
import io
import random
import shutil
import time
import zipfile
from contextlib import suppress

import pytest
from warcio.warcwriter import WARCWriter

from blogcrawler.errors import BadArgument, DamagedCapture
from tests.sources.records import TIME, arc, bodies, done, message, opened, page, record, urls, wacz, warc

HOME = "http://example.org/"
PAGES = {f"{HOME}{number}": page(number) for number in range(6)}
FORMS = ["gz", "plain", "whole"]


def written(file, content):
    file.write_bytes(content)
    return file


def in_form(form, content=None):
    plain = warc(PAGES, is_compressed=False) if content is None else content
    return {"gz": lambda: warc(PAGES), "plain": lambda: plain, "whole": lambda: gzip.compress(plain)}[form]()


def compressed(records):
    return b"".join(map(gzip.compress, records))


@pytest.fixture
def place(tmp_path):
    folder = tmp_path / "place"
    folder.mkdir()
    return folder


# ------------------------------------------------------------------------------------------------------- files


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["a.warc.gz", "A.WARC", "a.warc.gz.open", "a file"])
def test_pages_of_a_warc_file(tmp_path, form, name):
    with_index = written(tmp_path / name, in_form(form))
    captures = opened(with_index)
    assert urls(captures) == list(PAGES)
    for url, body in PAGES.items():
        (capture,) = done(captures.find(url))
        assert (capture.url, capture.status, capture.mime) == (url, 200, "text/html")
        assert capture.time.isoformat() == "2014-05-02T10:00:00+00:00"
        assert capture.digest.startswith("sha1:")
        assert capture.place.startswith(f"{with_index}#")
        response = done(captures.read(capture))
        assert (response.capture, response.status, response.body, response.is_cut) == (capture, 200, body, False)
        assert response.headers == ((b"Content-Type", b"text/html; charset=utf-8"), (b"Server", b"x"))
    captures.close()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_pages_of_a_wacz_package(place, form, compression):
    files = {"archive/data.warc.gz": in_form(form), "pages/pages.jsonl": b"{}", "fuzzy.json": b"{}"}
    wacz(place / "a.wacz", files, compression=compression)
    for root in (place, place / "a.wacz"):
        captures = opened(root, place.parent)
        assert {url: bodies(captures, url) for url in PAGES} == {url: [body] for url, body in PAGES.items()}
        (capture,) = done(captures.find(f"{HOME}3"))
        assert capture.place.startswith(f"{place}/a.wacz/archive/data.warc.gz#")


@pytest.mark.parametrize(("is_compressed", "is_whole"), [(False, False), (True, False), (False, True)])
def test_pages_of_an_arc_file(tmp_path, is_compressed, is_whole):
    pages = {"http://example.org/a b": message(b"<p>Nineties.</p>"), "http://example.org/old": b"<p>HTTP 0.9</p>"}
    pages |= {url: message(body, status="HTTP/1.0 200 OK") for url, body in PAGES.items()}
    content = arc(pages, is_compressed=is_compressed)
    captures = opened(written(tmp_path / "a.arc.gz", gzip.compress(content) if is_whole else content))
    assert len(urls(captures)) == 8
    assert {url: bodies(captures, url) for url in PAGES} == {url: [body] for url, body in PAGES.items()}
    assert bodies(captures, "http://example.org/a b") == [b"<p>Nineties.</p>"]
    (old,) = done(captures.find("http://example.org/old"))
    assert (old.status, old.mime, old.time.year) == (200, "text/html", 1997)
    assert done(captures.read(old)).body == b"<p>HTTP 0.9</p>"


@pytest.mark.parametrize("version", ["0.18", "1.0", "1.1"])
def test_versions_of_warc(tmp_path, version):
    content = b"".join(
        [
            record(HOME, message(b"home"), version=version, time="2014-05-02T10:00:00.123456Z"),
            record(f"<{HOME}a>", message(b"a"), version=version),
            record("dns:example.org", b"1", kind="resource", version=version),
            record(HOME + "b", message(b"b"), kind="request", version=version),
            record(HOME + "c", b"c", kind="resource", version=version, Content_Type="Text/Plain; charset=x"),
        ]
    )
    captures = opened(written(tmp_path / "a.warc", content))
    assert urls(captures) == [HOME, f"{HOME}a", f"{HOME}c"]
    assert [bodies(captures, url) for url in urls(captures)] == [[b"home"], [b"a"], [b"c"]]
    (resource,) = done(captures.find(f"{HOME}c"))
    assert (resource.status, resource.mime) == (200, "text/plain")
    assert done(captures.read(resource)).headers == ((b"Content-Type", b"Text/Plain; charset=x"),)


def test_oddities_of_headers(tmp_path):
    def odd(name, *arguments, **options):
        return record(HOME + name, message(*arguments, **options))

    content = [
        odd("http2", b"<p>2</p>", "content-type: text/html", "content-length: 999", status="HTTP/2 200"),
        odd("chunked", b"<p>not chunked</p>", "Transfer-Encoding: chunked"),
        odd("gzip", b"<p>decoded</p>", "Content-Encoding: gzip"),
        odd("both", b"5\r\nhello\r\n0\r\n\r\n", "transfer-encoding: Chunked", "Connection: close"),
    ]
    captures = opened(written(tmp_path / "a.warc.gz", compressed(content)))
    found = {name: bodies(captures, HOME + name)[0] for name in ("http2", "chunked", "gzip", "both")}
    assert found == {
        "http2": b"<p>2</p>",
        "chunked": b"<p>not chunked</p>",
        "gzip": b"<p>decoded</p>",
        "both": b"hello",
    }
    for name in found:
        (capture,) = done(captures.find(HOME + name))
        left = {header.lower() for header, _ in done(captures.read(capture)).headers}
        assert left <= {b"content-type"}


def test_bodies_are_bounded_and_cut_ones_marked(tmp_path):
    content = [
        record(HOME + "long", message(b"x" * 300_000)),
        record(HOME + "short", message(b"x" * 1000)),
        record(HOME + "truncated", message(b"x"), WARC_Truncated="length"),
    ]
    captures = opened(written(tmp_path / "a.warc.gz", compressed(content)), max_bytes=1000)
    found = [
        done(captures.read(one)) for name in ("long", "short", "truncated") for one in done(captures.find(HOME + name))
    ]
    assert [(len(one.body), one.is_cut) for one in found] == [(1000, True), (1000, False), (1, True)]


# ------------------------------------------------------------------------------------------------------ looking up


def test_variants_of_an_address_are_one_in_the_order_of_time(place):
    written(place / "b.warc.gz", warc({"https://www.example.org/a/": b"second"}, time="2015-01-01T00:00:00Z"))
    written(place / "c.warc.gz", warc({"http://example.org:80/a": b"first"}, time="2014-01-01T00:00:00Z"))
    written(place / "d.warc.gz", warc({"http://example.org/ab": b"other", "http://example.org/a?x": b"other"}))
    captures = opened(place)
    assert bodies(captures, "http://example.org/a") == [b"first", b"second"]
    assert bodies(captures, "http://example.org/b") == []


def test_letter_case_counts_where_the_place_has_it(tmp_path):
    captures = opened(written(tmp_path / "a.warc.gz", warc({HOME + "A": b"upper", HOME + "a": b"lower"})))
    assert bodies(captures, HOME + "A") == [b"upper"]
    assert bodies(captures, HOME + "a/") == [b"lower"]
    captures = opened(written(tmp_path / "b.warc.gz", warc({HOME + "A": b"upper"})))
    assert bodies(captures, HOME + "a") == [b"upper"]


def test_pages_of_a_host_and_of_a_folder(tmp_path):
    names = ["", "ann", "ann/1", "ann?p=2", "ann-marie", "bo/1"]
    others = ["http://x.example.org/", "http://example.org.x/", "http://example.orga/"]
    captures = opened(
        written(tmp_path / "a.warc.gz", warc(dict.fromkeys([HOME + name for name in names] + others, b"x")))
    )
    found = [one.url for one in done(captures.pages("https://www.example.org"))]
    assert sorted(found) == sorted(HOME + name for name in names)
    found = [one.url for one in done(captures.pages(HOME + "Ann/"))]
    assert found == [HOME + "ann", HOME + "ann/1", HOME + "ann?p=2"]


def test_feeds_below_a_home_page_in_the_order_of_time(place):
    def feed(path, day, mime="application/rss+xml"):
        head = message(b"<rss/>", f"Content-Type: {mime}; charset=utf-8")
        return record(f"http://example.org{path}", head, time=f"2014-05-{day}T00:00:00Z")

    written(place / "a.warc.gz", compressed([feed("/blog/b.xml", "03"), feed("/blog/c", "01", "text/xml")]))
    others = [feed("/blog/page", "01", "text/html"), feed("/rss", "01"), feed("/blog/x.svg", "01", "image/svg+xml")]
    written(place / "b.warc.gz", compressed([feed("/blog/b.xml", "02"), *others]))
    found = done(opened(place).feeds("https://example.org/blog/"))
    assert [(one.url, one.time.day) for one in found] == [
        ("http://example.org/blog/c", 1),
        ("http://example.org/blog/b.xml", 2),
        ("http://example.org/blog/b.xml", 3),
    ]


# ---------------------------------------------------------------------------------------------------- revisits


def revisit(url, time="2015-05-02T10:00:00Z", head=b"", **fields):
    return record(url, head, kind="revisit", time=time, WARC_Profile="x", **fields)


def test_revisits_are_resolved(tmp_path):
    own = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\nB: c\r\n\r\n"
    original = record(
        HOME, message(gzip.compress(b"<p>home</p>"), "Content-Encoding: gzip"), WARC_Payload_Digest="sha1:A"
    )
    refers = {"WARC_Refers_To_Target_URI": HOME, "WARC_Refers_To_Date": TIME}
    content = [
        original,
        revisit(HOME + "named", head=own, WARC_Payload_Digest="sha1:A", **refers),
        revisit(HOME, WARC_Payload_Digest="sha1:A"),
        revisit(HOME, "2016-01-01T00:00:00Z", head=b"HTTP/1.1 304 Not Modified\r\nA: b\r\n\r\n"),
        revisit(HOME + "lost", WARC_Payload_Digest="sha1:B"),
        revisit(HOME + "loop", WARC_Payload_Digest="sha1:C"),
        revisit(HOME + "loop", "2016-01-01T00:00:00Z", WARC_Payload_Digest="sha1:C"),
    ]
    captures = opened(written(tmp_path / "a.warc.gz", compressed(content)))
    (named,) = done(captures.find(HOME + "named"))
    assert (named.status, named.mime) == (200, "text/html")
    response = done(captures.read(named))
    assert (response.body, response.capture, response.headers[1:]) == (b"<p>home</p>", named, ((b"B", b"c"),))
    found = done(captures.find(HOME))
    assert [(one.status, one.mime) for one in found] == [(200, ""), (0, ""), (304, "")]
    assert [(one.status, one.body) for one in (done(captures.read(one)) for one in found)] == [
        (200, b"<p>home</p>")
    ] * 3
    for name in ("lost", "loop"):
        for one in done(captures.find(HOME + name)):
            with pytest.raises(DamagedCapture, match="refers to"):
                done(captures.read(one))


def test_revisits_as_warcio_writes_them(tmp_path):
    file = io.BytesIO()
    writer = WARCWriter(file, gzip=True)
    file.write(warc({HOME: b"<p>home</p>"}))
    revisit_record = writer.create_revisit_record(HOME + "again", "sha1:X", HOME, TIME)
    writer.write_record(revisit_record)
    captures = opened(written(tmp_path / "a.warc.gz", file.getvalue()))
    assert bodies(captures, HOME + "again") == [b"<p>home</p>"]


# ------------------------------------------------------------------------------------------------------- damage


def offsets(content):
    """Where the records of a file begin that warcio wrote."""
    sign = b"\x1f\x8b\x08" if content.startswith(b"\x1f\x8b") else b"WARC/1."
    return [place for place in range(len(content)) if content.startswith(sign, place)]


DAMAGES = {
    "body": lambda content, start, end: content[: end - 30] + b"\xff" * 20 + content[end - 10 :],
    "beginning": lambda content, start, end: content[:start] + bytes(12) + content[start + 12 :],
    "part is missing": lambda content, start, end: content[: start + 100] + content[end - 20 :],
    "junk before": lambda content, start, end: content[:start] + bytes(5000) + content[start:],
    "second half is missing": lambda content, start, end: content[: (start + end) // 2] + content[end:],
}


@pytest.mark.parametrize("is_compressed", [True, False])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_record_costs_itself_alone(tmp_path, damage, is_compressed):
    content = warc(PAGES, is_compressed=is_compressed)
    start, end = offsets(content)[3:5]
    captures = opened(written(tmp_path / "a.warc.gz", DAMAGES[damage](content, start, end)))
    others = {url: [body] for url, body in PAGES.items() if url != f"{HOME}2"}
    assert {url: bodies(captures, url) for url in others} == others
    is_noticed = is_compressed or damage != "body"  # nothing but a digest would show it
    assert captures.state.damaged == is_noticed
    is_kept = not is_noticed or damage == "junk before"
    assert len(done(captures.find(f"{HOME}2"))) == is_kept


@pytest.mark.parametrize("form", FORMS)
def test_a_file_that_ends_within_a_record(tmp_path, form):
    content = in_form(form)
    cut = {
        "gz": lambda: content[: offsets(content)[-1] + 100],
        "plain": lambda: content[:-500],
        "whole": lambda: content[:-60],
    }
    captures = opened(written(tmp_path / "a.warc.gz", cut[form]()))
    assert captures.state.damaged == 1
    assert 3 <= len(urls(captures)) <= 5
    assert [bodies(captures, url) for url in urls(captures)] == [[PAGES[url]] for url in urls(captures)]


@pytest.mark.parametrize("is_compressed", [True, False])
def test_a_damaged_arc_record_costs_itself_alone(tmp_path, is_compressed):
    pages = {url: message(body) for url, body in PAGES.items()}
    content = arc(pages, is_compressed=is_compressed)
    sign = b"\x1f\x8b\x08" if is_compressed else HOME.encode()
    start, end = [place for place in range(len(content)) if content.startswith(sign, place)][3:5]
    captures = opened(written(tmp_path / "a.arc", content[: start + 50] + b"\0" * 9 + content[end - 20 :]))
    assert captures.state.damaged == 1
    assert len(urls(captures)) == 5
    assert [bodies(captures, url) for url in urls(captures)] == [[PAGES[url]] for url in urls(captures)]


@pytest.mark.parametrize("is_compressed", [True, False])
def test_random_damage_is_no_error(tmp_path, is_compressed):
    chance = random.Random(1)
    for number in range(20):
        content = bytearray(warc(PAGES, is_compressed=is_compressed))
        for _ in range(chance.randrange(1, 20)):
            place = chance.randrange(len(content))
            content[place : place + chance.randrange(30)] = chance.randbytes(chance.randrange(30))
        captures = opened(written(tmp_path / f"{number}.warc.gz", bytes(content)))
        for row in captures.rows():
            for capture in done(captures.find(row.url)):
                with suppress(DamagedCapture):
                    assert done(captures.read(capture)).capture == capture
        captures.close()


def test_a_damaged_package_costs_itself_alone(place):
    wacz(place / "a.wacz", {"archive/data.warc.gz": warc(PAGES)})
    content = (place / "a.wacz").read_bytes()
    (place / "a.wacz").write_bytes(content[:-50])
    written(place / "b.wacz", b"nothing")
    written(place / "c.warc.gz", b"")
    written(place / "d.warc.gz", warc({HOME: b"home"}))
    captures = opened(place)
    assert urls(captures) == [HOME, *PAGES]  # what is stored in a package can be read without its list of files
    assert bodies(captures, f"{HOME}3") == [page(3)]
    assert captures.state.damaged >= 1


@pytest.mark.parametrize("is_compressed", [True, False])
@pytest.mark.parametrize("damage", ["body", "beginning", "part is missing"])
def test_each_damaged_record_is_counted(tmp_path, damage, is_compressed):
    content = warc(PAGES, is_compressed=is_compressed)
    places = offsets(content)
    for number in (5, 3, 2):  # the pages 4, 2 and 1
        start, end = places[number : number + 2]
        content = DAMAGES["part is missing" if not is_compressed and damage == "body" else damage](content, start, end)
    captures = opened(written(tmp_path / "a.warc.gz", content))
    assert {url: bodies(captures, url) for url in urls(captures)} == {HOME + n: [PAGES[HOME + n]] for n in "035"}
    assert captures.state.damaged == (3 if is_compressed and damage == "body" else captures.state.damaged)
    assert 2 <= captures.state.damaged <= 3


def test_records_that_claim_more_than_the_file_has_are_not_read_to_its_end(tmp_path):
    claiming = b"".join(record(f"{HOME}{number}", b"x", length=10**12) for number in range(5000))
    file = written(tmp_path / "a.warc", claiming + record(HOME + "good", message(b"good")) + bytes(30_000_000))
    before = time.process_time()
    captures = opened(file)
    assert (bodies(captures, HOME + "good"), captures.state.damaged) == ([b"good"], 5001)
    assert time.process_time() - before < 30  # 150 GB would be read otherwise


def test_records_within_bodies_are_text(tmp_path):
    inner = warc({HOME + "inner": b"inner"}, is_compressed=False)
    content = record(HOME + "a", message(inner)) + record(HOME + "b", message(inner))
    captures = opened(written(tmp_path / "a.warc", content))
    assert (urls(captures), captures.state.damaged) == ([HOME + "a", HOME + "b"], 0)
    assert bodies(captures, HOME + "b") == [inner]


def test_an_arc_record_with_a_wrong_length_costs_itself_alone(tmp_path):
    content = arc({url: message(body) for url, body in PAGES.items()})
    place = content.index(b"Page 3.")
    captures = opened(written(tmp_path / "a.arc", content[:place] + content[place + 100 :]))
    assert (captures.state.damaged, urls(captures)) == (1, [url for url in PAGES if url != HOME + "3"])


def test_a_missing_place_is_wrong_usage(tmp_path):
    with pytest.raises(BadArgument, match="no file or folder"):
        opened(tmp_path / "nothing", tmp_path)


def test_a_file_that_is_missing_later(place):
    written(place / "a.warc.gz", warc(PAGES))
    opened(place).close()
    (place / "a.warc.gz").unlink()
    captures = opened(place)
    assert captures.state.missing == 1
    (capture,) = done(captures.find(f"{HOME}1"))
    with pytest.raises(DamagedCapture, match="No such file"):
        done(captures.read(capture))
    shutil.rmtree(place.parent / "index")
    assert urls(opened(place)) == []
