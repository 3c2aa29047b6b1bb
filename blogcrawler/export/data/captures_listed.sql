-- What refers to a body that is not here cannot be shown, and is not listed.
SELECT this.key, this.second, this.url, this.mime, this.status, coalesce(nullif(this.digest, ''), earlier.digest, ''),
  this.length, this.place, this.file
FROM capture AS this LEFT JOIN capture AS earlier ON earlier.rowid = (
  SELECT rowid FROM capture
  WHERE key = this.earlier_key AND second = this.earlier_second AND mime != 'warc/revisit' LIMIT 1
)
WHERE this.mime != 'warc/revisit' OR earlier.rowid IS NOT NULL
ORDER BY this.key, this.second, this.file, this.place
