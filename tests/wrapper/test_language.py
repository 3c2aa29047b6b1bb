"""The language: of the text where it is clear, else what the page or the feed says."""

from __future__ import annotations

import pytest

from blogcrawler.dom import parse
from blogcrawler.items import FieldSource
from blogcrawler.wrapper import Example, Wrapper, learn
from blogcrawler.wrapper.fields.language import is_known, likely_languages, same_language
from tests.wrapper.pages import OLD, POSTS, Post, Template, examples, extracted, layout, learned, post

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
    assert likely_languages(2 * TEXTS[language]) == (language,)


def test_letters_in_the_forms_that_they_are_shown_in() -> None:
    shown = "ﺷﻤﺎ ﻣﯽ ﺗﻮﺍﻧﯿﺪ ﺑﻬﺘﺮﯾﻦ ﺩﻭﺳﺖ ﻣﻦ ﺑﺎﺷﯿﺪ ﺍﻣﺎ ﺑﺎﯾﺪ ﺑﺪﺍﻧﯿﺪ ﮐﻪ ﺍﯾﻦ ﺧﺎﻧﻪ ﺑﺮﺍﯼ ﻫﻤﻪ ﺟﺎ ﻧﺪﺍﺭﺩ"
    assert likely_languages(shown) == ("fa",)


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
    assert len(likely_languages(text)) != 1


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


@pytest.mark.parametrize("element", ["blockquote", "q", "p><q", "div><blockquote"])
def test_quotations_say_nothing(element: str) -> None:
    end = "></".join(reversed(element.split("><")))
    body = f"<{element}>{20 * SPANISH}</{end}><p>{2 * GERMAN}</p>"
    wrapper = learn(pairs(written(12 * GERMAN, "de"), None))
    page = layout(f"<h1>{OLD[0].title}</h1><div class=e>{body}</div>", language="de")
    assert read(wrapper, page)[0] == "de"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Es regnet, und ich bleibe heute im Haus.", "de"),
        ("Сегодня мы весь день были дома и читали.", "ru"),
        ("Dziś cały dzień byliśmy w domu i czytali.", "pl"),
        ("Cat!", "en"),
    ],
)
def test_a_sentence_tells_its_language(text: str, expected: str) -> None:
    wrapper = learn(pairs(written("", "en"), None))
    page = layout(f"<h1>{OLD[0].title}</h1><div class=e><p>{text}</p></div>", language="en")
    assert read(wrapper, page)[0] == expected


def test_a_short_post_is_in_the_language_of_the_blog() -> None:
    template = written(12 * GERMAN, "en")
    page = layout(f"<h1>{OLD[0].title}</h1><div class=e><p>Ein Bild.</p></div>", language="en")
    assert read(learn(pairs(template, None)), page)[0] == "de"


def test_the_blog_s_language_is_that_of_posts_of_all_ages() -> None:
    """Its newest posts are in English, as its theme says that all are."""

    def template(one: Post) -> str:
        return written(9 * TEXTS["en" if one.number < 30 else "zh"], "en")(one)

    def short(one: Post) -> str:
        return layout(f"<h1>{one.title}</h1><div class=e><p>微积分</p></div>", language="en")

    posts = [post(number) for number in range(120)]
    wrapper = learn(Example(parse(template(one)), one.entry(language=None), one.url) for one in posts)
    assert read(wrapper, short(OLD[0]))[0] == "zh"


def test_posts_in_two_languages() -> None:
    def template(one: Post) -> str:
        return written(12 * (GERMAN if one.number % 2 else SPANISH), "en")(one)

    wrapper = learn(pairs(template, None))
    assert [read(wrapper, template(one))[0] for one in OLD] == ["de" if one.number % 2 else "es" for one in OLD]


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


CHINESE = "昨天我去市场买面包和水果，遇到了一位多年不见的老朋友。我们聊了几个小时，然后一起去吃饭。"
MIXED = "今天 Docker 和 Kubernetes 都更新了，我用 Python 写了一个 script 来测试 API，结果 server 一直 timeout，只好重新部署。"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (MIXED, "zh"),
        (CHINESE, "zh"),
        ("昨天我去市場買麵包和水果，遇到了一位多年不見的老朋友。我們聊了幾個小時，然後一起去吃飯。", "zh"),
        (
            "今日は Docker と Kubernetes の update があったので、Python で script を書いて API の test をしてみました。",
            "ja",
        ),
        ("오늘 Docker 와 Kubernetes 가 업데이트되어서 Python 으로 script 를 작성해 API 를 테스트했습니다.", "ko"),
        ("三人吉三巴白浪 2006年1月3日 吉祥寺前進座劇場 全国巡演 大阪国立文楽劇場 劇団前進座公演ご案内", None),
        (
            "The word 市场 means market, and 水果 means fruit, which you can find in any of the shops of this town.",
            "en",
        ),
        (
            "I går gikk jeg til markedet for å kjøpe brød, og jeg møtte en venn som jeg ikke hadde sett på mange år.",
            "no",
        ),
        ("Onte fun ao mercado mercar pan e froita, e atopei un vello amigo que non vía desde hai moitos anos.", "gl"),
    ],
)
def test_clear_texts_of_languages_that_are_near_or_mixed(text: str, language: str | None) -> None:
    likely = likely_languages(text)
    assert (likely[0] if len(likely) == 1 else None) == language


def themed(text: str, language: str) -> Template:
    """Posts that say nothing but a text, and their numbers."""

    def template(one: Post) -> str:
        return layout(f"<h1>{one.title}</h1><div class=e><p>{text} {one.number}。</p></div>", language=language)

    return template


@pytest.mark.parametrize("text", [CHINESE, MIXED, "昨天我去市场买面包。"])
@pytest.mark.parametrize(("feed", "expected"), [(None, "zh"), ("zh-TW", "zh-TW"), ("en-US", "zh")])
def test_a_theme_in_english_around_chinese(text: str, feed: str | None, expected: str) -> None:
    wrapper = learn(pairs(themed(text, "en"), feed))
    assert read(wrapper, themed(text, "en")(OLD[0]))[0] == expected
    assert read(wrapper, themed("图。", "en")(OLD[0]))[0] == expected


def test_each_post_of_a_blog_in_several_scripts_has_its_own_language() -> None:
    wrapper = learn(pairs(themed(CHINESE, "en"), None))
    texts = (MIXED, 2 * GERMAN, 2 * TEXTS["ja"], TEXTS["en"])
    assert [read(wrapper, themed(text, "en")(OLD[0]))[0] for text in texts] == ["zh", "de", "ja", "en"]


def test_a_short_post_is_in_the_language_that_its_page_tells_where_pages_tell_it() -> None:
    wrapper = learn(pairs(themed(2 * GERMAN, "de-AT"), None))
    assert read(wrapper, themed("Hm.", "en")(OLD[0]))[0] == "en"
    assert read(wrapper, themed("Hm.", "de-AT")(OLD[0]))[0] == "de-AT"


CROATIAN = "Jučer sam otišao na tržnicu kupiti kruh i voće i sreo sam starog prijatelja kojeg nisam vidio mnogo godina."
NORWEGIAN = "I dag skal vi se hvordan du installerer programmet på datamaskinen din og setter opp alt."


@pytest.mark.parametrize(
    ("text", "near", "page"),
    [
        (CROATIAN, {"hr", "sr"}, "en"),
        (CROATIAN, {"hr-HR"}, "hr-HR"),
        (NORWEGIAN, {"nb-NO"}, "nb-NO"),
        (NORWEGIAN, {"no"}, "en"),
    ],
)
def test_a_text_that_may_be_in_two_languages_is_not_in_a_third(text: str, near: set[str], page: str) -> None:
    wrapper = learn(pairs(themed(text, page), None))
    language, source = read(wrapper, themed(text, page)(OLD[0]))
    assert language in near
    assert source.confidence < 0.9
