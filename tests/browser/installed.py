"""Whether there is a browser on this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from blogcrawler.browser.choices import browsers

OWN = Path.home() / ".cache" / "ms-playwright"
IS_THERE = any(OWN.glob("chromium*")) or any(program is not None for program in browsers(""))

needs_a_browser = pytest.mark.skipif(not IS_THERE, reason="there is no Chromium: apt-get install chromium")
