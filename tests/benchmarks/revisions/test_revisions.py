from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.benchmarks.revisions.__main__ import main
from tests.benchmarks.revisions.blogs import choose
from tests.benchmarks.revisions.crawls import Crawl, Plan, keep_crawls, kept_crawls, key_of
from tests.benchmarks.revisions.trees import NoSuchTree, copy_tree

ROOT = Path(__file__).parents[3]


def package(folder, text=""):
    """A package that can be imported and does nothing."""
    (folder / "blogcrawler").mkdir(parents=True)
    (folder / "blogcrawler" / "__init__.py").write_text(text)
    return str(folder)


def test_a_copy_is_named_by_its_content(tmp_path):
    first, same, other = (package(tmp_path / name, text) for name, text in (("a", "x = 1"), ("b", "x = 1"), ("c", "")))
    trees = [copy_tree(given, tmp_path / "trees") for given in (first, same, other)]
    assert trees[0].folder == trees[1].folder != trees[2].folder
    assert {tree.folder.name for tree in trees} == {tree.content for tree in trees}
    assert trees[0].environment()["PYTHONPATH"] == str(trees[0].folder)


def test_what_is_no_tree(tmp_path):
    with pytest.raises(NoSuchTree, match="neither a folder"):
        copy_tree("no-such-revision", tmp_path)
    with pytest.raises(NoSuchTree, match="cannot be imported"):
        copy_tree(package(tmp_path / "broken", "import nothing_of_this_name"), tmp_path / "trees")


def test_crawls_are_kept_for_the_same_key_only(tmp_path):
    (blog,) = choose(["generated"])
    crawls = [Crawl("new", 0, [{"url": "http://b.example/"}])]
    key = key_of(blog, "full", Plan())
    keep_crawls(tmp_path / "kept.json", key, crawls)
    assert kept_crawls(tmp_path / "kept.json", key_of(blog, "full", Plan())) == crawls
    assert kept_crawls(tmp_path / "kept.json", key_of(blog, "full", Plan(updates=1))) is None
    assert kept_crawls(tmp_path / "none.json", key) is None


@pytest.mark.parametrize(
    "arguments",
    [
        ("only-one",),
        ("no-such-revision", str(ROOT)),
        (str(ROOT), str(ROOT), "--modes", "half"),
        (*[str(ROOT)] * 2, "--blogs", "x"),
    ],
    ids=lambda arguments: arguments[-1],
)
def test_wrong_usage(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert capsys.readouterr().out == ""


@pytest.mark.slow
def test_a_tree_is_the_same_as_itself(tmp_path, capsys):
    code = main([*[str(ROOT)] * 2, "--blogs", "generated", "--modes", "summary", "--kill", "6", "--out", str(tmp_path)])
    assert capsys.readouterr().out == ""
    assert code == 0


@pytest.mark.slow
def test_a_tree_that_was_changed(tmp_path, capsys):
    shutil.copytree(ROOT / "blogcrawler", tmp_path / "changed" / "blogcrawler")
    with (tmp_path / "changed" / "blogcrawler" / "settings.py").open("a") as settings:
        settings.write("PAGE_LIMIT = 6\n")
    given = [str(ROOT), str(tmp_path / "changed"), "--blogs", "generated", "--modes", "full", "--updates", "0"]
    code = main([*given, "--out", str(tmp_path / "out")])
    lines = capsys.readouterr().out.splitlines()
    assert code == 1
    assert lines[:2] == [
        "generated full new: items: 9, now 5",
        "generated full new: finish reason: 'finished', now 'page_limit'",
    ]
    assert "generated full new: records only in old: 4" in lines
    assert "generated full new:   GET http://generated.example/sitemap.xml" in lines
