"""Reads the dates of blog posts in many languages and notations."""

from __future__ import annotations

from blogcrawler.dates.lexicon import primary_languages
from blogcrawler.dates.moment import DateSpan, Moment, Reading
from blogcrawler.dates.order import order_of_languages, order_shown, settle_order
from blogcrawler.dates.read import could_be_date, find_dates, languages_of_month, read_date, settled, shown_rather
from blogcrawler.dates.relative import Counted, count_back, read_relative
from blogcrawler.dates.url import date_in_url

__all__ = [
    "Counted",
    "DateSpan",
    "Moment",
    "Reading",
    "could_be_date",
    "count_back",
    "date_in_url",
    "find_dates",
    "languages_of_month",
    "order_of_languages",
    "order_shown",
    "primary_languages",
    "read_date",
    "read_relative",
    "settle_order",
    "settled",
    "shown_rather",
]
