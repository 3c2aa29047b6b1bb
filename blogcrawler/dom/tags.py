"""Kinds of HTML elements."""

from __future__ import annotations

#: Elements that start a new line in a browser's style sheet (HTML Standard, section 15.3), and list items and cells.
BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "dir",
    "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6",
    "header", "hgroup", "hr", "html", "legend", "li", "listing", "main", "menu", "nav", "ol", "optgroup",
    "option", "p", "plaintext", "pre", "search", "section", "summary", "table", "tbody", "td", "textarea",
    "tfoot", "th", "thead", "tr", "ul", "xmp",
})  # fmt: skip

#: Elements whose text no reader sees: code, fallbacks for features that browsers support, options of a control,
#: drawings, alternative notations of a formula. `rp` is not among them: its parentheses (HTML Standard, section
#: 4.5.12) separate the reading of a ruby from its base in plain text.
SILENT = frozenset({
    "annotation", "annotation-xml", "applet", "audio", "canvas", "datalist", "frameset", "head", "iframe",
    "noembed", "noframes", "noscript", "object", "script", "select", "style", "svg", "template", "title",
    "video",
})  # fmt: skip

HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})

#: Elements that keep white space and line ends.
LINE_KEEPING = frozenset({"pre", "listing", "xmp", "plaintext", "textarea"})

#: Void elements that libxml2 takes for containers.
UNKNOWN_VOIDS = ("source", "track", "wbr", "embed", "keygen", "bgsound")
