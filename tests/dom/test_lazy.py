"""Images as blogs' software writes them for scripts that load them late: each is shown, and once."""

from __future__ import annotations

import time

import pytest

from blogcrawler.dom import fragment, sanitise_fragment

URL = "http://blog.example/2014/post/"
BLANK = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
SVG = "data:image/svg+xml;utf8,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 3 2' width='300'></svg>"
A = "http://blog.example/a.jpg"

#: Markup, and the sources of the images that a reader is to see.
SHOWN = {
    "WordPress core": ('<img loading="lazy" src="/a.jpg" srcset="/a.jpg 600w, /a-300x200.jpg 300w">', [A]),
    "Jetpack": (f'<img src="/a.jpg" data-lazy-src="/a.jpg?is-pending-load=1" srcset="{BLANK}"><noscript><img src="/a.jpg"></noscript>', [A]),
    "Jetpack carousel": ('<img src="/a-300x200.jpg" data-orig-file="/a.jpg" data-large-file="/a-1024x683.jpg">', ["http://blog.example/a-300x200.jpg"]),
    "Jetpack tiled gallery, late": (f'<img src="{BLANK}" data-image-title="IMG_1.jpg" data-orig-file="/a.jpg" data-large-file="/a-1024x683.jpg">', [A]),
    "a3": ('<img class="lazy-hidden" src="//blog.example/lazy_placeholder.gif" data-src="/a.jpg"><noscript><img src="/a.jpg"></noscript>', [A]),
    "WP Rocket": (f'<img src="{SVG.replace("<", "%3C").replace(">", "%3E")}" data-lazy-src="/a.jpg" data-lazy-srcset="/a.jpg 600w"><noscript><img src="/a.jpg"></noscript>', [A]),
    "Smush": (f'<noscript><img src="/a.jpg"></noscript><img class="lazyload" data-src="/a.jpg" src="{BLANK}" style="--smush-placeholder-width: 1px">', [A]),
    "EWWW": (f'<img src="{BLANK}" data-src="/a.jpg" decoding="async" class="lazyload" data-eio-rwidth="600"><noscript><img src="/a.jpg" data-eio="l"></noscript>', [A]),
    "Autoptimize": (f'<noscript><img src="/a.jpg" srcset="/a.jpg 600w"></noscript><img class="lazyload" src="{SVG.replace("<", "%3C")}" data-src="/a.jpg" data-srcset="/a.jpg 600w">', [A]),
    "lazysizes": ('<img class="lazyload" data-sizes="auto" data-srcset="/s.jpg 300w, /a.jpg 600w">', [A]),
    "lazysizes, blur up": ('<img class="lazyload" src="/a-lqip.jpg" data-src="/a.jpg">', [A]),
    "LiteSpeed": (f'<img data-lazyloaded="1" src="{BLANK}" data-src="/a.jpg"><noscript><img src="/a.jpg"></noscript>', [A]),
    "Ezoic": (f'<img src="{BLANK}" data-ezsrc="/a.jpg" ezimgfmt="rs">', [A]),
    "mod_pagespeed": ('<img data-pagespeed-lazy-src="/a.jpg" src="/pagespeed_static/1.JiBnMqyl6S.gif">', [A]),
    "Cloudflare Mirage": ('<img data-cfsrc="/a.jpg" style="display:none"><noscript><img src="/a.jpg"></noscript>', [A]),
    "NitroPack": (f'<img nitro-lazy-src="/a.jpg" src="{BLANK}" class="nitro-lazy">', [A]),
    "Complianz": ('<iframe data-src-cmplz="http://v.example/e" src="about:blank"></iframe>', []),
    "hexo-lazyload": ('<img src="/img/loading.gif" data-original="/a.jpg">', [A]),
    "hexo-lazyload, srcset": ('<img class="lazyload" src="/a.jpg" srcset="/img/loading.gif" data-srcset="/a.jpg">', [A]),
    "hexo, srcset of data": (f'<img class="lazyload" data-srcset="/a.jpg" srcset="{BLANK}">', [A]),
    "Zhihu": ('<noscript><img src="/a.jpg"></noscript><img src="//static.example/whitedot.jpg" data-actualsrc="/a.jpg">', [A]),
    "Echo": ('<img src="/images/blank.gif" data-echo="/a.jpg">', [A]),
    "Squarespace": ('<img data-src="/a.jpg" data-image="/a.jpg" data-image-dimensions="600x400" data-load="false"><noscript><img src="/a.jpg"></noscript>', [A]),
    "Squarespace, noscript first": ('<noscript><img src="/a.jpg?format=1000w"></noscript><img data-src="/a.jpg" data-image="/a.jpg">', ["http://blog.example/a.jpg?format=1000w"]),
    "Medium": ('<div><img src="http://m.example/max/60/1*x.jpeg?q=20"><canvas></canvas><noscript><img src="http://m.example/max/1600/1*x.jpeg"></noscript></div>', ["http://m.example/max/1600/1*x.jpeg"]),
    "Medium, without source": ('<figure><img class="lazy" width="600"><noscript><img src="http://m.example/max/1600/1*x.jpeg"></noscript></figure>', ["http://m.example/max/1600/1*x.jpeg"]),
    "Gatsby": (f'<div><img aria-hidden="true" src="{BLANK}"><picture><source data-srcset="/a.jpg 1x"><img data-src="/a.jpg"></picture><noscript><picture><source srcset="/a.jpg 1x"><img src="/a.jpg"></picture></noscript></div>', [A]),
    "Gatsby, old": ('<span><span style="background-image:url(\'data:image/jpeg;base64,/9j/4A\')"></span><picture><source srcset="/b.jpg 300w, /a.jpg 600w"><img></picture></span>', [A]),
    "Next": (f'<span><img src="{BLANK}" data-nimg="intrinsic"><noscript><img src="/_next/image?url=%2Fa.jpg&amp;w=640&amp;q=75"></noscript></span>', ["http://blog.example/_next/image?url=%2Fa.jpg&w=640&q=75"]),
    "Ghost": ('<img src="/content/images/size/w600/a.jpg" srcset="/content/images/size/w600/a.jpg 600w" loading="lazy">', ["http://blog.example/content/images/size/w600/a.jpg"]),
    "Blogger": ('<a href="/s1600/a.jpg"><img src="/s320/a.jpg" data-original-width="600"></a>', ["http://blog.example/s320/a.jpg"]),
    "Blogger, late": (f'<a href="/a.jpg"><img src="{BLANK}"></a>', [A]),
    "Tumblr": (f'<img src="{BLANK}" data-big-photo="/a.jpg" data-width-lq="300">', [A]),
    "data-full-url": (f'<img src="{BLANK}" data-id="7" data-full-url="/a.jpg" data-link="/a/">', [A]),
    "data-url": ('<img src="/1x1.png" data-url="/a.jpg">', [A]),
    "data-hi-res-src": ('<img src="/spacer.gif" data-hi-res-src="/a.jpg">', [A]),
    "a name of nobody's": ('<img src="/ajax-loader.gif" data-quux="/a.jpg" data-quux-thumb="/t.jpg">', [A]),
    "a preview is no image": ('<img src="/ajax-loader.gif" data-thumb="/t.jpg" data-quux="/a.jpg">', [A]),
    "no address": ('<img src="/a.jpg" data-src="lazy" data-original="{&quot;a&quot;: &quot;/b.jpg&quot;}" data-lazy="true">', [A]),
    "Shopify's pattern": ('<img src="/a.jpg" data-src="//cdn.example/x_{width}x.jpg" data-widths="[180, 360]">', [A]),
    "a placeholder in the attribute": (f'<img data-src="{BLANK}" src="/a.jpg">', [A]),
    "srcset besides a placeholder": ('<img src="/spacer.gif" srcset="/b.jpg 300w, /a.jpg 600w">', [A]),
    "picture": ('<picture><source data-srcset="/a.webp 1x" type="image/webp"><img data-src="/a.jpg"></picture>', [A]),
    "amp-img": ('<amp-img src="/a.jpg" width="3" height="2"><noscript><img src="/a.jpg"></noscript></amp-img>', [A]),
    "amp-img, unclosed": ('<p><amp-img src="/a.jpg">text <img src="/b.jpg"></p>', [A, "http://blog.example/b.jpg"]),
    "another element": ('<blog-photo src="/a.jpg"></blog-photo>', [A]),
    "background": ('<div class="lazy" style="color: red; background: #eee url(&quot;/a.jpg&quot;) no-repeat"></div>', [A]),
    "background, late": ('<div data-bg="url(/a.jpg)"></div>', [A]),
    "background of a text": ('<div style="background-image:url(/a.jpg)">text</div>', []),
    "background of an image": ('<div style="background-image:url(/a.jpg)"><img src="/b.jpg"></div>', ["http://blog.example/b.jpg"]),
    "without protocol": ('<img data-src="//blog.example/a.jpg">', [A]),
    "spaces": ('<img data-src="/my photo.jpg">', ["http://blog.example/my%20photo.jpg"]),
    "letters": ('<img data-src="/фото.jpg">', ["http://blog.example/%D1%84%D0%BE%D1%82%D0%BE.jpg"]),
    "a counter": ('<p>x<img src="http://count.example/p.gif?1" width="1" height="1"></p>', []),
    "a counter in noscript": ('<noscript><img width="1" height="1" style="display:none" src="http://count.example/tr?id=1"></noscript>', []),
    "noscript elsewhere": ('<img src="/a.jpg"><p>text</p><noscript><img src="/b.jpg"></noscript>', [A, "http://blog.example/b.jpg"]),
    "noscript by another image": ('<img src="/a.jpg"><noscript><img src="/b.jpg"></noscript>', [A, "http://blog.example/b.jpg"]),
    "a gallery": (f'<img src="{BLANK}" class="l"><noscript><img src="/a.jpg"></noscript><img src="{BLANK}"><noscript><img src="/b.jpg"></noscript>', [A, "http://blog.example/b.jpg"]),
    "a gallery, noscript first": (f'<p><noscript><img src="/a.jpg"></noscript><img src="{BLANK}"><noscript><img src="/b.jpg"></noscript><img src="{BLANK}"></p>', [A, "http://blog.example/b.jpg"]),
}  # fmt: skip

#: Markup, and what is made of it.
OTHERS = {
    "iframe": ("<iframe data-lazy-src='//v.example/e/1' src='about:blank'></iframe>", '<a href="http://v.example/e/1">http://v.example/e/1</a>'),
    "iframe in noscript": ('<div class="player" data-src="http://v.example/e"></div><noscript><iframe src="http://v.example/e"></iframe></noscript>',
                           '<div></div><span><a href="http://v.example/e">http://v.example/e</a></span>'),
    "frame of a counter": ('a<noscript><iframe src="http://count.example/ns" height="0" width="0"></iframe></noscript>', "a"),
    "video": ('<video data-src="/v.mp4"></video>', '<video src="http://blog.example/v.mp4"></video>'),
    "source of a video": ('<video><source data-src="/v.mp4"></video>', '<video><source src="http://blog.example/v.mp4"></video>'),
    "amp-video": ('<amp-video src="/v.mp4"></amp-video>', '<video src="http://blog.example/v.mp4"></video>'),
    "commas in URLs": ('<img src="/a" srcset="http://c.example/w_4,c_fill/x.jpg 1x,/b,c.jpg 2x">',
                       '<img src="http://blog.example/a" srcset="http://c.example/w_4,c_fill/x.jpg 1x, http://blog.example/b,c.jpg 2x">'),
    "srcset without descriptors": ('<img src="/a" srcset="/b.jpg, /c.jpg 1.5x">',
                                   '<img src="http://blog.example/a" srcset="http://blog.example/b.jpg, http://blog.example/c.jpg 1.5x">'),
    "width and height": ('<img src="/a" srcset="/b.jpg 400w 300h, /c.jpg 800w">',
                         '<img src="http://blog.example/a" srcset="http://blog.example/b.jpg 400w, http://blog.example/c.jpg 800w">'),
    "no descriptor": ('<img src="/a" srcset="/b.jpg foo, /my c.jpg 2x">', '<img src="http://blog.example/a">'),
    "drawing in srcset": (f'<img src="/a" srcset="{SVG}">', '<img src="http://blog.example/a">'),
    "alternative text": ('<div role="img" aria-label="A hill" style="background-image:url(/a.jpg)"></div>', f'<div><img src="{A}" alt="A hill"></div>'),
}  # fmt: skip


@pytest.mark.parametrize(("html", "want"), SHOWN.values(), ids=SHOWN)
def test_images_are_shown_once(html: str, want: list[str]) -> None:
    once = sanitise_fragment(html, URL)
    assert [image.get("src") for image in fragment(once).iter("img")] == want
    assert sanitise_fragment(once, "http://elsewhere.example/") == once


@pytest.mark.parametrize(("html", "want"), OTHERS.values(), ids=OTHERS)
def test_other_media(html: str, want: str) -> None:
    assert sanitise_fragment(html, URL) == want
    assert sanitise_fragment(want, "http://elsewhere.example/") == want


@pytest.mark.parametrize(
    "html",
    ["<p><img srcset='a" + "," * 2_000_000 + "b'>",
     "<div style='" + "background:" * 400 + "'></div>" * 2_000,
     "<div style='background:url(x)'>" * 1_000 + "x",
     f"<img src='{BLANK}'><noscript><img src=/a.jpg></noscript>" * 9_000,
     "<img src=/a.jpg data-x='" + "/." * 900_000 + "'>",
     "<x-img src=a>" * 1_500],
    ids=["commas", "style", "boxes", "twins", "address", "custom"],
)  # fmt: skip
def test_linear(html: str) -> None:
    begin = time.process_time()
    sanitise_fragment(html, URL)
    assert time.process_time() - begin < 3
