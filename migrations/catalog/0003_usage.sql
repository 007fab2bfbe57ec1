-- The usage of one user by day. A run costs one row more here, so that a report of a user reads only that user's runs.

CREATE INDEX run_total_by_user ON run_total (user_id, day) WHERE user_id IS NOT NULL;
