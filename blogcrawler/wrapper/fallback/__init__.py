"""Extract the article of a page that no rule fits, by features of its lines: a main-text extractor in two stages.

After DGWC, a distributed generic crawler: a classifier first finds topical lines, then blocks of them are formed and
scored. The modules `lines`, `features`, `model` and `blocks` document the differences from the paper and their reasons.
"""
