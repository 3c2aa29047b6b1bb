"""Settings with which no page could be shown are told before a crawl begins."""

from __future__ import annotations

import pytest
from scrapy.settings import Settings

from blogcrawler.browser import check_rendering
from blogcrawler.errors import BadArgument


def settings(**given: object) -> Settings:
    found = Settings()
    found.setmodule("blogcrawler.settings")
    found.update(given)
    return found


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"RENDER_BLOCKED": "image,pictures"}, "not know 'pictures'; allowed values: fetch, font, frame, image"),
        ({"RENDER_BROWSER": "/nowhere/chromium"}, "'/nowhere/chromium'"),
        ({"RENDER_BROWSER": "/"}, "'/'"),
    ],
)
def test_one_sentence_says_which_setting_is_wrong(given: dict[str, object], said: str) -> None:
    with pytest.raises(BadArgument) as raised:
        check_rendering(settings(**given))
    assert next(iter(given)) in str(raised.value)
    assert said in str(raised.value)


@pytest.mark.parametrize(
    "given",
    [{}, {"RENDER": "Never"}, {"RENDER_BLOCKED": []}, {"RENDER_BLOCKED": "frame"}, {"RENDER_BROWSER": "/bin/sh"}],
)
def test_others_pass(given: dict[str, object]) -> None:
    check_rendering(settings(**given))
