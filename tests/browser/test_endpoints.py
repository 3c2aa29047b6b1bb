"""How each comment system is asked, and what its answers mean: sources of pages, answers in the shape that servers give."""

from __future__ import annotations

import json
import re
import time
from dataclasses import dataclass, field
from typing import Any

import pytest

from blogcrawler.browser import recognise, thread_of
from blogcrawler.browser.systems import systems

HOME = "https://blog.example.org"
URL = f"{HOME}/2020/a%20caf%C3%A9/"


@dataclass
class Case:
    """A system on a page, its answers, and the questions that they answer."""

    system: str
    source: str
    questions: list[Any]
    answers: list[Any]
    #: id, id of the comment that it answers, author, time and text
    comments: list[tuple[str, str, str, str, str]]
    headers: dict[str, str] = field(default_factory=dict)
    url: str = URL


def github(number: int, login: str) -> dict[str, Any]:
    user = {"login": login, "html_url": f"https://github.com/{login}"}
    return {"id": number, "user": user, "created_at": "2021-02-03T04:05:06Z", "body_html": f"<p>{login}</p>"}


def ghost(id: str, **more: Any) -> dict[str, Any]:  # noqa: A002
    reply = {"id": id, "html": "<p>y</p>", "created_at": "2023-01-02T00:00:00.000Z", "member": None}
    return {**reply, "replies": [], "count": {"replies": 0}, **more}


ISSUES = "https://api.github.com/repos/ann/notes/issues"
ON_GITHUB = [
    ("7", "", "bob", "2021-02-03T04:05:06Z", "<p>bob</p>"),
    ("8", "", "cy", "2021-02-03T04:05:06Z", "<p>cy</p>"),
]
MASTODON = {"id": "12", "in_reply_to_id": "11", "created_at": "2021-02-03T04:05:06.000Z", "content": "<p>y</p>"}
CASES = [
    Case(
        "Waline",
        "<script type=module>import { init } from 'https://unpkg.com/@waline/client'; const path = {path: '/'};"
        "Waline.init({el: '#waline', serverURL: 'https://w.example.org/'})</script>",
        [
            f"https://w.example.org/api/comment?path=%2F2020%2Fa%20caf%C3%A9%2F&pageSize=100&page={page}&lang=en&sortBy=insertedAt_asc"
            for page in (1, 2)
        ],
        [
            {
                "errno": 0,
                "data": {
                    "page": 1, "totalPages": 2, "pageSize": 100, "count": 3,
                    "data": [
                        {
                            "objectId": 1, "nick": "Ann", "link": "https://ann.example", "pid": None, "time": 1590504931000, "comment": "<p>x</p>",
                            "children": [{"objectId": 2, "nick": "Bob", "link": "", "pid": 1, "rid": 1, "time": 1590504932000, "comment": "<p>y</p>"}],
                        }
                    ],
                },
            },
            {"errno": 0, "data": {"page": 2, "totalPages": 2, "count": 3, "data": [{"objectId": 4, "nick": "Dee", "pid": None, "comment": "z"}]}},
        ],
        [
            ("1", "", "Ann", "2020-05-26T14:55:31+00:00", "<p>x</p>"),
            ("2", "1", "Bob", "2020-05-26T14:55:32+00:00", "<p>y</p>"),
            ("4", "", "Dee", "", "z"),
        ],
    ),
    Case(
        "Disqus",
        "<div id='disqus_thread'></div><script>var disqus_config = function () { this.page.identifier = 'post-7'; };"
        "s.src = 'https://my-blog.disqus.com/embed.js';</script><title>A &amp; B</title>",
        [
            ("https://disqus.com/embed/comments/?base=default&f=my-blog&t_i=post-7"
            "&t_u=https%3A%2F%2Fblog.example.org%2F2020%2Fa%2520caf%25C3%25A9%2F&t_d=A%20%26%20B&s_o=default")
        ],
        [
            '<html><script type="text/json" id="disqus-threadData">'
            + json.dumps(
                {
                    "cursor": {"hasNext": False, "total": 2},
                    "response": {
                        "posts": [
                            {"id": "5", "parent": None, "author": {"name": "Ann", "url": "http://ann.example"}, "createdAt": "2020-01-02T03:04:05", "message": "<p>x</p>"},
                            {"id": "6", "parent": 5, "author": {"name": "Bob"}, "createdAt": "2020-01-02T03:04:06", "message": "<p>y</p>"},
                        ]
                    },
                }
            )
            + "</script></html>"
        ],
        [("5", "", "Ann", "2020-01-02T03:04:05Z", "<p>x</p>"), ("6", "5", "Bob", "2020-01-02T03:04:06Z", "<p>y</p>")],
    ),
    Case(
        "giscus",
        '<script src="https://giscus.app/client.js" data-repo="ann/notes" data-repo-id="R_1" data-category="Comments" '
        'data-category-id="D_1" data-mapping="pathname" data-strict="1" async></script>',
        [
            "https://giscus.app/api/discussions?repo=ann%2Fnotes&term=2020%2Fa%2520caf%25C3%25A9%2F&category=Comments&number=0&strict=true&first=50&after=",
            "https://giscus.app/api/discussions?repo=ann%2Fnotes&term=2020%2Fa%2520caf%25C3%25A9%2F&category=Comments&number=0&strict=true&first=50&after=Y%3D%3D",
        ],
        [
            {
                "discussion": {
                    "totalCommentCount": 2, "totalReplyCount": 1, "pageInfo": {"hasNextPage": True, "endCursor": "Y=="},
                    "comments": [
                        {
                            "id": "DC_1", "author": {"login": "ann", "url": "https://github.com/ann"}, "createdAt": "2022-01-02T03:04:05Z", "bodyHTML": "<p>x</p>",
                            "replyCount": 1, "replies": [{"id": "DC_2", "author": {"login": "bob"}, "createdAt": "2022-01-02T03:05:05Z", "bodyHTML": "<p>y</p>", "replyToId": "DC_1"}],
                        }
                    ],
                }
            },
            {
                "discussion": {
                    "totalCommentCount": 2, "totalReplyCount": 0, "pageInfo": {"hasNextPage": False, "endCursor": None},
                    "comments": [{"id": "DC_3", "author": {"login": "cy"}, "createdAt": "2022-01-03T03:04:05Z", "bodyHTML": "<p>z</p>", "replyCount": 0, "replies": []}],
                }
            },
        ],
        [
            ("DC_1", "", "ann", "2022-01-02T03:04:05Z", "<p>x</p>"),
            ("DC_2", "DC_1", "bob", "2022-01-02T03:05:05Z", "<p>y</p>"),
            ("DC_3", "", "cy", "2022-01-03T03:04:05Z", "<p>z</p>"),
        ],
    ),
    Case(
        "utterances",
        '<script src="https://utteranc.es/client.js" repo="ann/notes" issue-term="og:title" theme="github-light"></script>'
        '<meta property="og:title" content="A post">',
        [
            "https://api.github.com/search/issues?q=%22A%20post%22%20type%3Aissue%20in%3Atitle%20repo%3Aann/notes&sort=created&order=asc",
            f"{ISSUES}/5/comments?per_page=100&page=1",
        ],
        [{"total_count": 1, "items": [{"number": 5, "comments": 2}]}, [github(7, "bob"), github(8, "cy")]],
        ON_GITHUB,
    ),
    Case(
        "utterances",
        "<script src='https://utteranc.es/client.js' repo='ann/notes' issue-number='9'></script>",
        [f"{ISSUES}/9", f"{ISSUES}/9/comments?per_page=100&page=1"],
        [{"number": 9, "comments": 2}, [github(7, "bob"), github(8, "cy")]],
        ON_GITHUB,
    ),
    Case(
        "Gitalk",
        "<script>const gitalk = new Gitalk({clientID: 'x', clientSecret: 'y', repo: 'notes', owner: 'ann', admin: ['ann'],"
        "id: location.pathname, distractionFreeMode: false})</script>",
        [f"{ISSUES}?labels=Gitalk,%2F2020%2Fa%2520caf%25C3%25A9%2F", f"{ISSUES}/5/comments?per_page=100&page=1"],
        [[{"number": 5, "comments": 2}], [github(7, "bob"), github(8, "cy")]],
        ON_GITHUB,
    ),
    Case(
        "Cusdis",
        '<div id="cusdis_thread" data-host="https://c.example.org" data-app-id="app-1" data-page-id="a b" data-page-url="x"></div>',
        [f"https://c.example.org/api/open/comments?appId=app-1&pageId=a%20b&page={page}" for page in (1, 2)],
        [
            {
                "data": {
                    "commentCount": 2, "pageSize": 1, "pageCount": 2,
                    "data": [
                        {
                            "id": "u1", "by_nickname": "Ann", "createdAt": "2021-01-01T00:00:00.000Z", "parsedContent": "<p>x</p>",
                            "replies": {"data": [{"id": "u2", "parentId": "u1", "by_nickname": "Bob", "moderator": {"displayName": "Robert"}, "createdAt": "2021-01-02T00:00:00.000Z", "parsedContent": "<p>y</p>"}]},
                        }
                    ],
                }
            },
            {"data": {"commentCount": 2, "pageSize": 1, "pageCount": 2, "data": [{"id": "u3", "by_nickname": "Cy", "createdAt": "2021-01-03T00:00:00.000Z", "parsedContent": "<p>z</p>", "replies": {"data": []}}]}},
        ],
        [
            ("u1", "", "Ann", "2021-01-01T00:00:00.000Z", "<p>x</p>"),
            ("u2", "u1", "Robert", "2021-01-02T00:00:00.000Z", "<p>y</p>"),
            ("u3", "", "Cy", "2021-01-03T00:00:00.000Z", "<p>z</p>"),
        ],
    ),
    Case(
        "Artalk",
        "<script>Artalk.init({ el: '#Comments', pageKey: '', server: 'https://a.example.org', site: 'My blog' })</script>",
        [
            f"https://a.example.org/api/v2/comments?page_key=%2F2020%2Fa%2520caf%25C3%25A9%2F&site_name=My%20blog&limit=100&offset={offset}&flat_mode=true"
            for offset in (0, 1)
        ],
        [
            {"comments": [{"id": 3, "rid": 1, "nick": "Ann", "link": "", "content_marked": "<p>x</p>", "date": "2021-01-01 10:00:00", "visible": True}], "count": 2, "roots_count": 1},
            {
                "comments": [
                    {"id": 1, "rid": 0, "nick": "Bob", "content_marked": "<p>y</p>", "date": "2021-01-01 09:00:00", "visible": True},
                    {"id": 3, "rid": 1, "nick": "Ann", "content_marked": "<p>x</p>", "date": "2021-01-01 10:00:00", "visible": False},
                ],
                "count": 2, "roots_count": 1,
            },
        ],
        [("3", "1", "Ann", "2021-01-01 10:00:00", "<p>x</p>"), ("1", "", "Bob", "2021-01-01 09:00:00", "<p>y</p>")],
    ),
    Case(
        "Commento",
        '<script defer src="https://c.example.org/js/commento.js"></script><div id="commento"></div>',
        [("https://c.example.org/api/comment/list", {"commenterToken": "anonymous", "domain": "blog.example.org", "path": "/2020/a%20caf%C3%A9/"})],
        [
            {
                "success": True,
                "comments": [
                    {"commentHex": "h1", "parentHex": "root", "commenterHex": "c1", "html": "<p>x</p>", "creationDate": "2021-01-01T00:00:00Z"},
                    {"commentHex": "h2", "parentHex": "h1", "commenterHex": "c9", "html": "<p>y</p>", "creationDate": "2021-01-02T00:00:00Z"},
                ],
                "commenters": {"c1": {"name": "Ann", "link": "undefined"}},
            }
        ],
        [("h1", "", "Ann", "2021-01-01T00:00:00Z", "<p>x</p>"), ("h2", "h1", "", "2021-01-02T00:00:00Z", "<p>y</p>")],
    ),
    Case(
        "Comentario",
        '<script defer src="https://c.example.org/comentario.js"></script><comentario-comments page-id="/x"></comentario-comments>',
        [("https://c.example.org/api/embed/comments", {"host": "blog.example.org", "path": "/x"})],
        [
            {
                "pageInfo": {},
                "comments": [{"id": "1-1", "parentId": None, "userCreated": "7-7", "html": "<p>x</p>", "createdTime": "2024-01-01T00:00:00Z"}],
                "commenters": [{"id": "0-0", "name": "Anonymous"}, {"id": "7-7", "name": "Ann", "websiteUrl": "https://ann.example"}],
            }
        ],
        [("1-1", "", "Ann", "2024-01-01T00:00:00Z", "<p>x</p>")],
    ),
    Case(
        "Twikoo",
        "<script>twikoo.init({ envId: 'https://t.example.org', el: '#tcomment' })</script>",
        [
            ("https://t.example.org", {"event": "COMMENT_GET", "url": "/2020/a%20caf%C3%A9/", "sort": "newest"}),
            ("https://t.example.org", {"event": "COMMENT_GET", "url": "/2020/a%20caf%C3%A9/", "sort": "newest", "before": 1795383943737}),
        ],
        [
            {
                "data": [
                    {"id": "t1", "nick": "F", "link": "", "comment": "<p>f</p>", "replies": [], "created": 1795383943000, "top": True},
                    {"id": "t2", "nick": "E", "link": "", "comment": "<p>e</p>", "replies": [], "created": 1795383943737},
                ],
                "more": True, "count": 3,
            },
            {
                "data": [
                    {
                        "id": "t3", "nick": "Ann", "comment": "<p>a</p>", "created": 1795383943500,
                        "replies": [
                            {"id": "t4", "nick": "Bob", "comment": "<p>b</p>", "replies": [], "rid": "t3", "pid": "t3", "created": 1795383943600},
                            {"id": "t5", "nick": "Cy", "comment": "<p>c</p>", "replies": [], "rid": "t3", "pid": "t4", "created": 1795383943700},
                        ],
                    }
                ],
                "more": False, "count": 3,
            },
        ],
        [
            ("t1", "", "F", "2026-11-22T21:45:43+00:00", "<p>f</p>"),
            ("t2", "", "E", "2026-11-22T21:45:43.737000+00:00", "<p>e</p>"),
            ("t3", "", "Ann", "2026-11-22T21:45:43.500000+00:00", "<p>a</p>"),
            ("t4", "t3", "Bob", "2026-11-22T21:45:43.600000+00:00", "<p>b</p>"),
            ("t5", "t4", "Cy", "2026-11-22T21:45:43.700000+00:00", "<p>c</p>"),
        ],
    ),
    Case(
        "Valine",
        "<script>new Valine({el:'#vcomments', appId: 'ID', appKey: 'KEY', serverURLs: 'https://l.example.org'})</script>",
        [
            f"https://l.example.org/1.1/classes/Comment?where=%7B%22url%22%3A%22%2F2020%2Fa%20caf%C3%A9%2F%22%7D&count=1&limit=100&skip={skip}&order=createdAt"
            for skip in (0, 1)
        ],
        [
            {"results": [{"objectId": "v1", "nick": "Ann", "link": "", "comment": "<p>x</p>", "insertedAt": {"__type": "Date", "iso": "2020-01-01T00:00:00.000Z"}}], "count": 2},
            {"results": [{"objectId": "v2", "nick": "Bob", "comment": "<p>y</p>", "pid": "v1", "rid": "v1", "createdAt": "2020-01-02T00:00:00.000Z"}], "count": 2},
        ],
        [("v1", "", "Ann", "2020-01-01T00:00:00.000Z", "<p>x</p>"), ("v2", "v1", "Bob", "2020-01-02T00:00:00.000Z", "<p>y</p>")],
    ),
    Case(
        "Ghost",
        '<script defer src="https://cdn.jsdelivr.net/ghost/comments-ui@1/umd/comments-ui.min.js" data-ghost-comments="https://g.example.org/" '
        'data-post-id="0123456789abcdef01234567"></script>',
        [
            "https://g.example.org/members/api/comments/post/0123456789abcdef01234567/?limit=100&page=1&order=created_at%20asc",
            *(f"https://g.example.org/members/api/comments/g1/replies/?limit=100&page={page}" for page in (1, 2)),
        ],
        [
            {
                "comments": [
                    {"id": "g1", "html": "<p>x</p>", "created_at": "2023-01-01T00:00:00.000Z", "member": {"name": "Ann"}, "count": {"replies": 3}, "replies": [ghost("g2")]},
                    {"id": "g5", "html": "<p>z</p>", "created_at": "2023-01-03T00:00:00.000Z", "count": {"replies": 1}, "replies": [ghost("g6")]},
                ],
                "meta": {"pagination": {"page": 1, "pages": 1, "total": 2}},
            },
            {"comments": [ghost("g2"), ghost("g3")], "meta": {"pagination": {"page": 1, "pages": 2, "total": 3}}},
            {"comments": [ghost("g4", in_reply_to_id="g2")], "meta": {"pagination": {"page": 2, "pages": 2, "total": 3}}},
        ],
        [
            ("g1", "", "Ann", "2023-01-01T00:00:00.000Z", "<p>x</p>"),
            *((f"g{number}", above, "", "2023-01-02T00:00:00.000Z", "<p>y</p>") for number, above in ((2, "g1"), (3, "g1"), (4, "g2"))),
            ("g5", "", "", "2023-01-03T00:00:00.000Z", "<p>z</p>"),
            ("g6", "g5", "", "2023-01-02T00:00:00.000Z", "<p>y</p>"),
        ],
    ),
    Case(
        "Substack",
        '<script>window._preloads = JSON.parse("{}")</script><img src="https://substackcdn.com/x.png">',
        [f"{HOME}/api/v1/posts/a-post", f"{HOME}/api/v1/post/77/comments?all_comments=true&sort=oldest_first"],
        [
            {"id": 77, "slug": "a-post", "comment_count": 2},
            {
                "comments": [
                    {"id": 1, "name": "Ann", "handle": "ann", "date": "2024-01-01T00:00:00.000Z", "body": "A < B\nC\n\nD", "children": [{"id": 2, "name": "Bob", "date": "2024-01-02T00:00:00.000Z", "body": "E", "children": []}]}
                ]
            },
        ],
        [("1", "", "Ann", "2024-01-01T00:00:00.000Z", "<p>A &lt; B<br>C</p><p>D</p>"), ("2", "1", "Bob", "2024-01-02T00:00:00.000Z", "<p>E</p>")],
        url=f"{HOME}/p/a-post",
    ),
    Case(
        "Discourse",
        "<div id='discourse-comments'></div><script>DiscourseEmbed = { discourseUrl: 'https://f.example.org/', topicId: 12 };"
        "d.src = DiscourseEmbed.discourseUrl + 'javascripts/embed.js';</script>",
        ["https://f.example.org/t/12.json?page=1"],
        [
            {
                "posts_count": 3,
                "post_stream": {
                    "posts": [
                        {"id": 90, "post_number": 1, "name": "Bot", "username": "bot", "created_at": "2022-01-01T00:00:00.000Z", "cooked": "<p>The post</p>"},
                        {"id": 91, "post_number": 2, "reply_to_post_number": None, "name": "", "username": "ann", "created_at": "2022-01-02T00:00:00.000Z", "cooked": "<p>x</p>"},
                        {"id": 92, "post_number": 3, "reply_to_post_number": 2, "name": "Bob", "username": "bob", "created_at": "2022-01-03T00:00:00.000Z", "cooked": "<p>y</p>"},
                    ]
                },
            }
        ],
        [("2", "", "ann", "2022-01-02T00:00:00.000Z", "<p>x</p>"), ("3", "2", "Bob", "2022-01-03T00:00:00.000Z", "<p>y</p>")],
    ),
    Case(
        "Mastodon",
        '<mastodon-comments host="m.example.org" user="ann" tootid="11"></mastodon-comments>',
        ["https://m.example.org/api/v1/statuses/11/context"],
        [{"ancestors": [], "descendants": [{**MASTODON, "account": {"display_name": "", "acct": "bob@x.example", "url": "https://x.example/@bob"}}]}],
        [("12", "11", "bob@x.example", "2021-02-03T04:05:06.000Z", "<p>y</p>")],
    ),
    Case(
        "Blogger",
        "<span class='loadmore'><a>Load more...</a></span><a href='https://www.blogger.com/comment/fullpage/post/1/2'></a>"
        "<iframe src='https://www.blogger.com/comment/frame/1?po=2&amp;postID=345'></iframe>",
        [f"{HOME}/feeds/345/comments/default?alt=json&max-results=200&start-index={start}" for start in (1, 2)],
        [
            {
                "feed": {
                    "openSearch$totalResults": {"$t": "2"},
                    "entry": [
                        {
                            "id": {"$t": "tag:blogger.com,1999:blog-1.post-600"}, "published": {"$t": "2010-01-01T00:00:00.000-08:00"}, "content": {"type": "html", "$t": "x<br />"},
                            "author": [{"name": {"$t": "Ann"}, "uri": {"$t": "http://www.blogger.com/profile/1"}}], "link": [{"rel": "edit", "href": "http://x/1/345/600"}],
                        }
                    ],
                }
            },
            {
                "feed": {
                    "openSearch$totalResults": {"$t": "2"},
                    "entry": [
                        {
                            "id": {"$t": "tag:blogger.com,1999:blog-1.post-601"}, "published": {"$t": "2010-01-02T00:00:00.000-08:00"}, "content": {"$t": "y"}, "author": [{"name": {"$t": "Bob"}}],
                            "link": [{"rel": "self", "href": "http://x/601"}, {"rel": "related", "href": "http://blog.example.org/feeds/1/345/comments/default/600"}],
                        }
                    ],
                }
            },
        ],
        [("600", "", "Ann", "2010-01-01T00:00:00.000-08:00", "x<br />"), ("601", "600", "Bob", "2010-01-02T00:00:00.000-08:00", "y")],
    ),
    Case(
        "wpDiscuz",
        "<link rel='https://api.w.org/' href='https://blog.example.org/wp-json/'><body class='single postid-12'><div id='wpdcom'></div>",
        [f"{HOME}/wp-json/wp/v2/comments?post=12&per_page=100&page=1&order=asc"],
        [
            [
                {"id": 3, "parent": 0, "author_name": "Ann", "author_url": "", "date_gmt": "2020-01-01T00:00:00", "content": {"rendered": "<p>x</p>"}},
                {"id": 4, "parent": 3, "author_name": "Bob", "date_gmt": "2020-01-02T00:00:00", "content": {"rendered": "<p>y</p>"}},
            ]
        ],
        [("3", "", "Ann", "2020-01-01T00:00:00Z", "<p>x</p>"), ("4", "3", "Bob", "2020-01-02T00:00:00Z", "<p>y</p>")],
        headers={"x-wp-total": "2"},
    ),
]  # fmt: skip


def thread(source: str, url: str = URL):
    (system,) = recognise(source.encode())
    return thread_of(system, source.encode(), url)


def as_bytes(answer: Any) -> bytes:
    return answer.encode() if isinstance(answer, str) else json.dumps(answer).encode()


@pytest.mark.parametrize("case", CASES, ids=[f"{case.system} {number}" for number, case in enumerate(CASES)])
def test_a_system_is_asked_and_understood(case: Case) -> None:
    found = thread(case.source, case.url)
    assert found is not None
    assert found.system == case.system
    for told, answer in zip(case.questions, case.answers, strict=True):
        url, sent = told if isinstance(told, tuple) else (told, None)
        question = found.next_question
        assert question is not None
        assert question.url == url
        assert question.method == ("GET" if sent is None else "POST")
        assert (json.loads(question.body) if question.body else None) == sent
        assert not found.is_whole
        assert found.take(as_bytes(answer), headers=case.headers)
    assert found.next_question is None
    assert found.is_whole
    keys = ("id", "parent", "author", "published", "html")
    assert [tuple(comment.get(key, "") for key in keys) for comment in found.comments] == case.comments


def minified(source: str) -> str:
    """The page without the quotes that HTML does not need."""
    return re.sub(r"<[a-z][^>]*>", lambda tag: re.sub(r"""=(["'])([^\s"'`=<>]+)\1""", r"=\2", tag[0]), source)


@pytest.mark.parametrize("case", CASES, ids=[f"{case.system} {number}" for number, case in enumerate(CASES)])
def test_pages_need_no_quotes(case: Case) -> None:
    found = thread(minified(case.source), case.url)
    assert found is not None
    assert found.system == case.system
    assert found.next_question == thread(case.source, case.url).next_question


@pytest.mark.parametrize("case", CASES, ids=[f"{case.system} {number}" for number, case in enumerate(CASES)])
def test_errors_are_no_answers(case: Case) -> None:
    for body in ("", "<html></html>", "{}", "null", '{"message": "error"}'):
        found = thread(case.source, case.url)
        was_taken = found.take(body.encode())
        assert not was_taken
        assert not found.is_whole
    for status in (403, 429, 500):
        found = thread(case.source, case.url)
        assert not found.take(b"{}", status=status)
        assert not found.is_whole


@pytest.mark.parametrize(("system", "status"), [("giscus", 404), ("Ghost", 405)])
def test_a_thread_that_is_not_there_has_no_comments(system: str, status: int) -> None:
    case = next(case for case in CASES if case.system == system)
    found = thread(case.source, case.url)
    assert found.take(b'{"error": "Discussion not found"}', status=status)
    assert found.is_whole
    assert not found.comments
    assert found.next_question is None


def test_an_issue_that_is_not_there_has_no_comments() -> None:
    case = next(case for case in CASES if case.system == "utterances")
    found = thread(case.source, case.url)
    assert found.take(b'{"total_count": 0, "items": []}')
    assert found.is_whole
    assert found.next_question is None


def test_more_than_a_system_tells_at_once_is_not_whole() -> None:
    disqus = next(case for case in CASES if case.system == "Disqus")
    found = thread(disqus.source)
    assert found.take(disqus.answers[0].replace('"total": 2', '"total": 120').encode())
    assert not found.is_whole
    members = next(case for case in CASES if case.system == "Ghost")
    found = thread(members.source)
    for answer in members.answers:
        assert not found.is_whole
        assert found.take(as_bytes(answer).replace(b'"total": 3', b'"total": 4'))
    assert found.next_question is None
    assert not found.is_whole, "only some of the replies are told"
    mastodon = next(case for case in CASES if case.system == "Mastodon")
    found = thread(mastodon.source)
    assert found.take(json.dumps({"descendants": [{**MASTODON, "id": str(number)} for number in range(60)]}).encode())
    assert not found.is_whole


def test_what_comes_twice_is_one() -> None:
    case = next(case for case in CASES if case.system == "Cusdis")
    found = thread(case.source)
    for answer in (case.answers[0], case.answers[0]):
        assert found.take(as_bytes(answer))
    assert [comment["id"] for comment in found.comments] == ["u1", "u2"]
    assert not found.is_whole


@pytest.mark.parametrize(
    "source",
    [
        "<script>twikoo.init({envId: 'env-123', el: '#tcomment'})</script>",
        "<script>new Gitalk({repo: 'notes', owner: 'ann', id: md5(location.pathname)})</script>",
        "<script>new Valine({el: '#vcomments', appId: 'ID', appKey: 'KEY'})</script>",
        "<script>DiscourseEmbed = { discourseUrl: 'https://f.example.org/', discourseEmbedUrl: 'https://x' };</script><p id='discourse-comments'>",
        "<div id='cusdis_thread'></div>",
        "<script>window.x_preloads = 1</script><img src='https://substackcdn.com/x.png'>",
    ],
)
def test_what_a_page_does_not_tell_is_not_asked(source: str) -> None:
    assert thread(source) is None


@pytest.mark.parametrize(
    "piece",
    [
        "<script",
        "Waline.init({",
        "new Gitalk(",
        "new Valine(",
        "Artalk.init(",
        "twikoo.init(",
        "remark_config={",
        "<meta ",
        "<link ",
    ],
)
def test_pages_without_end_take_little_time(piece: str) -> None:
    begun = time.process_time()
    for system in systems():
        thread_of(system, (piece * (200_000 // len(piece))).encode(), URL)
    assert time.process_time() - begun < 30
