CREATE TABLE branch (
  id TEXT NOT NULL PRIMARY KEY,
  parent_branch TEXT,
  fork_position TEXT,
  created_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE event (
  seq INTEGER PRIMARY KEY,
  body TEXT NOT NULL
);

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

CREATE TABLE file_chunk (
  id INTEGER PRIMARY KEY,
  bytes BLOB NOT NULL
);

CREATE TABLE file_garbage (
  generation INTEGER PRIMARY KEY,
  bucket_key TEXT
);

CREATE TABLE log (
  id TEXT NOT NULL PRIMARY KEY,
  type TEXT NOT NULL,
  run_id TEXT,
  body TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE message (
  branch TEXT NOT NULL,
  position TEXT NOT NULL,
  id TEXT NOT NULL,
  depth INTEGER NOT NULL,
  silent INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (branch, position)
) WITHOUT ROWID;

CREATE TABLE moved_message (
  id TEXT NOT NULL PRIMARY KEY,
  branch TEXT NOT NULL,
  position TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE request_key (
  key TEXT NOT NULL PRIMARY KEY,
  body TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE run (
  id TEXT NOT NULL PRIMARY KEY,
  body TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE thread (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  schema_version INTEGER NOT NULL,
  body TEXT NOT NULL
);
