"""The language: of the text where it is clear, else what the page or the feed says."""

from __future__ import annotations

import pytest

from blogcrawler.dom import parse
from blogcrawler.items import FieldSource
from blogcrawler.wrapper import Wrapper, learn
from blogcrawler.wrapper.fields import language as field
from blogcrawler.wrapper.language import is_known, language_of, same_language
from tests.wrapper.pages import OLD, POSTS, Post, Template, classic, examples, extracted, layout, learned

GERMAN = "Das ist der Garten, in dem ich mit den Hunden spiele, und für die Katze ist es auch nicht zu weit von dort. "
SPANISH = "El gato de la casa no es como los otros, pero se lo come todo y no hay más que una por cada día para él. "
TEXTS = {
    "de": GERMAN,
    "es": SPANISH,
    "en": "It was not the first time that the cat of this house was in the garden, and you have to be with it for that.",
    "fr": "Le chat est dans la maison et il ne veut pas sortir avec les autres, qui sont sur une chaise pour la nuit.",
    "pt": "O gato não está em casa, mas os outros dizem que uma das portas da rua foi aberta e ele saiu com o cão.",
    "ru": "Это не то, что я хотел сказать, но он так и не понял, как это было и для чего мы это всё делали из года в год.",
    "uk": "Це не те, що я хотів сказати, але він так і не зрозумів, як це було та для чого ми це робили від початку.",
    "ja": "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。",
    "zh": "我们今天去了城里的市场，买了很多水果和蔬菜。",
    "ko": "오늘은 친구와 함께 바다에 갔다. 날씨가 아주 좋았다.",
    "fa": "این کتاب را که از او گرفتم در خانه است و من آن را برای خود می خوانم با هم",
}


@pytest.mark.parametrize("language", TEXTS)
def test_texts_of_a_language(language: str) -> None:
    assert language_of(2 * TEXTS[language]) == language


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Hm.",
        "42 + 1",
        "Stargate Universe",
        "def f(x): return x",
        "…",
        "/private/folders/xb3jz0tj133_hgnvdttctwxc0000gn/T/pip-cache-gtsvw78d/wheels/6b/89aae0b17b638c9cdcd2015d98b85ee7",
    ],
)
def test_texts_that_leave_a_doubt(text: str) -> None:
    assert language_of(text) is None


def test_names_of_languages() -> None:
    assert same_language("pt-BR", "pt_PT")
    assert same_language("nb", "no")
    assert not same_language("pt", "es")
    assert is_known("zh-Hant-TW")
    assert not is_known("tlh")


def written(text: str, language: str | None) -> Template:
    return lambda one: layout(f"<h1>{one.title}</h1><div class=e><p>{text}</p>{one.body}</div>", language=language)


def told(template: Template, feed: str | None = None) -> str | None:
    return read(learn(pairs(template, feed)), template(OLD[0]))[0]


def read(wrapper: Wrapper, html: str) -> tuple[str, FieldSource]:
    tree = parse(html)
    article = wrapper.extract(tree).article
    found = wrapper.languages.read(tree, article) if article is not None else None
    assert found is not None
    return found


def pairs(template: Template, feed: str | None):
    def content(one: Post) -> str:
        return template(one).split("<div class=e>")[1].split("</div>")[0]

    return [pair for one in POSTS for pair in examples(template, [one], content_html=content(one), language=feed)]


@pytest.mark.parametrize(
    ("page", "feed", "expected"),
    [("en", None, "de"), (None, None, "de"), ("en-US", "en", "de"), ("de-AT", "en", "de-AT"), (None, "de-CH", "de-CH")],
)
def test_a_theme_that_says_it_is_in_english(page: str | None, feed: str | None, expected: str) -> None:
    assert told(written(12 * GERMAN, page), feed) == expected


def test_a_language_that_is_not_told_from_texts_is_believed() -> None:
    assert told(written(12 * SPANISH, "tlh")) == "tlh"


@pytest.mark.parametrize("tag", ["zxx", "und", "ZXX-x-private"])
def test_a_tag_of_no_language_tells_nothing(tag: str) -> None:
    assert told(written(12 * GERMAN, tag)) == "de"
    page = layout(f"<h1>{OLD[0].title}</h1><div class=e><p>Ein Bild.</p></div>", language=tag)
    assert read(learn(pairs(written(12 * GERMAN, "de"), None)), page)[0] == "de"


def test_code_says_nothing() -> None:
    code = f"<pre>{20 * 'for x in the range of y: if not x is that: return it with this '}</pre>"
    assert told(written(f"{12 * GERMAN}{code}", None)) == "de"


def test_a_short_post_is_in_the_language_of_the_blog() -> None:
    template = written(12 * GERMAN, "en")
    page = layout(f"<h1>{OLD[0].title}</h1><div class=e><p>Ein Bild.</p></div>", language="en")
    assert read(learn(pairs(template, None)), page)[0] == "de"


def test_posts_in_two_languages() -> None:
    def template(one: Post) -> str:
        return written(12 * (GERMAN if one.number % 2 else SPANISH), "en")(one)

    wrapper = learn(pairs(template, None))
    assert [read(wrapper, template(one))[0] for one in OLD] == ["de" if one.number % 2 else "es" for one in OLD]


def test_no_more_articles_are_read_than_settle_it(monkeypatch: pytest.MonkeyPatch) -> None:
    read = []
    monkeypatch.setattr(field, "language_of", lambda text: read.append(text) or language_of(text))
    assert learned(classic, POSTS).languages.usual == "en"
    assert len(read) == field.SAMPLE // 2 + 1 < len(POSTS) // 2


def test_where_it_came_from() -> None:
    template = written(12 * GERMAN, "en")
    _, source = read(learn(pairs(template, None)), template(OLD[0]))
    assert (source.source, source.rule) == ("fallback", None)
    _, source = read(learn(pairs(template, "de")), template(OLD[0]))
    assert (source.source, source.rule) == ("feed", None)
    language, source = read(learned(written("", "en")), template(OLD[0]))
    assert (language, source.source) == ("de", "fallback")


def test_what_is_told_needs_no_reading() -> None:
    found = extracted(learn(pairs(written(12 * GERMAN, "en"), None)), written("", "en"), OLD[0])
    assert found.language == "de"
