"""Exports of a real crawl: what they hold is what the blog says, and what the documentation shows."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from zipfile import ZipFile

import bagit
import pytest
from jsonschema import Draft202012Validator

from blogcrawler.backend import Archive, FileStore
from blogcrawler.demo import DemoServer
from blogcrawler.export import FORMATS, Selection
from blogcrawler.export.jsonl import schema
from tests.crawl.running import DATABASE, RECORDS, crawl
from tests.export.test_site import broken_links

pytestmark = pytest.mark.slow
PAGE = (Path(__file__).parents[2] / "docs" / "export.md").read_text("utf-8")
SHOWN = "http://blog.example.org/"


class Exported:
    """A folder with a crawl of the demonstration blog, and an export in each format, named as the format."""

    def __init__(self, folder):
        self.folder = folder
        with DemoServer() as server:
            self.home = server.url
            self.records = crawl(folder, server.url, ARCHIVE=folder, WARC=True).records
        with Archive.open(f"sqlite:///{folder / DATABASE}", make=False) as archive:
            for name, made in FORMATS.items():
                chosen = Selection.of(archive, files=FileStore(folder), warcs=folder / "warc")
                made.export(chosen, str(folder / name))

    def text(self, name):
        """What a text has, as if the blog were that of the documentation."""
        return (self.folder / name).read_text("utf-8").replace(self.home, SHOWN)

    def below(self, name):
        """The files and folders of an export that is a folder."""
        return [file.relative_to(self.folder).as_posix() for file in sorted((self.folder / name).rglob("*"))]


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    return Exported(tmp_path_factory.mktemp("demo"))


def section(name):
    """What the documentation says of a format."""
    return re.split(r"^## ", PAGE.partition(f"\n## {name}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]


def holds(text, example):
    """Does a text hold an example's parts, one after the other? White space apart, and what `…` stands for."""
    place, text = 0, "".join(text.split())
    for part in filter(None, "".join(example.split()).split("…")):
        place = text.find(part, place) + len(part)
        if place < len(part):
            return False
    return True


def test_each_format_is_documented():
    assert [name for name in FORMATS if not section(name)] == []
    assert re.findall(r"^\| \[`(\w+)`\]", PAGE, re.MULTILINE) == list(FORMATS)


@pytest.mark.parametrize(
    ("name", "language"), [("jsonl", "json"), ("csv", "csv"), ("jsonld", "json"), ("dc", "xml"), ("marcxml", "xml")]
)
def test_what_the_documentation_shows_is_what_comes(exported, name, language):
    examples = re.findall(rf"```{language}\n(.*?)```", section(name), re.DOTALL)
    assert examples
    for example in examples:
        assert holds(exported.text(name), example)


def test_the_bag_is_whole_and_says_what_is_shown(exported):
    (listed, info) = re.findall(r"```text\n(.*?)```", section("bagit"), re.DOTALL)
    assert bagit.Bag(str(exported.folder / "bagit")).validate(processes=1)
    assert holds(exported.text("bagit/bag-info.txt"), info)
    assert holds("\n".join(exported.below("bagit")), listed)


def test_a_mets_document_is_what_is_shown(exported):
    documents = {name: exported.text(name) for name in exported.below("mets") if name.endswith("mets.xml")}
    assert len(documents) == len(exported.records) + 1, "one for each post, and one for the blog"
    listed, example = re.findall(r"```(?:text|xml)\n(.*?)```", section("mets"), re.DOTALL)
    (shown,) = (name for name, text in documents.items() if ">Mending a cookery book<" in text)
    assert holds(documents[shown], example)
    assert holds("\n".join(exported.below(str(Path(shown).parent))), listed)


def test_a_site_has_the_files_that_are_shown_and_every_post(exported):
    (listed,) = re.findall(r"```text\n(.*?)```", section("site"), re.DOTALL)
    assert holds("\n".join(exported.below("site")), listed)
    posts = list((exported.folder / "site" / "posts").iterdir())
    assert len(posts) == len(exported.records)
    assert list(broken_links(exported.folder / "site")) == []


def test_a_collection_for_replay_has_every_post_and_what_is_shown(exported):
    listed, pages = re.findall(r"```(?:text|json)\n(.*?)```", section("wacz"), re.DOTALL)
    with ZipFile(exported.folder / "wacz") as file:
        assert holds("\n".join(file.namelist()), listed)
        text = file.read("pages/pages.jsonl").decode().replace(exported.home, SHOWN)
    assert holds(text, pages)
    assert len(text.splitlines()) == 1 + len(exported.records)


def test_a_book_has_a_chapter_for_every_post_and_the_contents_that_are_shown(exported):
    listed, contents = re.findall(r"```(?:text|xml)\n(.*?)```", section("epub"), re.DOTALL)
    with ZipFile(exported.folder / "epub") as file:
        assert holds("\n".join(file.namelist()), listed)
        assert holds(file.read("EPUB/nav.xhtml").decode(), contents)
        chapters = [name for name in file.namelist() if name.startswith("EPUB/posts/")]
    assert len(chapters) == len(exported.records)


def test_what_wordpress_imports_is_what_is_shown(exported):
    listed, item = re.findall(r"```(?:text|xml)\n(.*?)```", section("wxr"), re.DOTALL)
    assert holds("\n".join(exported.below("wxr")), listed)
    (name,) = (name for name in exported.below("wxr") if name.endswith(".xml"))
    assert holds(exported.text(name), item)


def test_jsonl_has_the_lines_that_the_crawl_wrote(exported):
    lines = (exported.folder / "jsonl").read_bytes().splitlines()
    assert sorted(lines) == sorted((exported.folder / RECORDS).read_bytes().splitlines())


def test_the_records_of_a_crawl_fulfil_the_schema(exported):
    validator = Draft202012Validator(json.loads(schema()))
    assert len(exported.records) == 24
    assert any(record["comments"] for record in exported.records)
    for record in exported.records:
        validator.validate(record)


def test_the_question_to_the_database_has_the_answer_that_is_shown(exported):
    (question,), (answer,) = (
        re.findall(rf"```{kind}\n(.*?)```", section("sqlite"), re.DOTALL) for kind in ("sql", "text")
    )
    with closing(sqlite3.connect(exported.folder / "sqlite")) as database:
        rows = database.execute(question).fetchall()
    assert answer.splitlines() == ["|".join(cell or "" for cell in row) for row in rows]


def test_the_program_that_reads_columns_prints_what_is_shown(exported, capsys, monkeypatch):
    (program,), (printed,) = (
        re.findall(rf"```{kind}\n(.*?)```", section("parquet"), re.DOTALL) for kind in ("python", "text")
    )
    (exported.folder / "posts.parquet").symlink_to("parquet")
    monkeypatch.chdir(exported.folder)
    exec(program, {})
    assert sorted(capsys.readouterr().out.splitlines()) == sorted(printed.splitlines())
