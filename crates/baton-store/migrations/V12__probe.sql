-- What is written to learn whether the disk takes changes: as much as a task brings, and other bytes each time.
CREATE TABLE probe (
    one   INTEGER PRIMARY KEY CHECK (one = 1),
    bytes BLOB NOT NULL
) STRICT;
