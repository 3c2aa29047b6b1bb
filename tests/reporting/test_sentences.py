"""Messages from signal handlers."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from rich.console import Console
from rich.live import Live

from blogcrawler.sentences import answer

if TYPE_CHECKING:
    import pytest


def test_a_progress_bar_does_not_hold_back_an_answer(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", sys.__stderr__)
    with Live("fetching", console=Console(stderr=True, force_terminal=True), auto_refresh=False):
        capfd.readouterr()
        answer("Stopping.")
        assert "Stopping.\n" in capfd.readouterr().err
