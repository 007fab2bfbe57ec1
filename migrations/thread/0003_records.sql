-- The bodies of the thread's row and of run rows have another shape: what only a run under way needs is in `progress`, the state of
-- background work in `background`, what a client set the thread up with in `setup`. A row of the earlier shape is converted when it is
-- read (`src/store/thread/earlier-records.ts`) and stored in this one with its next write. The step raises the version, so that an
-- earlier deployment, which would read neither, refuses the thread.

UPDATE thread SET schema_version = 3 WHERE id = 1;
