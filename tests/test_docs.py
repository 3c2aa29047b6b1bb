"""The documentation is whole, and what it shows works: commands, options, settings, errors, links, examples."""

from __future__ import annotations

import argparse
import pkgutil
import re
import shlex
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from scrapy.settings import Settings
from scrapy.spiderloader import SpiderLoader

import blogcrawler.commands
from blogcrawler import advanced_settings, errors, settings
from blogcrawler.demo import DemoServer, build
from blogcrawler.feeds import parse_feed
from blogcrawler.items import Record
from tests import settings_page
from tests.crawl.running import PROGRAM, run
from tests.demo.truth import truth

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
COMMANDS = [module.name for module in pkgutil.iter_modules(blogcrawler.commands.__path__)]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
EXAMPLE = re.compile(r"^    (?:\.venv/bin/)?blogcrawler +(.+)$", re.MULTILINE)
FAST = ["-s", "DOWNLOAD_DELAY=0", "-s", "AUTOTHROTTLE_ENABLED=False"]


def read(name: str) -> str:
    return (DOCS / name).read_text("utf-8")


def headings(text: str) -> list[str]:
    """Of second and third order; code is left out."""
    return re.findall(r"^###? (.+)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE)


def first_cells(text: str) -> list[str]:
    """What stands in code quotes in the first column of tables."""
    rows = re.findall(r"^\| (`[^|]*) \|", text, re.MULTILINE)
    return [cell for row in rows for cell in re.findall(r"`([^`]+)`", row)]


def all_settings() -> Settings:
    found = Settings()
    found.setmodule(settings)
    return found


def parser(name: str) -> argparse.ArgumentParser:
    """The options of a command of ours, as the program reads them."""
    command: Any = import_module(f"blogcrawler.commands.{name}").Command()
    command.settings = all_settings()
    made = argparse.ArgumentParser(prog=name, exit_on_error=False)
    command.add_options(made)
    return made


def examples() -> list[tuple[str, list[str]]]:
    """The commands that the pages show: (page, arguments)."""
    shown = ((page.name, line) for page in PAGES for line in EXAMPLE.findall(page.read_text("utf-8")))
    found = [(page, shlex.split(line, comments=True)) for page, line in shown]
    return [(page, arguments) for page, arguments in found if not arguments[0].startswith("-")]


# --------------------------------------------------------------------------------------------- everything is documented


def test_each_command_has_a_section_with_an_example() -> None:
    assert set(COMMANDS) <= set(headings(read("commands.md")))
    assert {arguments[0] for page, arguments in examples() if page == "commands.md"} >= set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_each_option_is_documented(name: str) -> None:
    options = {option for action in parser(name)._actions for option in action.option_strings}
    documented = {cell.split()[0] for cell in first_cells(read("commands.md"))}
    assert options
    assert options <= documented


def test_no_option_is_documented_that_is_not_there() -> None:
    options = {option for name in COMMANDS for action in parser(name)._actions for option in action.option_strings}
    documented = {cell.split()[0] for cell in first_cells(read("commands.md")) if cell.startswith("-")}
    assert documented <= options


def test_each_spider_is_named() -> None:
    assert all(f"`{name}`" in read("commands.md") for name in SpiderLoader.from_settings(all_settings()).list())


def test_each_setting_has_its_row() -> None:
    names = [name for name in vars(settings) if name.isupper() and not hasattr(advanced_settings, name)]
    assert first_cells(read("settings.md")) == names
    assert read("settings.md") == settings_page.page(), "write it anew: python -m tests.settings_page"


def test_each_error_has_its_section() -> None:
    described = set(headings(read("errors.md"))) - {"Without a name"}
    classes = {name for name, value in vars(errors).items() if isinstance(value, type)}
    assert described == classes - {"BlogcrawlerError", "Unchanged"}


def test_each_key_of_the_record_has_its_row() -> None:
    assert first_cells(read("records.md")) == [field.name for field in fields(Record)]


def test_the_readme_leads_to_each_page() -> None:
    linked = {target.partition("#")[0] for target in LINK.findall((ROOT / "README.md").read_text("utf-8"))}
    assert linked >= {f"docs/{page.name}" for page in DOCS.glob("*.md")}


# ----------------------------------------------------------------------------------------------- what is shown works


def anchor(heading: str) -> str:
    """As hosts of Markdown make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text("utf-8")):
        if urlsplit(target).scheme:
            continue
        name, _, part = target.partition("#")
        file = page.parent / name if name else page
        assert file.is_file(), target
        assert not part or part in map(anchor, headings(file.read_text("utf-8"))), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_and_modules_that_are_named_exist(page: Path) -> None:
    text = page.read_text("utf-8")
    for name in re.findall(r"`((?:blogcrawler|tests|docs)/[\w./-]*)`", text):
        assert (ROOT / name).exists(), name
    for module in re.findall(r"-m (tests\.[\w.]+)", text):
        import_module(module)


@pytest.mark.parametrize(("page", "arguments"), examples(), ids=lambda value: str(value))
def test_examples_are_commands_that_the_program_reads(page: str, arguments: list[str]) -> None:
    name, *rest = ["archive", *arguments] if ":" in arguments[0] else arguments
    assert name in {*COMMANDS, "settings"}, name
    if name in COMMANDS:
        given, unknown = parser(name).parse_known_args(rest)
        assert not [argument for argument in unknown if argument.startswith("-") and argument != "-"]
        assert {setting.partition("=")[0] for setting in given.set} <= set(all_settings())


@pytest.mark.slow
def test_the_examples_run_one_after_the_other(tmp_path: Path) -> None:
    with DemoServer() as server:
        for page, arguments in examples():
            needs_server = "--queue" in arguments or "postgresql:" in arguments[-1]
            if page != "commands.md" or arguments[0] == "browse" or needs_server:
                continue  # which runs until it is stopped, or needs a server
            shown = [argument.replace("http://blog.example.org/", server.url) for argument in arguments]
            more = FAST if shown[0] in {"archive", "crawl", server.url} else []
            shown, redirected = (shown[:-2], shown[-1]) if ">" in shown else (shown, None)
            outcome = run(tmp_path, [*PROGRAM, *shown, *more], anew="updatecrawl" in shown)
            assert outcome.code == 0, (arguments, outcome.stderr)
            if redirected is not None:
                (tmp_path / redirected).write_text(outcome.stdout, "utf-8")


def test_the_example_of_settings_is_a_module_of_settings() -> None:
    code = re.search(r"```python\n(.*?)```", read("settings.md"), re.DOTALL)
    assert code is not None
    names: dict[str, Any] = {}
    exec(code[1], names)
    assert {name for name in names if name.isupper()} == {name for name in vars(settings) if name.isupper()}
    assert names["CONTACT"] != settings.CONTACT


def test_the_library_example_reads_a_post_that_the_feed_does_not_have(capsys: pytest.CaptureFixture[str]) -> None:
    code = re.search(r"```python\n(.*?)```", read("library.md"), re.DOTALL)
    assert code is not None
    site = build()
    entries = parse_feed(site["/feed.xml"][1], "http://localhost/feed.xml").entries
    pairs = [(site[urlsplit(entry.url).path][1], entry) for entry in entries]
    oldest = truth()[-1]
    exec(code[1], {"pairs": pairs, "another_page": site[oldest["path"]][1]})
    printed = capsys.readouterr().out
    assert oldest["title"] in printed
    assert oldest["author"] in printed
    assert oldest["published"][:10] in printed
