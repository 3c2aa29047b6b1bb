"""`blogcrawler export FORMAT TARGET`."""

from __future__ import annotations

import json
import signal

import pytest

from blogcrawler.backend import Archive
from blogcrawler.export import FORMATS
from blogcrawler.export.jsonl import schema
from tests.archives import save_records
from tests.commands.terminal import run_on_terminal
from tests.crawl.running import DATABASE, PROGRAM, has_traceback, run, start
from tests.export.archives import ANN, BO, LATER, URLS, a_record, filled

SINCE = LATER.date().isoformat()


def command(*arguments):
    return [*PROGRAM, "export", *arguments, "-s", f"DATABASE_URL=sqlite:///{DATABASE}"]


def export(folder, *arguments, anew=False):
    done = run(folder, command(*arguments), anew=anew)
    assert not has_traceback(done)
    return done


@pytest.fixture
def folder(tmp_path):
    with filled(tmp_path):
        return tmp_path


def urls(text):
    return [json.loads(line)["url"] for line in text.splitlines()]


def test_all_posts_go_to_a_file(folder):
    done = export(folder, "jsonl", "out.jsonl", anew=True)
    assert (done.code, done.stdout, done.stderr) == (0, "5 posts of 2 blogs exported to out.jsonl.\n", "")
    assert urls((folder / "out.jsonl").read_text("utf-8")) == URLS


def test_what_was_there_is_replaced(folder):
    (folder / "out.jsonl").write_text("before\n" * 10_000)
    assert export(folder, "jsonl", "out.jsonl", "--blog", BO).stdout == "1 post of 1 blog exported to out.jsonl.\n"
    assert urls((folder / "out.jsonl").read_text("utf-8")) == URLS[-1:]


def test_posts_go_to_standard_output_and_nothing_else_does(folder):
    done = export(folder, "jsonl", "-", "--blog", f"{ANN}feed", "--since", SINCE)
    assert (done.code, done.stderr) == (0, "")
    assert urls(done.stdout) == URLS[:1]


def test_the_schema_needs_no_archive(tmp_path):
    done = export(tmp_path, "schema", "-")
    assert (done.code, done.stdout, done.stderr) == (0, schema(), "")
    assert export(tmp_path, "schema", "record.schema.json").code == 0
    assert (tmp_path / "record.schema.json").read_text("utf-8") == schema()
    assert not (tmp_path / DATABASE).exists()


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((), 2, "export jsonl posts.jsonl"),
        (("jsonl",), 2, "export jsonl posts.jsonl"),
        (("jsonl", ""), 2, "export jsonl posts.jsonl"),
        (("jsonl", "a", "b"), 2, "export jsonl posts.jsonl"),
        (("yaml", "a.yaml"), 2, f"no format 'yaml'. Formats: {', '.join(FORMATS)}, schema"),
        (("jsonl", "out", "--since", "yesterday"), 2, "'yesterday' is not a time"),
        (("jsonl", "out", "--since", "2999-01-01"), 2, "is in the future"),
        (("jsonl", "out", "--blog", "ftp://x.example.org/"), 2, "ftp"),
        (("jsonl", "out", "--blog", "http://cy.example.org/"), 1, "The archive has no blog at http://cy.example.org/"),
        (("jsonl", "."), 2, "is a folder"),
        (("schema", "."), 2, "is a folder"),
        (("jsonl", "no/where.jsonl"), 1, "no/where.jsonl cannot be written"),
        (("bagit", "-"), 2, "give the name of a folder"),
        (("bagit", "."), 2, "contains other files"),
        (("jsonl", "out", "--bag-info", "Contact-Name=Ann"), 2, "works with the format bagit only"),
        (("jsonl", "out", "--media-url", "http://x.example.org/"), 2, "works with the format wxr only"),
        (("wxr", "out", "--media-url", "/media"), 2, "must be an http or https URL, not '/media'"),
        (("bagit", "out", "--bag-info", "Contact-Name"), 2, "takes LABEL=VALUE"),
        (("bagit", "out", "--bag-info", "Contact\nName=Ann"), 2, "takes LABEL=VALUE"),
        (("bagit", "out", "--bag-info", "Payload-Oxum=1.1"), 2, "Payload-Oxum is computed from the bag"),
        (("jsonl", DATABASE), 2, "is the archive itself"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_what_cannot_be_done_is_told_in_a_sentence(folder, arguments, code, said):
    before = sorted(file.name for file in folder.iterdir() if file.name not in ("stdout", "stderr"))
    done = export(folder, *arguments)
    assert (done.code, done.stdout, len(done.sentences), len(done.stderr.splitlines())) == (code, "", 1, 1)
    assert said in done.sentences[0]
    assert not done.sentences[0].startswith("blogcrawler: ("), "the sentence, not the arguments of an error"
    assert sorted(file.name for file in folder.iterdir() if file.name not in ("stdout", "stderr")) == before


def test_without_an_archive(tmp_path):
    done = export(tmp_path, "jsonl", "out.jsonl")
    assert (done.code, len(done.sentences)) == (1, 1)
    assert "There is no archive" in done.sentences[0]
    assert not (tmp_path / "out.jsonl").exists()


def test_an_interruption_is_told_and_leaves_what_was_there(tmp_path):
    with Archive.open(f"sqlite:///{tmp_path / DATABASE}") as archive:
        save_records(archive, [a_record(f"{n}", content_text="tea " * 20_000) for n in range(400)], now=LATER)
    (tmp_path / "out.jsonl").write_text("before")
    process = start(tmp_path, command("jsonl", "out.jsonl"))
    while process.poll() is None and not any(part.stat().st_size for part in tmp_path.glob(".out.jsonl.*")):
        pass
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 130
    told = (tmp_path / "stderr").read_text()
    assert told == "blogcrawler: Interrupted. out.jsonl is unchanged.\n"
    assert (tmp_path / "out.jsonl").read_text() == "before"
    assert not list(tmp_path.glob(".out.jsonl.*"))


def test_a_terminal_shows_how_far_it_is(folder):
    shown = run_on_terminal(folder, command("jsonl", "out.jsonl"))
    assert shown.code == 0
    assert "posts exported" in shown.text
    assert "5/5" in shown.text
    assert "5 posts of 2 blogs exported to out.jsonl." in shown.text


def test_what_a_bag_says(folder):
    settings = ("-s", "ORGANISATION=Library of Tea", "-s", "CONTACT=ann@example.org", "-s", "ARCHIVE=.")
    done = export(folder, "bagit", "bag", "--bag-info", "Contact-Name=Ann = Moe", *settings)
    assert (done.code, done.stdout, done.stderr) == (0, "5 posts of 2 blogs exported to bag.\n", "")
    info = (folder / "bag" / "bag-info.txt").read_text("utf-8")
    assert info.startswith(
        "Source-Organization: Library of Tea\nContact-Name: Ann = Moe\nContact-Email: ann@example.org\n"
    )


def test_a_file_that_is_not_in_a_bag_is_told(folder):
    done = export(folder, "bagit", "bag", "-s", "ARCHIVE=elsewhere")
    assert done.code == 0
    assert done.stderr.startswith("1 file or page is missing from the export: sha256/")
    assert "(No such file or directory)" in done.stderr
