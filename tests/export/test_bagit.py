"""Bags: the Library of Congress's own program finds them whole, and a changed byte."""

from __future__ import annotations

import json
from dataclasses import replace

import bagit
import pytest
from jsonschema import Draft202012Validator

from blogcrawler.backend import FileStore
from blogcrawler.export import Selection, Sender
from blogcrawler.export.bagit import FORMAT
from blogcrawler.export.completeness import statement_of
from blogcrawler.export.jsonl import schema
from tests.export.archives import ANN, BO, DIGEST, KETTLE, LATER, NOW, URLS, a_record, bare, filled

PATH = f"sha256/{DIGEST[:2]}/{DIGEST[2:]}"
ONE, TWO, OPEN = "blogcrawler-1-00001.warc.gz", "blogcrawler-1-00002.warc.gz", "blogcrawler-2-00001.warc.gz"
SENDER = Sender(
    "Library of Tea", "mailto:ann@example.org", {"Contact-Name": ("Ann\nMoe",), "Bag-Group-Identifier": ("a", "b")}
)


def in_warc(path, blog, name):
    record = bare(path, blog)
    record.provenance.warc = f"{name}#0"
    return record


@pytest.fixture
def archive(tmp_path):
    """With WARC files that hold pages of one blog, of the other, and of a crawl that goes on."""
    warcs = tmp_path / "warc"
    warcs.mkdir()
    for name in (ONE, TWO, f"{OPEN}.open", "index.db"):
        (warcs / name).write_bytes(name.encode() * 200_000)
    with filled(tmp_path) as opened:
        opened.save_record(in_warc("one", ANN, ONE), now=NOW)
        yield opened


def export(archive, target, *addresses, **told):
    folder = archive.file.parent
    chosen = Selection.of(archive, addresses, files=FileStore(folder), warcs=folder / "warc")
    FORMAT.export(replace(chosen, **told), str(target))
    return bagit.Bag(str(target))


def names(bag):
    return sorted(name.removeprefix("data/") for name in bag.payload_files())


def test_a_bag_is_valid_and_complete(archive, tmp_path):
    bag = export(archive, tmp_path / "bag")
    assert bag.validate(processes=1)
    assert bag.version_info == (1, 0)
    assert set(bag.algorithms) == {"sha256", "sha512"}
    assert names(bag) == sorted(
        [
            "README.txt",
            "completeness.schema.json",
            "completeness/1-ann.example.org.json",
            "completeness/2-bo.example.org.json",
            f"media/{PATH}",
            "record.schema.json",
            "records/1-ann.example.org.jsonl",
            "records/2-bo.example.org.jsonl",
            f"warc/{ONE}",
            f"warc/{TWO}",
        ]
    )
    tagged = (tmp_path / "bag" / "tagmanifest-sha512.txt").read_text().splitlines()
    listed = ["bag-info.txt", "bagit.txt", "manifest-sha256.txt", "manifest-sha512.txt"]
    assert [line.split()[1] for line in tagged] == listed


@pytest.mark.parametrize(
    "name", [f"media/{PATH}", f"warc/{ONE}", "README.txt", "completeness/1-ann.example.org.json", "../bag-info.txt"]
)
def test_a_changed_byte_is_found(archive, tmp_path, name):
    bag = export(archive, tmp_path / "bag")
    file = tmp_path / "bag" / "data" / name
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    with pytest.raises(bagit.BagValidationError):
        bag.validate(processes=1)


def test_what_is_in_it(archive, tmp_path):
    export(archive, tmp_path / "bag")
    data = tmp_path / "bag" / "data"
    lines = [line for file in sorted((data / "records").iterdir()) for line in file.read_bytes().splitlines()]
    assert [json.loads(line)["url"] for line in lines] == [*URLS[:4], f"{ANN}one", URLS[4]]
    assert (data / "media" / PATH).read_bytes() == KETTLE
    assert (data / "warc" / ONE).read_bytes() == ONE.encode() * 200_000
    assert (data / "record.schema.json").read_text("utf-8") == schema()
    readme = (data / "README.txt").read_text("utf-8").splitlines()
    assert f"records/1-ann.example.org.jsonl {ANN} Ann's tea" in readme
    assert len(readme[readme.index("The blogs:") :]) == 4


def test_it_states_how_complete_each_blog_is(archive, tmp_path):
    export(archive, tmp_path / "bag")
    data = tmp_path / "bag" / "data"
    schema = json.loads((data / "completeness.schema.json").read_text("utf-8"))
    for number, blog in enumerate(archive.blogs(), 1):
        statement = json.loads((data / f"completeness/{number}-{blog.home[7:-1]}.json").read_text("utf-8"))
        Draft202012Validator(schema).validate(statement)
        assert statement == statement_of(archive, blog)


def test_warc_files_are_those_that_the_chosen_posts_name(archive, tmp_path):
    assert [name for name in names(export(archive, tmp_path / "ann", ANN)) if "warc/" in name] == [f"warc/{ONE}"]
    assert not [name for name in names(export(archive, tmp_path / "bo", BO)) if "warc/" in name]


def test_what_is_said_of_it(archive, tmp_path):
    bag = export(archive, tmp_path / "bag", sender=SENDER)
    size = sum(file.stat().st_size for file in (tmp_path / "bag" / "data").rglob("*") if file.is_file())
    assert bag.validate(processes=1)
    assert bag.info == {
        "Source-Organization": "Library of Tea",
        "Contact-Name": "Ann Moe",
        "Contact-Email": "ann@example.org",
        "External-Description": "6 posts of 2 blogs, archived from the web: records, files and WARC files",
        "Bagging-Date": LATER.date().isoformat(),
        "External-Identifier": [ANN, BO],
        "Bag-Size": f"{size / 1e6:.1f} MB",
        "Payload-Oxum": f"{size}.10",
        "Bag-Group-Identifier": ["a", "b"],
        "Bag-Count": "1 of 1",
        "Bag-Software-Agent": bag.info["Bag-Software-Agent"],
    }
    assert bag.info["Bag-Software-Agent"].startswith("blogcrawler ")


def test_what_the_sender_says_goes_first(archive, tmp_path):
    sender = Sender("Library", "http://example.org/", {"External-Identifier": ("tea-1",), "Bag-Count": ("2 of 3",)})
    info = export(archive, tmp_path / "bag", sender=sender).info
    assert (info["External-Identifier"], info["Bag-Count"]) == ("tea-1", "2 of 3")
    assert "Contact-Email" not in info


def test_what_cannot_be_had_is_left_out_and_told(archive, tmp_path):
    archive.save_record(in_warc("two", BO, OPEN), now=NOW)
    archive.save_record(in_warc("three", BO, "../archive.warc.gz"), now=NOW)
    archive.save_record(in_warc("four", BO, "lost.warc.gz"), now=NOW)
    (tmp_path / PATH).write_bytes(KETTLE[:-1] + b"?")
    lost = {}
    bag = export(archive, tmp_path / "bag", on_lost=lost.__setitem__)
    assert lost == {
        PATH: "its content does not match its digest",
        OPEN: "it is incomplete: a crawl is writing it, or was killed; the next crawl will complete it",
        "lost.warc.gz": "No such file or directory",
    }
    assert bag.validate(processes=1)
    assert [name for name in names(bag) if name.startswith(("media", "warc"))] == [f"warc/{ONE}", f"warc/{TWO}"]


def test_without_folders_of_files_that_is_told(archive, tmp_path):
    lost = {}
    bag = export(archive, tmp_path / "bag", files=None, warcs=None, on_lost=lost.__setitem__)
    assert lost == {PATH: "the folder of media files is unknown", ONE: "there is no folder of WARC files"}
    assert bag.validate(processes=1)


def test_a_bag_of_something_else_is_not_replaced(archive, tmp_path):
    export(archive, tmp_path / "bag")
    info = tmp_path / "bag" / "bag-info.txt"
    info.write_text(info.read_text().replace("Agent: blogcrawler", "Agent: another"))
    with pytest.raises(Exception, match="contains other files"):
        export(archive, tmp_path / "bag")


def test_files_of_one_folder_name_are_named_apart(tmp_path):
    with filled(tmp_path) as archive:
        for home in ("http://ann.example.org/~Bö/", f"http://{'x' * 70}.example.org/{'y' * 300}/"):
            archive.save_record(a_record("a", home), now=NOW)
        bag = export(archive, tmp_path / "bag")
    assert bag.validate(processes=1)
    found = [name.removeprefix("records/") for name in names(bag) if name.startswith("records/")]
    assert found[2] == "3-ann.example.org-b.jsonl"
    assert len(found) == 4
    assert max(map(len, found)) < 100
