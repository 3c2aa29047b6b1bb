"""The article of a page that no rule fits, by features of its lines: a main-text extractor in two stages.

After DGWC, a distributed generic crawler: a classifier tells topical lines first, then blocks of them are formed and
scored. The modules `lines`, `features`, `model` and `blocks` say what differs from the paper, and why.
"""
