"""Writes docs/settings.md from the settings and their comments: python -m tests.settings_page"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

from blogcrawler import __version__, settings
from blogcrawler.configuration import setting_type

PAGE = Path(__file__).parents[1] / "docs" / "settings.md"
LONG = 40
"""Characters of a default that are shown."""

BEGINNING = """\
# Settings

Give a setting with `-s`, as often as needed:

    blogcrawler archive http://blog.example.org/ -s CONTACT=me@example.org -s PAGE_LIMIT=500

To set them permanently, write them to `blogcrawler.toml` in the current folder or, for all folders, in `~/.config/blogcrawler/` (below
`XDG_CONFIG_HOME` if that is set). Only the first file that exists is read:

```toml
[politeness]
CONTACT = "me@example.org"
DOWNLOAD_DELAY = 2

[archive]
DATABASE_URL = "postgresql+psycopg://me@localhost/archive"
```

You may choose the headings. An environment variable, `BLOGCRAWLER_` and the setting's name, overrides the file, as in
`BLOGCRAWLER_PAGE_LIMIT=500 blogcrawler …`; `-s` overrides both. For secrets, `BLOGCRAWLER_NAME_FILE` gives the path of a file that contains the value
of `NAME`. `blogcrawler config` shows each value and where it comes from.

Settings that need code go into a Python module, such as `my_settings.py`:

```python
from blogcrawler.settings import *

CONTACT = "me@example.org"
DATABASE_URL = "postgresql+psycopg://me@localhost/archive"
```

Use it with `PYTHONPATH=. SCRAPY_SETTINGS_MODULE=my_settings blogcrawler crawl …`. The file, the environment and `-s` override it.

`blogcrawler/advanced_settings.py` has further settings, which few users need. All others are
[Scrapy's](https://docs.scrapy.org/en/latest/topics/settings.html), with its defaults.

<!-- The tables are made from blogcrawler/settings.py by python -m tests.settings_page -->
"""


TABLE = "\n## {heading}\n\n| setting | type | default | what it does |\n|---|---|---|---|\n"


def page() -> str:
    """The page as it should be."""
    return BEGINNING + "".join(_lines())


def _lines() -> Iterator[str]:
    source = inspect.getsource(settings)
    nodes = {node.lineno: node for node in ast.parse(source).body if isinstance(node, ast.Assign | ast.AnnAssign)}
    comment: list[str] = []
    for number, line in enumerate(source.splitlines(), 1):
        if heading := re.fullmatch(r"# --- (.*?) -+", line):
            yield TABLE.format(heading=heading[1])
        elif line.startswith("# "):
            comment.append(line[2:].replace("|", "&#124;"))
        elif number in nodes:
            yield f"| `{_name(nodes[number])}` | {_type(nodes[number])} | {_default(nodes[number])} | {' '.join(comment)} |\n"
            comment = []


def _name(node: ast.Assign | ast.AnnAssign) -> str:
    target = node.targets[0] if isinstance(node, ast.Assign) else node.target
    return ast.unparse(target)


def _type(node: ast.Assign | ast.AnnAssign) -> str:
    known = setting_type(_name(node))
    assert known is not None
    return known.words.removeprefix("a ")


def _default(node: ast.Assign | ast.AnnAssign) -> str:
    value = getattr(settings, _name(node))
    if value == "" or value == []:
        return "none"
    shown = str(value).replace(__version__, "VERSION")
    return f"`{shown}`" if len(shown) <= LONG else "see `blogcrawler/settings.py`"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
