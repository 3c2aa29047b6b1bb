"""The stages that turn a page into a record, in the order of ITEM_PIPELINES: render, content, comments, then the back
end.

A stage gets what it works from with the item; it knows no spider.
"""
