-- The catalog: what can be asked across threads. One row per thread and one per run and model. A write costs its row and
-- its entry in each index that holds it, so a root thread stands in two indexes, a child thread in one, a total in none.

CREATE TABLE thread (
  id TEXT NOT NULL PRIMARY KEY,
  user_id TEXT,
  agent_id TEXT NOT NULL,
  origin_agent_id TEXT NOT NULL,
  status TEXT NOT NULL,
  parent_id TEXT,
  tags TEXT NOT NULL,
  search_text TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  body TEXT NOT NULL
) WITHOUT ROWID;

CREATE INDEX thread_by_user ON thread (user_id, updated_at, id) WHERE parent_id IS NULL;

CREATE INDEX thread_by_activity ON thread (updated_at, id) WHERE parent_id IS NULL;

CREATE INDEX thread_by_parent ON thread (parent_id, updated_at, id) WHERE parent_id IS NOT NULL;

-- Threads that were deleted, for as long as a late write may still come.
CREATE TABLE removed_thread (
  id TEXT NOT NULL PRIMARY KEY,
  created_at INTEGER NOT NULL,
  removed_at INTEGER NOT NULL
) WITHOUT ROWID;

CREATE INDEX removed_thread_by_age ON removed_thread (removed_at);

-- The day comes first, so that a report over some days reads those days only.
CREATE TABLE run_total (
  day TEXT NOT NULL,
  run_id TEXT NOT NULL,
  model TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  user_id TEXT,
  thread_id TEXT NOT NULL,
  status TEXT NOT NULL,
  input INTEGER NOT NULL,
  output INTEGER NOT NULL,
  cache_read INTEGER NOT NULL,
  cache_write INTEGER NOT NULL,
  total_tokens INTEGER NOT NULL,
  cost REAL,
  PRIMARY KEY (day, run_id, model)
) WITHOUT ROWID;

-- Idempotency keys of thread creations.
CREATE TABLE creation (
  owner TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  thread_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (owner, key)
) WITHOUT ROWID;

CREATE INDEX creation_by_age ON creation (created_at);
