-- A thread's tables. Text keys are WITHOUT ROWID and there is no secondary index, so that a record costs one row written.
-- Columns are what queries ask by; the rest of a record is its body, as JSON.

CREATE TABLE thread (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  schema_version INTEGER NOT NULL,
  body TEXT NOT NULL
);

CREATE TABLE branch (
  id TEXT NOT NULL PRIMARY KEY,
  parent_branch TEXT,
  fork_position TEXT,
  created_at INTEGER NOT NULL
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

-- Where a message stands whose position is not its id: an input that waited in the queue.
CREATE TABLE moved_message (
  id TEXT NOT NULL PRIMARY KEY,
  branch TEXT NOT NULL,
  position TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE run (
  id TEXT NOT NULL PRIMARY KEY,
  body TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE log (
  id TEXT NOT NULL PRIMARY KEY,
  type TEXT NOT NULL,
  run_id TEXT,
  body TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE event (
  seq INTEGER PRIMARY KEY,
  body TEXT NOT NULL
);

CREATE TABLE request_key (
  key TEXT NOT NULL PRIMARY KEY,
  body TEXT NOT NULL
) WITHOUT ROWID;
