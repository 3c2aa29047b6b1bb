"""Optional corrections of what feeds tell and of what articles hold; `registry` lists those of feeds."""
