from __future__ import annotations

from typing import TYPE_CHECKING

from blogcrawler.crawl.steps import learning
from blogcrawler.dom import parse
from blogcrawler.items import Entry, Page
from blogcrawler.time_limit import set_time_limit

if TYPE_CHECKING:
    import pytest


def test_a_page_that_takes_too_long_is_not_learned_from(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rules are those of the other pages."""
    texts = {f"http://e.org/{name}": f"Some words of {name}. " * 30 for name in ("one", "two", "three", "slow")}
    pages = [
        (
            Page(url, b"", tree=parse(f"<h1>Title {url[-3:]}</h1><div class=text><p>{text}</p></div>")),
            Entry(url, title=f"Title {url[-3:]}", content_html=f"<p>{text}</p>"),
        )
        for url, text in texts.items()
    ]
    learn = learning.learn_corrected

    def learn_slowly(examples, corrected):
        while any(example.url.endswith("slow") for example in examples):
            pass
        return learn(examples, corrected)

    wanted = learning.learned(pages[:3]).to_dict()
    monkeypatch.setattr(learning, "learn_corrected", learn_slowly)
    set_time_limit(0.3)
    try:
        assert learning.learned(pages).to_dict() == wanted
    finally:
        set_time_limit(0)
