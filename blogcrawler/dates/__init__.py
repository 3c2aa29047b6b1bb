"""Dates of blog posts: read them in many languages and notations, write them in every form that a theme might show."""

from __future__ import annotations

from blogcrawler.dates.moment import Moment
from blogcrawler.dates.order import settle_order
from blogcrawler.dates.read import could_be_date, find_dates, read_date, readings
from blogcrawler.dates.readings import DateSpan, Reading
from blogcrawler.dates.url import date_in_url
from blogcrawler.dates.write import forms

__all__ = [
    "DateSpan",
    "Moment",
    "Reading",
    "could_be_date",
    "date_in_url",
    "find_dates",
    "forms",
    "read_date",
    "readings",
    "settle_order",
]
