"""Which language a text is written in, where the text leaves no doubt.

Scripts that one language is mostly written in tell it by their letters. The others are told by function words, the
commonest words of a language (Ingle, "A language identification table", 1980; Grefenstette, "Comparing two language
identification schemes", 1995): they make up a third of any prose, and hardly any of another language's.
"""

from __future__ import annotations

import re
from collections import defaultdict

__all__ = ["LONGEST", "is_known", "language_of", "same_language"]

ENOUGH = 8
"""Function words that a text must have."""
SHARE = 0.08
"""Share of function words among all words."""
WRITTEN = 0.2
"""Share of the letters that a script must have: one of its signs says more than a letter of the code in a text."""
CLEAR = 1.25
"""How many times the weight of the next language's words that of its words must be. Words of several languages weigh less."""
LONGEST = 3000
"""Characters of a text that are read."""

LETTER = re.compile(r"[^\W\d_]")
WORD = re.compile(r"[^\W\d_]+")
KANA = re.compile(r"[\u3041-\u30ff]")
HAN = re.compile(r"[\u3400-\u9fff]")
SCRIPTS = {
    "ko": re.compile(r"[\uac00-\ud7af]"),
    "el": re.compile(r"[\u0370-\u03ff]"),
    "he": re.compile(r"[\u05d0-\u05ea]"),
    "th": re.compile(r"[\u0e00-\u0e7f]"),
    "hi": re.compile(r"[\u0900-\u097f]"),
    "ka": re.compile(r"[\u10d0-\u10ff]"),
    "hy": re.compile(r"[\u0531-\u0587]"),
}
KANA_OF_JAPANESE = 0.15
"""Share of kana among kana and Han characters in any Japanese; a few stand in Chinese as ornaments."""

FUNCTION_WORDS = {
    "ar": "في من على أن إلى هذا التي ما عن هذه الذي كان مع لا",
    "bg": "и в не на че се да за от си със като но това е са",
    "ca": "el la els les de i en un una per amb que és però més com no al del ho",
    "cs": "a se na je že to v s do jsem ale jako by pro co tak jsou nebo už",
    "da": "og i det at er en på for af ikke der jeg som med til har et men hvad efter mig noget være blev",
    "de": "und der die das ist ich nicht ein eine zu den mit auf für es im von auch sich dem wie",
    "en": "the of and to in is that it for was with are on be this you have not as i my",
    "es": "el la los las de y en un una que por con para es lo se del no más pero como al su",
    "eu": "eta da ez bat du dira zen baina hau ere duen egin izan dute oso",
    "fa": "و در به از که این را با است آن برای یک می هم های خود",
    "fi": "ja on ei se että en mutta oli kun niin ole myös tai jos kuin olen hän joka",
    "fr": "le la les des et une un est dans du de pour qui que pas sur au ce avec je en il plus vous",
    "hr": "i je u se na da su za od ne koji kao što bi ali sam iz to će",
    "hu": "a az és hogy nem is egy de van meg ez volt csak már mint ha",
    "id": "yang dan di untuk dengan ini itu dari pada tidak akan ke bisa adalah kita saya ada juga",
    "it": "il di che è non una un per sono della gli del con più anche la le e i si da come",
    "nl": "de het een van ik niet dat zijn op voor met te er aan en in is ook maar om",
    "no": "og i det at er en på for av ikke som jeg med til har et men å hva etter meg noe ble",
    "pl": "w i na z się do nie to że jest o jak za od ale po co przez dla tak",
    "pt": "o a os as de e em um uma que não por com para do da no na é se mais ao dos mas",
    "ro": "și în de la cu nu un o pe care este din ce mai să pentru am fi dar sau",
    "ru": "и в не на что я с это как но а он по к из у за то все для так",
    "sk": "a sa na je že to v s do som ale ako by pre čo tak sú alebo už",
    "sr": "и у је на да се не за су од што као али сам из то са",
    "sv": "och i det att är en på för av inte som jag med den till har ett men de var om",
    "tr": "ve bir bu için da de ile çok olarak ne daha gibi var olan en ama ben kadar",
    "uk": "і в не на що я з це як але та у до за для так від він про ми",
    "ur": "اور کے میں ہے کی سے کا کو نے پر یہ ہیں اس کہ",
    "vi": "và là của không có cho được một trong với các những này đã để người khi như",
}
"""The commonest words of languages that share their script with others."""

NAMES = {"nb": "no", "nn": "no", "iw": "he", "in": "id", "ms": "id", "bs": "hr", "cmn": "zh"}
"""Other names of languages, and languages that function words do not tell from another one."""
KNOWN = frozenset([*FUNCTION_WORDS, *SCRIPTS, "ja", "zh"])


def _by_word() -> dict[str, list[str]]:
    languages: dict[str, list[str]] = defaultdict(list)
    for language, words in FUNCTION_WORDS.items():
        for word in dict.fromkeys(words.split()):
            languages[word].append(language)
    return languages


LANGUAGES = _by_word()
"""The languages that have a function word."""


def language_of(text: str) -> str | None:
    """The language of a text (ISO 639-1), None where there are too few words or two languages come near. O(n)."""
    text = text[:LONGEST]
    return (None if text.isascii() else _by_script(text)) or _by_words(text)


def is_known(tag: str) -> bool:
    """Is the language of a tag of BCP 47 one that texts are told to be in?"""
    return _primary(tag) in KNOWN


def same_language(first: str, second: str) -> bool:
    """Do two tags of BCP 47 name one language, whatever the region and script?"""
    return _primary(first) == _primary(second)


def _primary(tag: str) -> str:
    code = re.split("[-_]", tag.casefold())[0]
    return NAMES.get(code, code)


def _by_script(text: str) -> str | None:
    letters, kana, han = (len(signs.findall(text)) for signs in (LETTER, KANA, HAN))
    counts = {language: len(script.findall(text)) for language, script in SCRIPTS.items()}
    counts["ja" if kana > KANA_OF_JAPANESE * (kana + han) else "zh"] = kana + han
    best = max(counts, key=lambda language: counts[language])
    return best if counts[best] >= max(ENOUGH, WRITTEN * letters) else None


def _by_words(text: str) -> str | None:
    words = WORD.findall(text.casefold())
    counts: dict[str, int] = defaultdict(int)
    weights: dict[str, float] = defaultdict(float)
    for word in words:
        languages = LANGUAGES.get(word, ())
        for language in languages:
            counts[language] += 1
            weights[language] += 1 / len(languages)
    if not weights:
        return None
    best, *others = sorted(weights, key=lambda language: -weights[language])
    enough = counts[best] >= max(ENOUGH, SHARE * len(words))
    return best if enough and all(weights[best] >= CLEAR * weights[other] for other in others[:1]) else None
