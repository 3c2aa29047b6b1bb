CREATE INDEX capture_key ON capture (key, second, file, place);
CREATE UNIQUE INDEX capture_place ON capture (file, place)
