"""What a person has pointed at on a page, and rules that are corrected by it."""
