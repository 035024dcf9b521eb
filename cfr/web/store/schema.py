"""The tables of the file of sessions, and what each version added to them."""

VERSION = 7
# What version 2 added to version 1: luck-adjusted results. Hands of version 1 have none and wait for none: the bot
# may have played another strategy under the same name.
_ADJUSTED = """
ALTER TABLE sessions ADD COLUMN adjusted INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN adjusted_chips REAL NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN adjusted_squares REAL NOT NULL DEFAULT 0;
ALTER TABLE hands ADD COLUMN adjusted REAL;
CREATE TABLE waiting (
    session INTEGER NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (session, number),
    FOREIGN KEY (session, number) REFERENCES hands ON DELETE CASCADE
) WITHOUT ROWID;
PRAGMA user_version = 2
"""
# What version 3 added: exercises of the trainer.
_TRAINED = """
ALTER TABLE sessions ADD COLUMN trained INTEGER NOT NULL DEFAULT 0;
CREATE TABLE exercises (
    session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
    number INTEGER NOT NULL,
    strategy TEXT NOT NULL,
    seat INTEGER NOT NULL,
    first TEXT NOT NULL,
    second TEXT NOT NULL,
    board TEXT NOT NULL,
    line TEXT NOT NULL,
    whole INTEGER NOT NULL,
    again INTEGER,
    action TEXT,
    after TEXT,
    mix_fold REAL,
    mix_call REAL,
    mix_raise REAL,
    ev_fold REAL,
    ev_call REAL,
    ev_raise REAL,
    ev_lost REAL,
    mistake INTEGER,
    PRIMARY KEY (session, number)
) WITHOUT ROWID;
PRAGMA user_version = 3
"""
# What version 4 added: the strategy of an exercise by its checksum. Exercises of earlier versions have the name only.
_KEYED = """
ALTER TABLE exercises ADD COLUMN key TEXT;
PRAGMA user_version = 4
"""
# What version 5 added: saved spots.
_SAVED = """
CREATE TABLE spots (
    session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    note TEXT NOT NULL,
    address TEXT NOT NULL,
    PRIMARY KEY (session, number)
) WITHOUT ROWID;
PRAGMA user_version = 5
"""
# What version 6 added: hands against opponents that their person chose.
_CHOSEN = """
ALTER TABLE hands ADD COLUMN chosen INTEGER NOT NULL DEFAULT 0;
CREATE INDEX chosen_hands ON hands (session, bot) WHERE chosen;
PRAGMA user_version = 6
"""
# What version 7 added: by which shares of its responses a player that learns plays a hand.
_MIXED = """
ALTER TABLE hands ADD COLUMN shares TEXT;
PRAGMA user_version = 7
"""
ADDED = (_ADJUSTED, _TRAINED, _KEYED, _SAVED, _CHOSEN, _MIXED)  # what each version added to the one before
SCHEMA = """
CREATE TABLE about (game TEXT NOT NULL);
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY,
    token BLOB NOT NULL UNIQUE,
    used REAL NOT NULL,
    hands INTEGER NOT NULL DEFAULT 0,
    chips INTEGER NOT NULL DEFAULT 0,
    squares INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX sessions_by_use ON sessions (used);
CREATE TABLE hands (
    session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE,
    number INTEGER NOT NULL,
    bot TEXT NOT NULL,
    seat INTEGER NOT NULL,
    first TEXT NOT NULL,
    second TEXT NOT NULL,
    board TEXT NOT NULL,
    line TEXT NOT NULL,
    chips INTEGER,
    PRIMARY KEY (session, number)
) WITHOUT ROWID;
PRAGMA user_version = 1
"""
