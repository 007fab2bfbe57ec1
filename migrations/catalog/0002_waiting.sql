-- The threads that wait for a client or a person. A thread is in this index only while it waits, so other threads cost no row here.

CREATE INDEX thread_by_wait ON thread (user_id, updated_at, id) WHERE status = 'awaiting_tool_execution';
