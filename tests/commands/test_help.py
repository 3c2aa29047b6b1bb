"""`blogcrawler` and `blogcrawler --help`, from any folder."""

from __future__ import annotations

import pkgutil
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import blogcrawler.commands
from tests.crawl.running import PROGRAM, run

COMMANDS = [module.name for module in pkgutil.iter_modules(blogcrawler.commands.__path__)]


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    return run(tmp_path_factory.mktemp("help"), [*PROGRAM, "--help"], anew=True)


def test_help_is_asked_for_and_no_error(shown):
    assert (shown.code, shown.stderr) == (0, "")


@pytest.mark.parametrize("name", COMMANDS)
def test_help_names_each_command_with_an_example(shown, name):
    lines = [line.strip() for line in shown.stdout.splitlines()]
    assert any(line.split()[:1] == [name] for line in lines), f"{name} is not told of"
    assert any(line.startswith(f"blogcrawler {name}") for line in lines), f"{name} has no example"


def test_without_arguments_it_is_the_help(tmp_path, shown):
    assert run(tmp_path, [*PROGRAM]).stdout == shown.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_help(tmp_path, name):
    outcome = run(tmp_path, [*PROGRAM, name, "--help"])
    assert outcome.code == 0
    assert f"blogcrawler {name} " in outcome.stdout.partition("\n\n")[0], "it calls the program by its name"
    assert outcome.stderr == ""


def test_the_version_is_the_package_s(tmp_path):
    assert run(tmp_path, [*PROGRAM, "--version"]).stdout == f"blogcrawler {blogcrawler.__version__}\n"


def test_an_unknown_command(tmp_path):
    outcome = run(tmp_path, [*PROGRAM, "krawl"])
    assert outcome.code == 2
    assert len(outcome.sentences) == 1
    assert "krawl" in outcome.sentences[0]


def test_the_installed_program_is_the_same(tmp_path, shown):
    program = Path(sys.executable).with_name("blogcrawler")
    if not program.exists():
        pytest.skip("the package is not installed with its program")
    assert run(tmp_path, [str(program), "--help"]).stdout == shown.stdout


def test_scrapy_in_a_checkout_knows_the_commands(tmp_path):
    scrapy = shutil.which("scrapy", path=str(Path(sys.executable).parent))
    root = Path(__file__).parents[2]
    if scrapy is None or not (root / "scrapy.cfg").exists():
        pytest.skip("no scrapy beside this Python, or no checkout")
    shutil.copy(root / "scrapy.cfg", tmp_path)
    outcome = run(tmp_path, [scrapy, "rules", "http://blog.example.org/", "-s", "DATABASE_URL=sqlite:///a.db"])
    assert outcome.code == 1
    assert "There is no archive at a.db" in outcome.sentences[0]


@pytest.mark.parametrize("arguments", [["--help"], ["crawl", "--help"]])
def test_a_reader_that_has_seen_enough_is_no_error(arguments):
    program = subprocess.Popen([*PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    program.stdout.close()
    _, told = program.communicate()
    assert (program.returncode, told) == (0, b"")
