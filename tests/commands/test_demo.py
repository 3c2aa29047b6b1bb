"""`blogcrawler demo FOLDER`."""

from __future__ import annotations

import re

import pytest

from tests.crawl.running import PROGRAM, has_traceback, kept, read_records, run
from tests.demo.truth import truth


@pytest.mark.slow
def test_from_nothing_to_records(tmp_path):
    outcome = run(tmp_path, [*PROGRAM, "demo", "my-folder"], anew=True)
    assert outcome.code == 0, outcome.stderr
    assert outcome.seconds < 60
    assert outcome.stderr == ""
    folder = tmp_path / "my-folder"
    records = read_records(folder / "posts.jsonl")
    assert sorted(record["title"] for record in records) == sorted(post["title"] for post in truth())
    assert len(kept(folder / "archive")) == 24
    assert run(folder, [*PROGRAM, "verify"]).code == 0, "commands in the folder find the archive"
    assert not re.search(r"\b24\b", outcome.stdout.partition("Records")[0]), "the table comes after the crawl"
    words = " ".join(outcome.stdout.replace("│", " ").split())
    assert all(post["author"] in words and post["published"][:10] in words for post in truth())
    assert "my-folder/posts.jsonl" in words
    assert [file.name for file in tmp_path.iterdir() if file.name not in {"stdout", "stderr"}] == ["my-folder"]


@pytest.mark.slow
def test_again_into_the_same_folder(tmp_path):
    first, second = (run(tmp_path, [*PROGRAM, "demo"]) for _ in range(2))
    assert (first.code, second.code) == (0, 0), second.stderr
    assert len(read_records(tmp_path / "blogcrawler-demo" / "posts.jsonl")) == 24
    log = (tmp_path / "blogcrawler-demo" / "demo.log").read_text("utf-8")
    assert log.count("24 posts from") == 1, "the log is that of the last run"


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("a file, and no folder")
    outcome = run(tmp_path, [*PROGRAM, "demo", "file/folder"])
    assert outcome.code == 1
    assert "file/folder" in outcome.stderr
    assert not has_traceback(outcome)


def test_two_folders_are_wrong_usage(tmp_path):
    outcome = run(tmp_path, [*PROGRAM, "demo", "a", "b"])
    assert outcome.code == 2
    assert [file for file in tmp_path.iterdir() if file.is_dir()] == []
