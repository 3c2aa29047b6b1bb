"""Archives blogs: from a blog's address to a record of every post."""

from __future__ import annotations

__version__ = "0.1.0"
