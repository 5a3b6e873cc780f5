-- People, places and groups, complete.

-- asked_at: when somebody last asked there; sweeps read such places first. seen_at: the beginning of the last sweep that
-- found the bot there. tried_at: the beginning of the last sweep that has read its members, or could not.
ALTER TABLE conversations ADD COLUMN asked_at timestamptz, ADD COLUMN seen_at timestamptz,
    ADD COLUMN tried_at timestamptz;
UPDATE conversations c SET asked_at = (
    SELECT max(r.created_at) FROM runs r WHERE r.team = c.team AND r.conversation = c.conversation_id);

-- When an event last said that something is another than it was: what was asked of Slack before tells nothing of it.
ALTER TABLE people ADD COLUMN forgotten_at timestamptz;
ALTER TABLE conversations ADD COLUMN forgotten_at timestamptz;

-- updated is Slack's date_update: the next change of the members names it, unless one was missed.
CREATE TABLE user_groups (
    team text NOT NULL,
    group_id text NOT NULL,
    handle text NOT NULL DEFAULT '',
    name text NOT NULL DEFAULT '',
    updated bigint NOT NULL DEFAULT 0,
    confirmed_at timestamptz NOT NULL,
    PRIMARY KEY (team, group_id)
);

-- How far the reading of a whole workspace has come; a restart goes on from there. cursor: Slack's, of the stage's next
-- page. trouble: why the last one did not come further, in words of our own enumeration.
CREATE TABLE sweeps (
    team text PRIMARY KEY,
    stage text NOT NULL,
    began_at timestamptz NOT NULL,
    stage_began_at timestamptz NOT NULL,
    cursor text NOT NULL DEFAULT '',
    ended_at timestamptz,
    trouble text NOT NULL DEFAULT '',
    groups_trouble text NOT NULL DEFAULT ''
);

-- Changes of rights that others are still to be told of, written with the change itself. kind: conversation (whose
-- audience changed; an empty name is all of the team) or document (that lost grants).
CREATE TABLE rights_news (
    team text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('conversation', 'document')),
    name text NOT NULL,
    number bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (team, kind, name)
);
