"""The unpacked model tells languages as the library's own does."""

from __future__ import annotations

import pytest
from py3langid.langid import MODEL_FILE, LanguageIdentifier

from blogcrawler.language_model import language_identifier

TEXTS = [
    "The quick brown fox jumps over the lazy dog, and then it goes home.",
    "Der schnelle braune Fuchs springt über den faulen Hund und geht nach Hause.",
    "こんにちは、世界。今日はいい天気ですね。",
    "",
]


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "blogcrawler"


def test_the_unpacked_model_ranks_as_the_packed_one(cache):
    own = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    for _ in ("unpacking", "unpacked"):
        found = language_identifier()
        assert [found.rank(text) for text in TEXTS] == [own.rank(text) for text in TEXTS]
        assert found.labels == own.labels
    assert [folder.name.rpartition("-")[0] for folder in cache.iterdir()] == ["py3langid"], "nothing else is left"


def test_without_room_for_it_the_packed_model_is_read(cache):
    cache.write_text("a file where the folder should be")
    assert language_identifier().rank(TEXTS[0])[0][0] == "en"


def test_a_file_that_was_cut_is_not_read(cache):
    language_identifier()
    (file,) = cache.glob("*/nb_ptc.npy")
    file.write_bytes(file.read_bytes()[:1000])
    assert language_identifier().rank(TEXTS[0])[0][0] == "en"
