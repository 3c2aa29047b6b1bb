"""Where the model of languages lies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from blogcrawler.language_model import load_identifier

if TYPE_CHECKING:
    from pathlib import Path

TEXT = "Heute war ich im Garten und habe die ersten Erdbeeren gepflückt."


@pytest.fixture
def caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "blogcrawler"


def test_it_is_unpacked_once(caches: Path) -> None:
    first = load_identifier().rank(TEXT)
    assert first[0][0] == "de"
    written = {path: path.stat().st_mtime_ns for path in caches.rglob("*")}
    assert len(list(caches.iterdir())) == 1
    assert load_identifier().rank(TEXT) == first
    assert {path: path.stat().st_mtime_ns for path in caches.rglob("*")} == written


@pytest.mark.parametrize("content", [b"", b"\x93NUMPY\x01\x00", b"no array"])
def test_what_is_damaged_is_not_used(caches: Path, content: bytes) -> None:
    expected = load_identifier().rank(TEXT)
    next(caches.rglob("ptc.npy")).write_bytes(content)
    assert load_identifier().rank(TEXT) == expected
    assert next(caches.rglob("ptc.npy")).stat().st_size > 1000, "it is repaired for the next crawl"


def test_no_folder_is_needed(caches: Path) -> None:
    caches.write_text("a file is in its place")
    assert load_identifier().classify(TEXT)[0] == "de"
