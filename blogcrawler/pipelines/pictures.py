"""Pictures of posts that were shown in the browser."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from scrapy.exceptions import DropItem
from scrapy.utils.asyncio import run_in_thread

from blogcrawler.errors import BackendUnavailable, FileRefused
from blogcrawler.items import SCREENSHOT, Media
from blogcrawler.routes import out_of_path

if TYPE_CHECKING:
    from blogcrawler.backend import Files
    from blogcrawler.items import Page, Record

logger = logging.getLogger(__name__)


async def keep_picture(item: Record, page: Page, files: Files) -> None:
    """Keep the picture that was taken of a page, if any, with the record. Raises DropItem."""
    if page.screenshot is None:
        return
    try:
        file = await run_in_thread(files.put, page.screenshot)
    except BackendUnavailable as error:
        raise DropItem(str(error), log_level="ERROR") from error
    except FileRefused as error:
        logger.error("The picture of %s is not kept. %s", out_of_path(page.url), error)
    else:
        address = out_of_path(page.url)
        item.media.append(Media(address, file.path, file.sha256, "image/jpeg", file.bytes, SCREENSHOT))
    page.screenshot = None
