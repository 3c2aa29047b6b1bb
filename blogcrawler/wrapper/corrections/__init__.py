"""Elements that a person marked on a page, and rules that are corrected by them."""
