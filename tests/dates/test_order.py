from __future__ import annotations

import pytest

from blogcrawler.dates import Moment, order_of_languages, order_shown, settle_order

_MAY = Moment(2014, 5, 2)
_JUNE = Moment(2014, 6, 25)


@pytest.mark.parametrize(
    ("pairs", "order"),
    [
        ([("02/05/2014", _MAY)], "DMY"),
        ([("05/02/2014", _MAY)], "MDY"),
        ([("05.02.14", _MAY), ("06.25.14", _JUNE)], "MDY"),
        ([("14/05/02", _MAY)], "YMD"),
        ([("05/05/2014", Moment(2014, 5, 5))], None),
        ([("05/05/2014", Moment(2014, 5, 5)), ("25/06/2014", _JUNE)], "DMY"),
        ([("Posted 05/02/2014", _MAY), ("25 June 2014", _JUNE), ("25 June 2014", _JUNE)], "MDY"),
        ([("2 May 2014", _MAY)], None),
        ([("May 2, 2014", _MAY), ("June 25, 2014", _JUNE)], None),
        ([("01/05/2014", Moment(2014, 5, 2, hour=3, minute=0, offset_minutes=0))], "DMY"),
        ([("02/05/2014", _JUNE), ("no date", _MAY)], None),
        ([("02/05/2014", _MAY), ("05/02/2014", _MAY)], None),
        ([], None),
    ],
)
def test_order_that_agrees(pairs: list[tuple[str, Moment]], order: str | None) -> None:
    assert settle_order(pairs) == order


@pytest.mark.parametrize(
    ("texts", "order"),
    [
        (["05/04/2014", "25/04/2014"], "DMY"),
        (["05/04/2014", "04/25/14"], "MDY"),
        (["05/04/2014"], None),
        (["25/04/2014", "04/25/2014"], None),
        (["2014-04-25", "25 April 2014", "1.2.3"], None),
    ],
)
def test_order_of_dates_that_leave_no_choice(texts: list[str], order: str | None) -> None:
    assert order_shown(texts) == order


@pytest.mark.parametrize(
    ("tags", "order"),
    [
        (["de"], "DMY"),
        (["pt-BR"], "DMY"),
        (["en"], None),
        (["en-US"], None),
        (["en_US", "fr-FR"], "DMY"),
        (["en-GB"], "DMY"),
        (["fil"], "MDY"),
        (["ja"], None),
        (["ko"], "YMD"),
        (["xx", "", "-", "english"], None),
    ],
)
def test_order_by_custom(tags: list[str], order: str | None) -> None:
    assert order_of_languages(tags) == order
