-- Where the bytes of artifacts lie, as the hub was last started. `hub check` reads it: a folder that is not there does not
-- tell whether it was deleted or never used.

CREATE TABLE artifact_place (
    one    INTEGER PRIMARY KEY CHECK (one = 1),
    bucket TEXT                                 -- such as s3://bucket/prefix; NULL: the folder beside the database
) STRICT;
