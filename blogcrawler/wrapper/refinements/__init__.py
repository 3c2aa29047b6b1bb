"""Optional corrections of feeds' data and of articles' content; `registry` lists the corrections of feeds."""
