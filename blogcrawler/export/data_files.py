"""The texts that come with the package for exports: scripts, a schema, and what is said to readers."""

from __future__ import annotations

from importlib.resources import files


def data_text(name: str) -> str:
    """The text of a data file."""
    return files(__package__).joinpath("data", name).read_text("utf-8")
