"""Renders pages and documents from templates: values are escaped, and a misspelt name is an error."""

from __future__ import annotations

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from blogcrawler.urls import is_http


def templates_of(*packages: str, folder: str = "templates") -> Environment:
    """The templates in folders of some packages; those of the first package take precedence."""
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package, folder) for package in packages]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.tests["web"] = lambda url: bool(url) and is_http(url)
    return environment
