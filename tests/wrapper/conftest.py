"""Defects that are known and not mended yet: their tests state what is right, and are expected to fail."""

from __future__ import annotations

import pytest

KNOWN = {
    "test_bylines[template2]": "no marks are learned where the first word of what follows a name differs",
    "test_bylines[template3]": "no marks are learned where the first word of what follows a name differs",
    "test_signs_that_a_theme_escaped_twice": "a sign at the end of a title is cut off with what looks like a mark",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.name in KNOWN and "wrapper" in item.nodeid:
            item.add_marker(pytest.mark.xfail(reason=KNOWN[item.name], strict=False))
