"""`python -m blogcrawler` is the program `blogcrawler`."""

from __future__ import annotations

from blogcrawler.cli import main

main()
