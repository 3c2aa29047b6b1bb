"""One file for each field of a post: its target, the scores of nodes, and the application of the learned rules."""
