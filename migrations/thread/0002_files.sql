-- A thread's files. Folders are rows too, those that a file's path implies among them, so that what a folder holds is one
-- range of the key. A small file's bytes lie in its own row; larger ones in chunks, numbered within a generation that every
-- write begins anew.

CREATE TABLE file (
  parent TEXT NOT NULL,
  name TEXT NOT NULL,
  is_folder INTEGER NOT NULL,
  size INTEGER NOT NULL,
  body TEXT NOT NULL,
  bytes BLOB,
  thumbnail BLOB,
  PRIMARY KEY (parent, name)
) WITHOUT ROWID;

-- The key is the generation times 65536, plus the chunk's number in it.
CREATE TABLE file_chunk (
  id INTEGER PRIMARY KEY,
  bytes BLOB NOT NULL
);

-- Generations that no file stands for: writes under way, and what a bucket still has to forget.
CREATE TABLE file_garbage (
  generation INTEGER PRIMARY KEY,
  bucket_key TEXT
);
