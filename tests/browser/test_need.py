"""Pages that wait for scripts to fill them."""

from __future__ import annotations

import pytest

from blogcrawler.browser.need import is_shell
from blogcrawler.dom import parse

SCRIPT = "<script src=/app.js></script>"


@pytest.mark.parametrize(
    "body",
    [
        f"<div id=app></div>{SCRIPT}",
        f"<div id=root>Loading …</div>{SCRIPT}",
        f"<app-root></app-root>{SCRIPT}",
        f"<div id=app><div class=spinner><span></span></div></div>{SCRIPT}",
        f"<div id=app><!-- here --></div>{SCRIPT}",
        SCRIPT,
        "<div id=app></div><script type=application/x-javascript src=/app.js></script>",
        f"<noscript>This page needs JavaScript, which you have turned off.</noscript><div id=app></div>{SCRIPT}",
    ],
)
def test_shells(body: str) -> None:
    assert is_shell(parse(f"<html><head><title>A blog</title></head><body>{body}</body></html>"))


@pytest.mark.parametrize(
    "body",
    [
        "<div id=app></div>",
        "<div id=app></div><script type=application/json>{}</script>",
        f"<p>A short page.</p><ul><li><a href=/1>One</a></ul>{SCRIPT}",
        f"<div id=app></div><p>{'A page with much to read. ' * 30}</p>{SCRIPT}",
        f"<div id=app><a href=/1>One</a></div>{SCRIPT}",
    ],
)
def test_other_pages(body: str) -> None:
    assert not is_shell(parse(f"<html><body>{body}</body></html>"))
