-- How tables are stored whose rows are written again with nearly every batch: each page keeps room for the next version of a row,
-- so that an update stays on its page and touches no index, and a vacuum comes long before a fifth of the table is dead.
-- Existing pages fill up as they are. These commands lock nobody out, and hubs of the version before run on beside it.
ALTER TABLE tasks SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE heads SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE lanes SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE task_counts SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE inbox_counts SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE minutes SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE edges SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
