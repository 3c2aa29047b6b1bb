from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.dom.encoding import codec_of, decode

RUSSIAN = "Привет, мир! Это запись в блоге о том, как мы ходили в лес за грибами и ягодами. "
CHINESE = "今天天气很好，我们去公园玩。这是一个关于编程的博客，谢谢大家的支持与关注。"
JAPANESE = "今日は天気がいいので散歩に行きました。プログラミングについてのブログです。よろしくお願いします。"
KOREAN = "오늘은 날씨가 좋아서 공원에 갔습니다. 프로그래밍에 관한 블로그입니다. 감사합니다."
FRENCH = "Voilà l'été à la forêt, où les élèves s'amusent déjà très bien ; ça va, Noël. "
TURKISH = "Bugün hava çok güzeldi, şehirde uzun bir yürüyüşe çıktık ve çay içtik. "
HEBREW = "שלום לכולם, היום נדבר על תכנות ועל בלוגים ועוד דברים מעניינים. "


def page(text: str, *, meta: str = "", lang: str = "en", before: str = "") -> str:
    return f'<!DOCTYPE html><html lang="{lang}"><head>{before}{meta}</head><body><p>{text}</p></body></html>'


@pytest.mark.parametrize(
    ("text", "label", "codec"),
    [
        (CHINESE, "gb2312", "gbk"),
        (CHINESE + "镕", "gb2312", "gbk"),
        (CHINESE, "x-gbk", "gbk"),
        (JAPANESE, "euc-jp", "euc_jp"),
        (JAPANESE, "Shift_JIS", "cp932"),
        (JAPANESE + "①", "x-sjis", "cp932"),
        (JAPANESE, "iso-2022-jp", "iso2022_jp"),
        (KOREAN, "ks_c_5601-1987", "cp949"),
        (RUSSIAN, "windows-1251", "cp1251"),
        (RUSSIAN, "koi8-r", "koi8-r"),
        (FRENCH + "“€”", "iso-8859-1", "cp1252"),
        (TURKISH, "iso-8859-9", "cp1254"),
        (HEBREW, "iso-8859-8-i", "iso8859-8"),
    ],
)
@pytest.mark.parametrize("where", ["header", "meta", "pragma", "late meta", "nowhere near ascii"])
def test_declared(text: str, label: str, codec: str, where: str) -> None:
    metas = {
        "meta": f"<meta charset={label}>",
        "pragma": f'<META content="text/html; charset={label}" http-equiv=Content-Type>',
        "late meta": f"<meta charset='{label}'/>",
        "nowhere near ascii": f'<meta name="a" content="b"><meta charset="{label}">',
    }
    before = f"<!-- {'x' * 5000} charset=utf-16 -->" if where == "late meta" else ""
    body = page(text, meta=metas.get(where, ""), before=before).encode(codec)
    header = f'text/html; charset="{label}"' if where == "header" else "text/html"
    assert text in decode(body, header)


@pytest.mark.parametrize(
    ("text", "codec", "lang"),
    [
        (RUSSIAN, "cp1251", "en"),
        (RUSSIAN, "koi8-r", "ru"),
        (CHINESE, "gbk", "en"),
        (JAPANESE, "euc_jp", "en"),
        (JAPANESE, "cp932", "ja"),
        (JAPANESE, "iso2022_jp", "en"),
        (KOREAN, "cp949", "en"),
        (FRENCH, "cp1252", "en"),
        (TURKISH, "cp1254", "tr"),
        (HEBREW, "cp1255", "he"),
        (RUSSIAN, "utf-8", "en"),
    ],
)
def test_undeclared(text: str, codec: str, lang: str) -> None:
    assert text in decode(page(text * 5, lang=lang).encode(codec))


def test_byte_order_mark_wins_over_header() -> None:
    assert decode("é".encode("utf-8-sig"), "text/html; charset=windows-1251") == "é"
    assert decode("\ufeffé".encode("utf-16-le"), "text/html; charset=utf-8") == "é"


@pytest.mark.parametrize(
    ("body", "header", "want"),
    [
        (page(RUSSIAN).encode(), "text/html; charset=iso-8859-1", RUSSIAN),
        (page(RUSSIAN, meta="<meta charset=windows-1251>").encode("cp1251"), "text/html; charset=utf-8", RUSSIAN),
        (page(CHINESE, meta="<meta charset=utf-8>").encode("gbk"), None, CHINESE),
        (page(JAPANESE, meta="<meta charset=utf-16>").encode(), None, JAPANESE),
        (page(FRENCH).encode("cp1252"), "text/html; charset=utf-16", FRENCH),
        (page(RUSSIAN).encode(), "text/html; charset=rot13", RUSSIAN),
        (page(RUSSIAN).encode(), "text/html; charset=no-such", RUSSIAN),
    ],
)
def test_a_lie_loses(body: bytes, header: str | None, want: str) -> None:
    assert want in decode(body, header)


@pytest.mark.parametrize(
    "before",
    ["<!-- <meta charset=iso-8859-1> -->", "<!-- a --><!-- <meta charset=iso-8859-1> -->", "<!-- a > b -->"],
)
def test_a_comment_declares_nothing(before: str) -> None:
    text = page(RUSSIAN, meta="<meta charset=windows-1251>", before=before)
    assert decode(text.encode("windows-1251")) == text


def test_header_wins_over_meta() -> None:
    body = page(FRENCH, meta="<meta charset=windows-1251>").encode("cp1252")
    assert FRENCH in decode(body, "text/html; charset=windows-1252")


def test_stray_bytes_do_not_change_the_encoding() -> None:
    body = page(RUSSIAN * 10).encode() + b"\xff<p>"
    assert RUSSIAN in decode(body)
    assert RUSSIAN[:-1] in decode(page(RUSSIAN * 10).encode()[:-30])


TEXTS = {
    "en": "It’s what she said – “we don’t know” … ",
    "fr": FRENCH,
    "ru": RUSSIAN,
    "zh": CHINESE,
    "ja": JAPANESE,
    "ko": KOREAN,
    "he": HEBREW,
    "signs": "Fine 👍 and 🎉 as ever ",
}
UTF8_HEADERS = st.sampled_from([None, "text/html", "text/html; charset=UTF-8", "text/html; charset=iso-8859-1"])


def sequences(text: str) -> list[str]:
    return [character for character in text if not character.isascii()]


@given(st.sampled_from(sorted(TEXTS)), st.integers(4, 40), st.integers(0, 100), UTF8_HEADERS, st.data())
def test_cut_characters_do_not_garble_a_page(
    language: str, pieces: int, part: int, header: str | None, data: st.DataObject
) -> None:
    body = b""
    wanted = []
    for _ in range(pieces):
        cut = data.draw(st.sampled_from(sequences(TEXTS[language]))).encode()
        is_cut = data.draw(st.integers(0, 99)) < part // 2 and len(cut) > 2
        wanted.append(TEXTS[language])
        body += f"<p>{TEXTS[language]}</p>".encode()
        body += b"<li>she said " + cut[: data.draw(st.integers(1, len(cut) - 1)) if is_cut else None] + b" ...</li>"
    assert decode(body, header).count(TEXTS[language]) >= pieces


@pytest.mark.parametrize("header", ["text/html; charset=utf-8", None, "text/html; charset=windows-1252"])
@pytest.mark.parametrize("cut", [b"\xe2\x80", b"\xf0\x9f\x91", b"\xf0\x9f", b"\xe4\xb8", b"\xc3", b"\xd0", b"\xa0"])
def test_few_characters_are_evidence_enough(cut: bytes, header: str | None) -> None:
    body = "<p>It’s a, it’s b, it’s c</p>".encode() + b"<li>x" + cut + b"</li><li>y" + cut + b"</li>"
    assert "It’s a, it’s b, it’s c" in decode(body, header)


@pytest.mark.parametrize("header", ["text/html; charset=utf-8", None, "text/html; charset=iso-8859-1"])
@pytest.mark.parametrize(("comment", "codec"), [(FRENCH, "cp1252"), (RUSSIAN, "cp1251"), (RUSSIAN, "koi8-r")])
def test_a_comment_in_another_encoding_does_not_garble_the_page(comment: str, codec: str, header: str | None) -> None:
    posts = "<p>It’s a post</p><p>She’s here</p><p>We’re there</p>"
    body = posts.encode() + f"<li>{comment * 3}</li>".encode(codec) + "<p>That’s all</p>".encode()
    text = decode(body, header)
    assert posts in text
    assert "That’s all" in text


def test_one_text_of_each_encoding_are_read_as_the_newer_one() -> None:
    body = "<p>It’s “quoted”</p>".encode() + "<li>café naïve déjà vu été</li>".encode("cp1252")
    assert "It’s “quoted”" in decode(body)


@pytest.mark.parametrize("header", ["text/html; charset=utf-8", None])
@pytest.mark.parametrize("meta", ["", "<meta charset=utf-8>"])
@pytest.mark.parametrize("repeated", [1, 5])
@pytest.mark.parametrize(
    ("text", "codec", "lang"),
    [
        (FRENCH, "cp1252", "fr"),
        ("« Été » : l’« ÉCOLE » À «\xa0NOËL\xa0» – œuvre “citée” ", "cp1252", "fr"),
        (RUSSIAN, "cp1251", "ru"),
        (RUSSIAN, "koi8-r", "ru"),
        (CHINESE, "gbk", "zh"),
        (JAPANESE, "euc_jp", "ja"),
        (JAPANESE, "cp932", "ja"),
        (KOREAN, "cp949", "ko"),
        ("今天天氣很好，我們去公園玩。這是一個關於程式設計的部落格，謝謝大家的支持。", "big5hkscs", "zh"),
        (HEBREW, "cp1255", "he"),
        (TURKISH, "cp1254", "tr"),
    ],
)
def test_utf8_that_is_declared_wrongly_loses(
    text: str, codec: str, lang: str, repeated: int, meta: str, header: str | None
) -> None:
    assert text in decode(page(text * repeated, lang=lang, meta=meta).encode(codec), header)


def test_gb2312_euro() -> None:
    assert "€" in decode(page(CHINESE).encode("gbk") + b"\x80", "text/html; charset=gb2312")


@pytest.mark.parametrize(
    ("label", "codec"),
    [("latin1", "cp1252"), (" UTF8 ", "utf-8"), ("sjis", "cp932"), ("hex", None), ("utf-7", None), ("", None)],
)
def test_labels(label: str, codec: str | None) -> None:
    assert codec_of(label) == codec


@given(
    st.binary(max_size=3000), st.sampled_from([None, "text/html; charset=gbk", "text/html; charset=utf-16", "charset="])
)
def test_never_raises(body: bytes, header: str | None) -> None:
    assert isinstance(decode(body, header), str)


@pytest.mark.parametrize(
    "body",
    [
        b"<meta " * 500_000,
        b"<!--" * 500_000,
        b"a" * 5_000_000 + b"\xff\xfe\xff",
        b"\xff" * 2_000_000,
        b"<\xff" * 1_000_000,
        b"\xe2\x80" * 2_000_000,
        b"<?xml " * 300_000,
    ],
)
def test_linear(body: bytes) -> None:
    begin = time.process_time()
    decode(body)
    assert time.process_time() - begin < 2
