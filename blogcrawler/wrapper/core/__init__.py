"""What learning works with: profiles of pages, values, candidates, rules and their induction."""
