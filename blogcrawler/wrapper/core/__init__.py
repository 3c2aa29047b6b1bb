"""The basis of learning: profiles of pages, values, candidates, rules and their induction."""
