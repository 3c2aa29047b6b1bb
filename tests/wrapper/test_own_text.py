"""Which text of a page is the post's own, where the feed has summaries."""

from __future__ import annotations

import random

import pytest

from blogcrawler.dom import parse
from blogcrawler.wrapper import Example, learn
from tests.wrapper.pages import OLD, POSTS, Post, extracted, layout, words


def unspaced(seed: int | str, length: int) -> str:
    """A sentence of a script without spaces, its own for each seed."""
    return (
        "".join(random.Random(seed).choices("川石灯静市自港冬麦手庭窓銅糸信山湖紙果鉄紫槌夏茶村筆影釦", k=length))
        + "。"
    )


@pytest.mark.parametrize("dated", [False, True])
def test_sentences_without_spaces_are_no_bylines(dated: bool) -> None:
    """They are one word each where words are told by spaces, and hold the author's name or the post's date."""
    name = "山田太郎"

    def first(one: Post) -> str:
        day = f"{one.published.year}年{one.published.month}月{one.published.day}日"
        return f"{day if dated else name}は{unspaced(one.number, 24)}"

    def own(one: Post) -> str:
        return unspaced(f"{one.number}/more", 120)

    def page(one: Post) -> str:
        byline = f'<p class="by">{name} {one.published:%Y年%m月%d日}に投稿されました</p>'
        main = f'<div class="text">{byline}<p class="lead">{first(one)}</p><p>{own(one)}</p></div>'
        return layout(f"<h1>{one.title}</h1>{main}", language="ja")

    wrapper = learn(
        Example(
            parse(page(one)),
            one.entry(authors=(name,), content_html=own(one)[:90], is_summary=True, language="ja"),
            one.url,
        )
        for one in POSTS
    )
    for one in OLD:
        assert words(extracted(wrapper, page, one)) == f"{first(one)} {own(one)}"
