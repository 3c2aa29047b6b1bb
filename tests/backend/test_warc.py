"""WARC files: what is written is what was sent, other tools read it, and a killed process loses nothing."""

from __future__ import annotations

import gzip
import hashlib
import random
import subprocess
import sys
import time
from contextlib import closing
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from blogcrawler.backend.warc import OPEN, Exchange, WarcStore
from blogcrawler.errors import BackendUnavailable

URL = "http://blog.example.org/2014/a-post/"
AT = datetime(2026, 11, 23, 9, 30, 0, 123456, tzinfo=UTC)
REQUEST = b"GET /2014/a-post/ HTTP/1.1\r\nHost: blog.example.org\r\nUser-Agent: blogcrawler\r\n\r\n"
HEAD = b'HTTP/1.1 200 Very OK\r\nsErVer: x\r\nSet-Cookie: a=1\r\nSet-Cookie:b=2\r\nETag: "1"\r\n\r\n'


def exchange(body=b"<p>A post.</p>", *, url=URL, head=HEAD, request=REQUEST, status=200, **more):
    return Exchange(url, request, head, status, body, AT, **more)


def store(folder, *, max_bytes=1 << 30):
    return WarcStore(folder, max_bytes=max_bytes, info={"software": "blogcrawler", "robots": "classic"})


def files(folder):
    return sorted(folder.glob("*.warc.gz"))


def read(file):
    """(type, header of the record, block) of each record of a file, with all digests checked."""
    with file.open("rb") as stream:
        found = [
            (record.rec_type, record.rec_headers.get_header, record.raw_stream.read())
            for record in ArchiveIterator(stream, no_record_parse=True)
        ]
    with file.open("rb") as stream:
        for record in ArchiveIterator(stream, check_digests="raise"):
            record.raw_stream.read()
            assert record.rec_headers.protocol == "WARC/1.1"
            assert record.rec_type == "revisit" or record.digest_checker.passed
    return found


def record_at(folder, place):
    name, _, offset = place.partition("#")
    with (folder / name).open("rb") as stream:
        stream.seek(int(offset))
        record = next(iter(ArchiveIterator(stream)))
        return record, record.content_stream().read()


def written(folder, *exchanges, **more):
    kept = store(folder, **more)
    places = [kept.keep(one) for one in exchanges]
    kept.close()
    return places


def test_an_exchange_is_kept_byte_by_byte(tmp_path):
    (place,) = written(tmp_path, exchange(ip="192.0.2.7"))
    (file,) = files(tmp_path)
    (info, response, request) = read(file)
    assert [info[0], response[0], request[0]] == ["warcinfo", "response", "request"]
    assert response[2] == HEAD + b"<p>A post.</p>"
    assert request[2] == REQUEST
    header = response[1]
    assert header("WARC-Target-URI") == URL
    assert header("WARC-Date") == "2026-11-23T09:30:00.123Z"
    assert header("WARC-IP-Address") == "192.0.2.7"
    assert header("Content-Type") == "application/http; msgtype=response"
    assert header("WARC-Payload-Digest") == f"sha256:{hashlib.sha256(b'<p>A post.</p>').hexdigest()}"
    assert header("WARC-Block-Digest") == f"sha256:{hashlib.sha256(response[2]).hexdigest()}"
    assert request[1]("WARC-Concurrent-To") == header("WARC-Record-ID")
    assert info[1]("WARC-Filename") == file.name
    assert b"software: blogcrawler\r\n" in info[2]
    assert header("WARC-Warcinfo-ID") == info[1]("WARC-Record-ID")
    record, body = record_at(tmp_path, place)
    assert (record.rec_type, body) == ("response", b"<p>A post.</p>")
    assert record.http_headers.get_header("server") == "x"
    assert [value for name, value in record.http_headers.headers if name == "Set-Cookie"] == ["a=1", "b=2"]


def test_compressed_bodies_stay_as_sent_and_chunks_are_named_as_what_was(tmp_path):
    sent = gzip.compress(b"<p>A post.</p>" * 99)
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTRANSFER-ENCODING: chunked\r\n\r\n"
    (place,) = written(tmp_path, exchange(sent, head=head))
    record, body = record_at(tmp_path, place)
    assert body == b"<p>A post.</p>" * 99
    assert record.http_headers.get_header("X-Archive-Orig-Transfer-Encoding") == "chunked"
    block = read(files(tmp_path)[0])[1][2]
    assert block == head.replace(b"TRANSFER", b"X-Archive-Orig-TRANSFER") + sent


def test_a_body_that_breaks_off_is_told(tmp_path):
    written(tmp_path, exchange(gzip.compress(b"A post")[:-9], truncated="disconnect"))
    assert read(files(tmp_path)[0])[1][1]("WARC-Truncated") == "disconnect"


def test_secrets_of_the_operator_are_not_kept(tmp_path):
    request = REQUEST.replace(b"Host:", b"AUTHORIZATION: Basic c2VjcmV0\r\n folded\r\nCookie: secret=1\r\nHost:")
    written(tmp_path, exchange(url="http://me:secret@blog.example.org/#secret", request=request))
    _, response, asked = read(files(tmp_path)[0])
    assert asked[2] == REQUEST
    assert response[1]("WARC-Target-URI") == asked[1]("WARC-Target-URI") == "http://blog.example.org/"


@given(
    bodies=st.lists(st.binary(max_size=300), min_size=1, max_size=6),
    headers=st.lists(st.binary(max_size=20).filter(lambda line: not set(line) & set(b"\r\n") and line), max_size=4),
)
def test_whatever_is_sent_is_read_back(tmp_path_factory, bodies, headers):
    folder = tmp_path_factory.mktemp("warc")
    head = b"\r\n".join([b"HTTP/1.1 200 OK", *(b"X-" + line for line in headers), b"", b""])
    sent = [exchange(body, url=f"{URL}{number}", head=head) for number, body in enumerate(bodies)]
    places = written(folder, *sent, max_bytes=1500)
    blocks = [record[2] for file in files(folder) for record in read(file) if record[0] == "response"]
    assert blocks == [head + body for body in bodies]
    assert [record_at(folder, place)[0].rec_headers.get_header("WARC-Target-URI") for place in places] == [
        one.url for one in sent
    ]


def test_files_are_bounded(tmp_path):
    chaos = random.Random(1)
    written(tmp_path, *(exchange(chaos.randbytes(3000), url=f"{URL}{number}") for number in range(20)), max_bytes=9000)
    assert len(files(tmp_path)) > 6
    for file in files(tmp_path):
        assert file.stat().st_size <= 9000
        assert read(file)[0][0] == "warcinfo"
    written(tmp_path / "big", exchange(chaos.randbytes(20_000)), exchange(b"", url=f"{URL}2"), max_bytes=9000)
    assert len(files(tmp_path / "big")) == 2


def test_a_body_that_has_not_changed_is_not_kept_twice(tmp_path):
    first, again = written(tmp_path, exchange(), exchange())
    (later,) = written(tmp_path, exchange())
    assert first == again == later
    records = [record for file in files(tmp_path) for record in read(file)]
    original = next(header for kind, header, _ in records if kind == "response")
    revisits = [(header, block) for kind, header, block in records if kind == "revisit"]
    assert len(revisits) == 2
    for header, block in revisits:
        assert header("WARC-Profile") == "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
        assert header("WARC-Refers-To") == original("WARC-Record-ID")
        assert header("WARC-Refers-To-Target-URI") == original("WARC-Target-URI")
        assert header("WARC-Refers-To-Date") == original("WARC-Date")
        assert header("WARC-Payload-Digest") == original("WARC-Payload-Digest")
        assert header("WARC-Truncated") == "length"
        assert block == HEAD
    (changed,) = written(tmp_path, exchange(b"<p>Another text.</p>"))
    assert record_at(tmp_path, changed)[1] == b"<p>Another text.</p>"


def test_not_modified_refers_to_what_is_kept(tmp_path):
    unchanged = exchange(b"", status=304, head=b'HTTP/1.1 304 Not Modified\r\nETag: "2"\r\n\r\n')
    kept = store(tmp_path)
    assert kept.keep(unchanged) is None
    assert not kept.knows(URL, etag='"1"', modified="")
    place = kept.keep(exchange())
    assert kept.knows(URL, etag='"1"', modified="")
    assert not kept.knows(URL, etag='"0"', modified="")
    assert not kept.knows(URL, etag="", modified="")
    assert kept.keep(unchanged) == place
    assert kept.knows(URL, etag='"2"', modified="")
    kept.close()
    response, _, revisit, _ = read(files(tmp_path)[0])[1:]
    assert revisit[0] == "revisit"
    assert revisit[1]("WARC-Profile") == "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
    assert revisit[1]("WARC-Refers-To-Date") == response[1]("WARC-Date")
    assert revisit[1]("WARC-Payload-Digest") is None
    assert (revisit[1]("Content-Length"), revisit[2]) == ("0", b"")


def test_only_whole_pages_are_referred_to(tmp_path):
    cut = exchange(truncated="disconnect")
    error = exchange(status=404, head=HEAD.replace(b"200", b"404"))
    posted = exchange(request=REQUEST.replace(b"GET", b"POST"), request_body=b"q=1")
    for number, one in enumerate((cut, error, posted)):
        written(tmp_path / str(number), one, one)
        assert [record[0] for record in read(files(tmp_path / str(number))[0])].count("response") == 2


def test_views_of_pages_are_resources(tmp_path):
    kept = store(tmp_path)
    place = kept.keep_view(f"urn:view:{URL}", "text/html; charset=utf-8", b"<p>Shown.</p>", AT)
    assert kept.keep_view(f"urn:view:{URL}", "text/html; charset=utf-8", b"<p>Shown.</p>", AT) == place
    kept.close()
    _, view = read(files(tmp_path)[0])
    assert (view[0], view[1]("Content-Type"), view[2]) == ("resource", "text/html; charset=utf-8", b"<p>Shown.</p>")
    assert view[1]("WARC-Target-URI") == f"urn:view:{URL}"
    assert record_at(tmp_path, place)[1] == b"<p>Shown.</p>"


def test_the_index_may_be_deleted_or_damaged(tmp_path):
    written(tmp_path, exchange())
    (tmp_path / "index.db").write_bytes(b"no database" * 99)
    (place,) = written(tmp_path, exchange())
    assert record_at(tmp_path, place)[1] == b"<p>A post.</p>"


def test_what_files_had_that_are_not_there_any_more_is_kept_once_more(tmp_path):
    with_etag = exchange(head=HEAD.replace(b"\r\n\r\n", b'\r\nETag: "1"\r\n\r\n'))
    (first,) = written(tmp_path, with_etag)
    (tmp_path / first.partition("#")[0]).unlink()
    with closing(store(tmp_path)) as warcs:
        assert not warcs.knows(URL, etag='"1"', modified="")
        place = warcs.keep(with_etag)
        assert warcs.knows(URL, etag='"1"', modified="")
    assert place != first
    assert record_at(tmp_path, place)[0].rec_type == "response"


def test_what_cannot_be_written_is_a_sentence_and_leaves_whole_records(tmp_path):
    script = f"""
import resource, signal, sys
from pathlib import Path
from tests.backend.test_warc import exchange, store
from blogcrawler.errors import BackendUnavailable
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
import random
kept, chaos = store(Path({str(tmp_path)!r})), random.Random(1)
told = []
for number in range(9):
    try:
        kept.keep(exchange(chaos.randbytes(4000), url=f"http://a.example/{{number}}"))
        print("kept")
    except BackendUnavailable as error:
        told.append(str(error))
print(told[-1])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    *kept, sentence = done.stdout.splitlines()
    assert sentence.startswith(f"The folder {tmp_path} for WARC files cannot be written")
    assert "ARCHIVE" in sentence
    written(tmp_path, exchange())
    recovered = [record[0] for file in files(tmp_path) for record in read(file)]
    assert recovered.count("response") == len(kept) + 1
    assert 3 <= len(kept) <= 4


def test_a_folder_that_cannot_be_made_is_a_sentence(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(BackendUnavailable, match="cannot be written"):
        store(tmp_path / "file" / "warc").keep(exchange())


# ------------------------------------------------------------------------------------------------- after a kill


def left_open(folder, data, name="blogcrawler-1-1-a-00001"):
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.warc.gz{OPEN}").write_bytes(data)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    written(folder, *(exchange(b"%d" % number * 50, url=f"{URL}{number}") for number in range(3)))
    return files(folder)[0].read_bytes()


def test_a_file_cut_anywhere_is_closed_after_its_last_whole_record(tmp_path, whole):
    ends = [0]
    for number, _ in enumerate(whole, 1):
        if number == len(whole) or whole[number : number + 4] == b"\x1f\x8b\x08\x00":
            ends.append(number)
    assert len(ends) == 8
    for cut in sorted({*range(0, len(whole), 41), *ends, *(end - 1 for end in ends[1:])}):
        folder = tmp_path / str(cut)
        left_open(folder, whole[:cut])
        written(folder, exchange())
        assert not list(folder.glob(f"*{OPEN}"))
        records = sum(end <= cut for end in ends[1:])
        closed = [file for file in files(folder) if file.name == "blogcrawler-1-1-a-00001.warc.gz"]
        assert len(closed) == (records > 1)
        assert not closed or len(read(closed[0])) == records


def test_a_file_with_noise_at_its_end_is_closed(tmp_path, whole):
    left_open(tmp_path, whole + bytes(9000))
    written(tmp_path, exchange())
    assert files(tmp_path)[0].read_bytes() == whole


def test_a_file_that_another_one_writes_is_let_alone(tmp_path):
    other = store(tmp_path)
    first = other.keep(exchange(b"One"))
    written(tmp_path, exchange(b"Two", url=f"{URL}2"))
    assert len(list(tmp_path.glob(f"*{OPEN}"))) == 1
    second = other.keep(exchange(b"Three", url=f"{URL}3"))
    other.close()
    assert [record_at(tmp_path, place)[1] for place in (first, second)] == [b"One", b"Three"]
    assert all(read(file) for file in files(tmp_path))


WRITER = """
import random, sys
from datetime import UTC, datetime
from blogcrawler.backend.warc import Exchange, WarcStore
kept, chaos = WarcStore(sys.argv[1], max_bytes=60_000, info={"software": "a test"}), random.Random()
for number in range(100_000):
    url = f"http://a.example/{sys.argv[2]}/{number}"
    request, head = b"GET / HTTP/1.1\\r\\n\\r\\n", b"HTTP/1.1 200 OK\\r\\n\\r\\n"
    place = kept.keep(Exchange(url, request, head, 200, chaos.randbytes(4000), datetime.now(UTC)))
    sys.stdout.write(place + "\\n")
    sys.stdout.flush()
"""


def test_killed_processes_lose_nothing_that_was_written(tmp_path):
    places = []
    chaos = random.Random(3)
    writer = [sys.executable, "-c", WRITER, str(tmp_path)]
    for begin in range(0, 12, 4):
        running = [
            subprocess.Popen([*writer, str(begin + number)], stdout=subprocess.PIPE, text=True) for number in range(4)
        ]
        for process in running:
            first = process.stdout.readline()
            time.sleep(chaos.random() / 20)
            process.kill()
            told, _ = process.communicate()
            assert first.endswith("\n")
            places += [line for line in (first + told).splitlines(keepends=True) if line.endswith("\n")]
    assert len(places) >= 12
    written(tmp_path, exchange())
    assert not list(tmp_path.glob(f"*{OPEN}"))
    found = {file.name for file in files(tmp_path) if read(file)}
    for place in chaos.sample(places, 40) if len(places) > 40 else places:
        assert place.partition("#")[0] in found
        assert len(record_at(tmp_path, place.strip())[1]) == 4000
