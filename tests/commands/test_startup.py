"""What the program imports before it does its work: little for help and refusals, no more than it needs for a crawl."""

from __future__ import annotations

import argparse
import pkgutil
import sys

import pytest
from scrapy.commands import ScrapyCommand
from scrapy.commands.crawl import Command as ScrapyCrawl

import blogcrawler.commands
from blogcrawler.backend import Archive
from blogcrawler.usage import USAGES
from tests.crawl.blog import Blog, make_posts, serve
from tests.crawl.running import SETTINGS, run
from tests.test_docs import all_settings

COMMANDS = [module.name for module in pkgutil.iter_modules(blogcrawler.commands.__path__)]
#: what takes long to import, and serves crawls, exports or older archives
HEAVY = {"alembic", "jsonschema_rs", "networkx", "numpy", "playwright", "pyarrow", "scipy", "sklearn"}
ANEW = """
import atexit, sys
before = {*sys.modules}
import blogcrawler.cli
atexit.register(lambda: print('imported', *{*sys.modules} - before, file=sys.stderr))
blogcrawler.cli.main()
"""
UNTIL_REQUESTED = """
import os, sys, threading
from http.server import BaseHTTPRequestHandler, HTTPServer

class FirstRequest(BaseHTTPRequestHandler):
    def do_GET(self):
        print('imported', *sys.modules, file=sys.stderr, flush=True)
        os._exit(0)

server = HTTPServer(('127.0.0.1', 0), FirstRequest)
threading.Thread(target=server.serve_forever, daemon=True).start()
from blogcrawler.cli import main
main([*sys.argv[1:], f'-aurl=http://127.0.0.1:{server.server_port}/'])
"""


def imported(tmp_path, script, arguments):
    """The exit code of the program and the modules that it imported."""
    outcome = run(tmp_path, [sys.executable, "-c", script, *arguments], anew=True)
    return outcome.code, set(outcome.stderr.rpartition("imported")[2].split())


def test_each_command_says_how_it_is_called():
    assert sorted(USAGES) == COMMANDS


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--help"], 0),
        (["--version"], 0),
        (["krawl"], 2),
        (["crawl"], 2),
        (["crawl", "newcrawl"], 2),
        (["export", "jsonl"], 2),
        (["browse", "--port"], 2),
        (["status", "-s", "RENDR=1"], 2),
        (["crawl", "newcrawl", "-aurl=http://blog.example.org/", "-s", "RENDR=1"], 2),
        (["completion", "bash"], 0),
        *(([name, "--help"], 0) for name in COMMANDS),
        *(([name, "--no-such-option", "--nor-this"], 2) for name in COMMANDS),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_help_and_refusals_import_no_library(tmp_path, arguments, code):
    ended, modules = imported(tmp_path, ANEW, arguments)
    assert ended == code
    assert "blogcrawler.cli" in modules
    assert {name.partition(".")[0] for name in modules} - sys.stdlib_module_names == {"blogcrawler"}


@pytest.mark.parametrize("arguments", [["blogs"], ["export", "csv", "out.csv"]])
def test_a_command_imports_what_it_needs_alone(tmp_path, arguments):
    Archive.open(f"sqlite:///{tmp_path}/archive.db").close()
    _, modules = imported(tmp_path, ANEW, [*arguments, "-s", "DATABASE_URL=sqlite:///archive.db"])
    assert "blogcrawler.backend" in modules
    assert not HEAVY & modules


@pytest.mark.parametrize("spider", ["newcrawl"])
def test_a_crawl_asks_for_its_first_page_before_it_imports_what_it_may_need_later(tmp_path, spider):
    _, modules = imported(tmp_path, UNTIL_REQUESTED, ["crawl", spider])
    assert f"blogcrawler.spiders.{spider}" in modules
    assert not (HEAVY | {"aiohttp", "blogcrawler.export", "requests", "rich", "sqlalchemy.orm"}) & modules


def test_a_whole_crawl_imports_nothing_that_serves_other_commands_or_blogs(tmp_path):
    with serve(Blog(make_posts(6))) as site:
        settings = [f"-s{name}={value}" for name, value in SETTINGS.items()]
        code, modules = imported(
            tmp_path, ANEW, ["crawl", "newcrawl", f"-aurl={site.url}/", *settings, "-sREPORTS=True"]
        )
    assert code == 0
    assert "blogcrawler.report.page" in modules
    unused = {"alembic", "blogcrawler.spiders.updatecrawl", "networkx", "pandas", "playwright"}
    unused |= {"pyarrow", "requests", "rich", "scipy.spatial", "scipy.stats", "starlette"}
    assert not unused & modules


@pytest.mark.parametrize(("name", "scrapy_command"), [("status", ScrapyCommand), ("crawl", ScrapyCrawl)])
def test_all_options_of_scrapy_are_there(name, scrapy_command):
    def options(add):
        parser = argparse.ArgumentParser()
        add(parser)
        return {
            (*action.option_strings, action.dest, str(action.default), action.metavar) for action in parser._actions
        }

    class Command(scrapy_command):
        settings = all_settings()

        def __init__(self):
            pass

        def short_desc(self):
            return ""

        def run(self, args, opts):
            pass

    assert options(Command().add_options) <= options(USAGES[name].add_to)


def test_crawls_of_scrapys_command_line_compute_with_one_thread_too(tmp_path):
    """Threads of the linear algebra library that wait for each other made small fits take twenty times as long."""
    script = UNTIL_REQUESTED.replace("*sys.modules", "os.environ.get('OPENBLAS_NUM_THREADS')")
    script = script.replace("from blogcrawler.cli import main", "from scrapy.cmdline import execute")
    script = script.replace(
        "main([*", "os.environ['SCRAPY_SETTINGS_MODULE'] = 'blogcrawler.settings'\nexecute(['scrapy', *"
    )
    assert imported(tmp_path, script, ["crawl", "newcrawl"]) == (0, {"1"})
