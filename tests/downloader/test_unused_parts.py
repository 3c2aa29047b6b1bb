"""Parts of Scrapy's that a setting has off are not imported, and are there where it is on."""

from __future__ import annotations

import pytest
from scrapy.settings import Settings

from blogcrawler.component import UnusedPartsAddon


@pytest.mark.parametrize(("setting", "base", "part"), UnusedPartsAddon.PARTS)
def test_a_part_is_there_where_its_setting_is_on_alone(setting, base, part):
    known = Settings()[base]
    assert part in known, "as Scrapy calls it"
    for is_on in (True, False):
        settings = Settings({name: is_on if name == setting else True for name, _, _ in UnusedPartsAddon.PARTS})
        UnusedPartsAddon().update_settings(settings)
        assert (part in settings[base]) == is_on
        assert set(known) - {part} <= set(settings[base])
