-- The threads with calls that wait for a client or a person. A thread is in this index only while it has such calls, so other threads cost
-- no row here.

CREATE INDEX thread_by_wait ON thread (user_id, updated_at, id) WHERE json_array_length(body, '$.pending_tool_calls') > 0;
