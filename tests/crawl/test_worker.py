"""A worker hands in to each crawl what that wants, also where one takes the place of another."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

from scrapy import Request
from scrapy.http import HtmlResponse
from scrapy.settings import Settings

from blogcrawler.shared_crawl.page_messages import page_wanted, queue_of, terms_of
from blogcrawler.shared_crawl.worker import Worker
from tests.wrapper.pages import OLD, Post, classic, learned


def respond(request: Request, post: Post) -> None:
    assert request.callback is not None
    response = HtmlResponse(post.url, body=classic(post).encode(), request=request)
    request.callback(response, **request.cb_kwargs)


async def answers_to_the_second(settings: Settings) -> Any:
    """The answer to page 1 of a second crawl: when that of the first crawl came, and when its own came."""
    ctx: Any = SimpleNamespace(start_url="http://blog.example.org/", settings=settings)
    holder = "first"
    ctx.lease = SimpleNamespace(holder=lambda _: holder)
    queues = {name: queue_of(settings, name) for name in ("first", "second")}
    worker = Worker(ctx)
    requests = worker.requests()
    begun, found = [], []
    for name, post in zip(queues, OLD, strict=False):
        holder = name
        wrapper = (1, json.dumps(learned(classic).to_dict())) if name == "first" else (0, "")
        await queues[name].ask(terms_of(settings), {}, wrapper=wrapper)
        asking = asyncio.ensure_future(anext(requests))
        while not (await queues[name].ask(terms_of(settings), {})).workers:
            await asyncio.sleep(0.05)
        wanted = {1: json.dumps(page_wanted(Request(post.url)))}
        await queues[name].ask(terms_of(settings), wanted)
        begun.append(await asking)
    working = asyncio.ensure_future(anext(requests))
    for request, post in zip(begun, OLD, strict=False):
        respond(request, post)
        await asyncio.sleep(0.3)
        found.append((await queues["second"].ask(terms_of(settings), wanted)).answers)
    working.cancel()
    await worker.leave()
    for queue in queues.values():
        await queue.close()
    return found


def test_what_was_under_way_for_a_crawl_that_has_ended_is_not_handed_in_to_the_next(redis_server):
    settings = Settings({"CLAIM": ""})
    settings.setmodule("blogcrawler.settings")
    settings.set("FRONTIER_URL", redis_server.url, "cmdline")
    with ThreadPoolExecutor() as pool:
        before, after = pool.submit(asyncio.run, answers_to_the_second(settings)).result()
    assert before == {}
    assert after[1]["page"]["url"] == OLD[1].url
    assert "read" not in after[1], "it was given no wrapper by that crawl"
