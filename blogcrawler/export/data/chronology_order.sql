CREATE TEMP TABLE sorted AS
  SELECT id,
    row_number() OVER (PARTITION BY blog ORDER BY moment, id) AS place,
    row_number() OVER (ORDER BY moment DESC, id DESC) - 1 AS number
  FROM post;
CREATE UNIQUE INDEX sorted_id ON sorted (id);
UPDATE post SET place = sorted.place, number = sorted.number FROM sorted WHERE sorted.id = post.id;
DROP TABLE sorted;
CREATE UNIQUE INDEX post_place ON post (blog, place);
CREATE INDEX post_year ON post (blog, substr(month, 1, 4), place);
CREATE TABLE label AS
  SELECT kind, blog, folded, min(name) AS name, count(*) AS posts,
    row_number() OVER (PARTITION BY kind, blog ORDER BY folded) AS number
  FROM name GROUP BY kind, blog, folded;
CREATE UNIQUE INDEX label_folded ON label (kind, blog, folded);
CREATE UNIQUE INDEX label_number ON label (kind, blog, number);
CREATE TABLE labelled AS
  SELECT label.kind, label.blog, label.number, name.post, name.rowid AS position
  FROM name JOIN label USING (kind, blog, folded);
CREATE INDEX labelled_number ON labelled (kind, number, post);
CREATE INDEX labelled_post ON labelled (post, kind);
DROP TABLE name
