"""What every format keeps to: the same bytes, whole or not at all, in bounded memory."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from blogcrawler.backend import Archive, FileStore
from blogcrawler.errors import BadArgument, NotArchived, TargetUnwritable
from blogcrawler.export import FORMATS, FolderFormat, Selection
from blogcrawler.export.format import TextFormat
from tests.export.archives import ANN, BO, LATER, URLS, address, captured

ALL = pytest.mark.parametrize("name", FORMATS)
FOLDERS = [name for name, made in FORMATS.items() if isinstance(made, FolderFormat)]
FILES = [name for name in FORMATS if name not in FOLDERS]
TEXTS = [name for name, made in FORMATS.items() if isinstance(made, TextFormat)]
#: KiB that a large archive may take more than a small one
MEMORY = 25_000


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    with captured(tmp_path_factory.mktemp("archive")) as opened:
        yield opened


def export(archive, name, folder, *addresses, since=None):
    """The bytes of an export, or of the files of one."""
    target = folder / "export"
    FORMATS[name].export(selection(archive, *addresses, since=since), str(target))
    assert [file.name for file in folder.iterdir()] == ["export"], "nothing is left beside it"
    return contents(target)


def selection(archive, *addresses, since=None):
    folder = archive.file.parent
    return Selection.of(archive, addresses, since=since, files=FileStore(folder), warcs=folder / "warc")


def contents(target):
    if target.is_file():
        return target.read_bytes()
    return {file.relative_to(target): file.read_bytes() for file in sorted(target.rglob("*")) if file.is_file()}


@ALL
def test_the_same_posts_make_the_same_bytes(archive, tmp_path, name):
    (tmp_path / "other").mkdir()
    (tmp_path / "one").mkdir()
    first = export(archive, name, tmp_path / "one")
    with captured(tmp_path / "other") as other:
        second = export(other, name, tmp_path / "one")
    assert first == second


@ALL
def test_an_export_of_nothing(tmp_path, name):
    with Archive.open(address(tmp_path)) as empty:
        FORMATS[name].export(Selection.of(empty), str(tmp_path / "export"))
    assert (tmp_path / "export").exists()


@ALL
def test_what_is_chosen_is_exported(archive, tmp_path, name):
    whole = export(archive, name, tmp_path)
    assert export(archive, name, tmp_path, f"{ANN}feed", BO) == whole
    assert export(archive, name, tmp_path, BO) != whole
    assert export(archive, name, tmp_path, since=LATER) != whole


@ALL
def test_what_was_there_stays_where_an_export_breaks_off(archive, tmp_path, name):
    before = export(archive, name, tmp_path, BO)

    def fail():
        raise OSError(28, "No space left on device")

    with pytest.raises(TargetUnwritable, match="No space left on device"):
        FORMATS[name].export(replace(selection(archive), on_post=fail), str(tmp_path / "export"))
    assert contents(tmp_path / "export") == before
    assert list(tmp_path.iterdir()) == [tmp_path / "export"]


@pytest.mark.parametrize("size", [0, 1000, 3000, 6000, 12_000])
@ALL
def test_a_disk_that_is_full_is_told(archive, tmp_path, name, size):
    most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, most[1]))
    try:
        with suppress(TargetUnwritable):
            FORMATS[name].export(selection(archive), str(tmp_path / "export"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, most)
    assert [file.name for file in tmp_path.iterdir()] in ([], ["export"]), "nothing is left beside it"


@pytest.mark.parametrize("name", FILES)
def test_a_folder_is_no_target(archive, tmp_path, name):
    with pytest.raises(BadArgument, match="is a folder"):
        FORMATS[name].export(Selection.of(archive), str(tmp_path))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", FOLDERS)
def test_a_folder_of_other_things_is_no_target(archive, tmp_path, name):
    (tmp_path / "letter.txt").write_text("Dear Ann")
    with pytest.raises(BadArgument, match="contains other files"):
        FORMATS[name].export(selection(archive), str(tmp_path))
    with pytest.raises(BadArgument, match="is not a folder"):
        FORMATS[name].export(selection(archive), str(tmp_path / "letter.txt"))
    assert [file.name for file in tmp_path.iterdir()] == ["letter.txt"]
    assert (tmp_path / "letter.txt").read_text() == "Dear Ann"


@pytest.mark.parametrize(
    ("name", "first_line"),
    [
        ("mets", "Posts of blogs, as blogcrawler has archived them from the web, each described by METS.\n"),
        (
            "wxr",
            "Posts of blogs, as blogcrawler has archived them from the web, in the format that WordPress imports (WXR 1.2).\n",
        ),
    ],
)
def test_a_folder_of_an_earlier_version_is_replaced(archive, tmp_path, name, first_line):
    target = tmp_path / "out"
    target.mkdir()
    (target / "README.txt").write_text(f"{first_line}\nother text\n")
    FORMATS[name].export(selection(archive), str(target))
    assert "other text" not in (target / "README.txt").read_text()
    (target / "README.txt").write_text("My notes on METS, WXR and blogcrawler.\n")
    with pytest.raises(BadArgument, match="contains other files"):
        FORMATS[name].export(selection(archive), str(target))


@pytest.mark.parametrize("name", FOLDERS)
def test_an_empty_folder_and_an_earlier_export_are_replaced(archive, tmp_path, name):
    target = _made(tmp_path / "export")
    target.chmod(0o750)
    assert export(archive, name, tmp_path)
    (target / "left").write_text("by hand")
    assert export(archive, name, tmp_path, BO) != {}
    assert not (target / "left").exists()
    assert target.stat().st_mode & 0o777 == 0o750


@ALL
def test_a_folder_that_is_not_there_is_told(archive, tmp_path, name):
    with pytest.raises(TargetUnwritable, match="No such file or directory"):
        FORMATS[name].export(Selection.of(archive), str(tmp_path / "no" / "export"))


@pytest.mark.parametrize("name", [name for name in FORMATS if name not in TEXTS])
def test_what_is_no_text_does_not_go_to_standard_output_or_a_pipe(archive, tmp_path, name):
    os.mkfifo(tmp_path / "pipe")
    for target in ("-", str(tmp_path / "pipe")):
        with pytest.raises(BadArgument, match="name of a f"):
            FORMATS[name].export(Selection.of(archive), target)


def test_a_pipe_is_written_to(archive, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
        FORMATS["jsonl"].export(Selection.of(archive), str(pipe))
        read, _ = reader.communicate()
    assert read == export(archive, "jsonl", _made(tmp_path / "there"))
    assert pipe.is_fifo()


def test_links_and_rights_stay(archive, tmp_path):
    file, link = tmp_path / "posts.jsonl", tmp_path / "newest"
    file.touch()
    file.chmod(0o640)
    link.symlink_to(file)
    FORMATS["jsonl"].export(Selection.of(archive), str(link))
    assert link.is_symlink()
    assert file.stat().st_size
    assert file.stat().st_mode & 0o777 == 0o640


def test_a_new_file_has_the_rights_of_new_files(archive, tmp_path):
    mask = os.umask(0o027)
    try:
        FORMATS["jsonl"].export(Selection.of(archive), str(tmp_path / "posts.jsonl"))
    finally:
        os.umask(mask)
    assert (tmp_path / "posts.jsonl").stat().st_mode & 0o777 == 0o640


def _made(folder):
    folder.mkdir()
    return folder


# -------------------------------------------------------------------------------------------------------- what is chosen


def urls(chosen):
    return [post.record.url for post in chosen.posts()]


def test_posts_come_by_blogs_as_they_came_in_and_those_that_are_gone_with_them(archive):
    assert urls(selection(archive)) == URLS
    assert urls(Selection.of(archive, [BO, ANN, f"{BO}feed"])) == URLS
    assert urls(Selection.of(archive, ["ann.example.org"])) == URLS[:4]


def test_what_is_new_or_changed_since_a_time(archive):
    chosen = Selection.of(archive, since=LATER)
    assert urls(chosen) == [f"{ANN}a"]
    assert chosen.count() == 1
    assert Selection.of(archive).count() == 5


def test_a_blog_that_is_not_there(archive):
    with pytest.raises(NotArchived, match="has no blog at http://cy"):
        Selection.of(archive, [BO, "http://cy.example.org/"])


# --------------------------------------------------------------------------------------------------------------- memory


def test_memory_does_not_grow_with_the_archive(tmp_path):
    """Each format is written once of a small archive and once of one more than three times as large."""
    script = Path(__file__).with_name("measure_memory.py")
    command = [sys.executable, "-m", "tests.export.measure_memory", str(tmp_path)]
    done = subprocess.run(command, cwd=script.parents[2], capture_output=True, text=True, check=True)
    grown = dict(line.split() for line in done.stdout.splitlines())
    assert set(grown) == set(FORMATS)
    assert max(map(int, grown.values())) < MEMORY, done.stdout
