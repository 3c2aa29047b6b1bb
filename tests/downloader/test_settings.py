"""The settings as they are shipped."""

from __future__ import annotations

import ast
import inspect

from scrapy.settings import Settings
from scrapy.utils.misc import load_object

from blogcrawler import settings as module


def test_every_setting_has_a_line_that_says_what_it_does():
    lines = inspect.getsource(module).splitlines()
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            assert lines[node.lineno - 2].startswith("# "), lines[node.lineno - 1]


def test_the_components_of_the_downloader_exist():
    settings = Settings()
    settings.setmodule(module)
    paths = [
        settings["TWISTED_DNS_RESOLVER"],
        *settings["DOWNLOADER_MIDDLEWARES"],
        *settings["EXTENSIONS"],
        *settings["ADDONS"],
        *(path for path in settings["DOWNLOAD_HANDLERS"].values() if path),
    ]
    assert all(callable(load_object(path)) for path in paths)


def test_nothing_but_the_web_is_fetched():
    assert {scheme for scheme, handler in module.DOWNLOAD_HANDLERS.items() if handler} == {"http", "https"}


def test_no_port_is_opened():
    assert not module.TELNETCONSOLE_ENABLED
    assert not module.REMOTE_CONTROL_ENABLED
