"""Dates as feeds in the wild write them."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blogcrawler.feeds.dates import iso_date

EXAMPLES = [
    # RFC 822 and 2822
    ("Tue, 05 Mar 2024 10:00:00 +0100", "2024-03-05T10:00:00+01:00"),
    ("Tue, 05 Mar 2024 10:00:00 +01:00", "2024-03-05T10:00:00+01:00"),
    ("Tue, 5 Mar 2024 10:00 GMT", "2024-03-05T10:00+00:00"),
    ("Tue, 05 Mar 2024 10:00:00 -0000", "2024-03-05T10:00:00+00:00"),
    ("Tue, 05 Mar 2024 10:00:00", "2024-03-05T10:00:00"),
    ("Tue, 05 Mar 2024", "2024-03-05"),
    ("5 Mar 24 10:00 EST", "2024-03-05T10:00-05:00"),
    ("05 Mar 99 10:00:00 Z", "1999-03-05T10:00:00+00:00"),
    ("Tue, 05 Mar 2024 10:00:00 CEST", "2024-03-05T10:00:00+02:00"),
    ("Tue, 05 Mar 2024 10:00:00 BST", "2024-03-05T10:00:00+01:00"),
    ("Tue, 05 Mar 2024 10:00:00 PDT (x)", "2024-03-05T10:00:00-07:00"),
    ("mar, 05 ago 2014 10:00:00 +0000", "2014-08-05T10:00:00+00:00"),
    ("Fri, 13 Sept 2013 00:00:00 +0200", "2013-09-13T00:00:00+02:00"),
    ("Tue, 05 March 2024 24:00:00 +0000", "2024-03-06T00:00:00+00:00"),
    ("Tue, 05 Mar 2024 10:00:00 AWST", "2024-03-05T10:00:00+08:00"),
    ("10:00 Mar 5 2024", "2024-03-05T10:00"),
    # a zone of several offsets, an offset that is none
    ("Tue, 05 Mar 2024 10:00:00 IST", "2024-03-05T10:00:00"),
    ("Tue, 05 Mar 2024 10:00:00 +9900", "2024-03-05T10:00:00"),
    # RFC 3339, W3CDTF, ISO 8601
    ("2024-03-05T10:00:00Z", "2024-03-05T10:00:00+00:00"),
    ("2024-03-05T10:00:00.001-07:00", "2024-03-05T10:00:00.001-07:00"),
    ("2024-03-05T10:00:00.000000000Z", "2024-03-05T10:00:00+00:00"),
    ("2024-03-05T10:00+09:00", "2024-03-05T10:00+09:00"),
    ("2024-03-05T10:00:00+01:00[Europe/Paris]", "2024-03-05T10:00:00+01:00"),
    ("2024-03-05 10:00:00", "2024-03-05T10:00:00"),
    ("2024-03-05 10:00:00 +0100", "2024-03-05T10:00:00+01:00"),
    ("20240305T100000Z", "2024-03-05T10:00:00+00:00"),
    ("2024-03-05", "2024-03-05"),
    ("2024-03", "2024-03"),
    ("2024-3-5T8:5:3Z", "2024-03-05T08:05:03+00:00"),
    ("Tue, 05 Mar 2024 20:0:0 Z", "2024-03-05T20:00:00+00:00"),
    ("2024/3/5 1:02", "2024-03-05T01:02"),
    # what programs print
    ("Tue Mar  5 10:00:00 2024", "2024-03-05T10:00:00"),
    ("Tue Mar 05 10:00:00 CET 2024", "2024-03-05T10:00:00+01:00"),
    ("Tuesday, 05-Mar-24 10:00:00 GMT", "2024-03-05T10:00:00+00:00"),
    ("Tue Mar 05 2024 10:00:00 GMT+0100 (CET)", "2024-03-05T10:00:00+01:00"),
    ("March 5, 2024 3:04 PM", "2024-03-05T15:04"),
    ("March 5th, 2024 12:04 am", "2024-03-05T00:04"),
    ("1709632800", "2024-03-05T10:00:00+00:00"),
    ("1709632800000", "2024-03-05T10:00:00+00:00"),
    ("2024-03-05T10:00:00 PM", "2024-03-05T22:00:00"),
    ("2024-03-05 12:00:00AM +0100", "2024-03-05T00:00:00+01:00"),
    ("2024-03-05T22:00:00 PM", "2024-03-05T22:00:00"),
    ("March 5, 2024 13:04 am", "2024-03-05T13:04"),
    # placeholders
    ("0001-01-01T00:00:00Z", None),
    ("0000-00-00 00:00:00", None),
    ("Mon, 30 Nov -0001 00:00:00 +0000", None),
    ("1970-01-01T00:00:00Z", None),
    ("Thu, 01 Jan 1970 01:00:00 +0100", None),
    ("Wed, 31 Dec 1969 19:00:00 -0500", None),
    # ambiguous, impossible, imprecise, no date
    ("05/03/2024", None),
    ("2014-02-30", None),
    ("2024-13", None),
    ("2024", None),
    ("Tue, 05 Mar 2024 25:00:00", None),
    ("mar, 05 set 2014 10:00:00 +0000", None),  # neither English nor a Tuesday
    ("yesterday", None),
    ("", None),
    (None, None),
]


@pytest.mark.parametrize(("raw", "expected"), EXAMPLES)
def test_iso_date(raw, expected):
    assert iso_date(raw) == expected


@pytest.mark.parametrize(
    ("raw", "language", "expected"),
    [
        ("mar, 05 mar 2024 10:00:00 +0100", "it", "2024-03-05T10:00:00+01:00"),
        ("mar, 05 ago 2014 10:00:00 +0000", "es-ES", "2014-08-05T10:00:00+00:00"),
        ("Di, 05 Mär 2024 10:00:00 +0100", "de", "2024-03-05T10:00:00+01:00"),
        ("śr, 12 lut 2014 10:00:00 +0100", "pl", "2014-02-12T10:00:00+01:00"),
        ("jeu., 05 déc. 2013 10:00:00 CET", "fr", "2013-12-05T10:00:00+01:00"),
        ("Вт, 05 мар 2024 10:00:00", "ru", "2024-03-05T10:00:00"),
        ("Вт, 05 мар 2024 10:00:00", None, "2024-03-05T10:00:00"),
        ("5 de marzo de 2024", "es", "2024-03-05"),
        ("05 xyz 2024", "en", None),
        ("Ke, 30 Lok 2013 11:34:37 +0000", None, "2013-10-30T11:34:37+00:00"),
        ("Sal, 30 Tem 2013 11:34:37 +0300", None, "2013-07-30T11:34:37+03:00"),
        ("четверг, 5 марта 2020 г. 10:00", None, "2020-03-05T10:00"),
        ("Jum, 30 Ags 2013 11:34:37 +0700", None, "2013-08-30T11:34:37+07:00"),
        # of which the weekday proves a word that is no word of the feed's language wrong
        ("Sun, 16 zzz 2012 11:47:32 GMT", None, None),
        ("Sun, 16 Lis 2012 11:47:32 GMT", "en", None),
        ("Sun, 16 Lis 2012 11:47:32 GMT", "pl", "2012-11-16T11:47:32+00:00"),
        # in digits
        ("27/09/2016 - 18:26", None, "2016-09-27T18:26"),
        ("03/25/2019", None, "2019-03-25"),
        ("25.03.2019 8:05", "en", "2019-03-25T08:05"),
        ("05/03/2024", None, None),
        # in markup
        ('<time datetime="2019-03-05T10:00:00+0100">5 Mar</time>', None, "2019-03-05T10:00:00+01:00"),
        ("&lt;time datetime='2019-03-05'&gt;today&lt;/time&gt;", None, "2019-03-05"),
        ("<span>5 May 2014</span> <i>10:30</i>", None, "2014-05-05T10:30"),
        ("4 May 2014, changed on 6 June 2015", None, None),
        # a month alone
        ("March 2023", None, "2023-03"),
        ("marzo 2024", "es", "2024-03"),
        ("Mai 2023", "de", "2023-05"),
        ("март 2023 г.", "ru", "2023-03"),
        ("2023年3月", "ja", "2023-03"),
        ("<span>2023. március</span>", None, "2023-03"),
        ("31 February 2024", "en", None),
        ("January - March 2024", "en", None),
        ("listopad 2024", None, None),
        # times in words
        ("27/09/2016 - 18h26", "fr", "2016-09-27T18:26"),
        ("Le 13 février 2019, 10 h 05", "fr", "2019-02-13T10:05"),
        ("2019-02-13T18h26", None, "2019-02-13T18:26"),
        ("2024年3月5日 10:00", None, "2024-03-05T10:00"),
        ("2019年2月13日 18時26分", "ja", "2019-02-13T18:26"),
        ("2019年2月13日下午3:05", "zh", "2019-02-13T15:05"),
        ("2019. 2. 13. 오후 3:05", "ko", "2019-02-13T15:05"),
        ("13 feb 2019, 10:05 p. m.", "es", "2019-02-13T22:05"),
        ("13 Φεβ 2019 10:05 μ.μ.", "el", "2019-02-13T22:05"),
        ("13. Feb 2019 10:05 Sa", "de", "2019-02-13T10:05"),
    ],
)
def test_dates_in_other_languages(raw, language, expected):
    assert iso_date(raw, language) == expected


@given(st.datetimes(), st.timezones() | st.none())
def test_isoformat_is_kept(moment, zone):
    written = moment.replace(tzinfo=zone, microsecond=0).isoformat()
    found = iso_date(written)
    assert found in (None, written) or len(written) > 25  # offsets with seconds, before the time of standard time
    assert moment.year < 1971 or found is not None


@given(st.dates(date(1990, 1, 1), date(2030, 1, 1)), st.sampled_from(["%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y - %H:%M"]))
def test_digits_are_read_where_they_mean_one_day(day, form):
    found = iso_date(day.strftime(form), "en")
    assert found is None or found[:10] == day.isoformat()
    assert found is not None or (day.day <= 12 and day.day != day.month)


@given(st.text(max_size=120) | st.from_regex(r"[0-9:/ T.,+-]{1,40}"))
def test_any_text_is_a_date_or_none(text):
    found = iso_date(text), iso_date(text, "ru")
    assert all(one is None or one[4] == "-" for one in found)
