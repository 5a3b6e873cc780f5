-- What scopes are computed from.

-- Who is in a channel or group, as bits: whether each reader of a place has a principal is then one AND of bits. The
-- rows of people, memberships and group_members stay the authority. Whoever changes them notes it here in the same
-- transaction, and what is noted is computed from the rows until it has been built anew.

-- Everybody's place in the bits, given once: bit seat % 12288 of block seat / 12288.
CREATE TABLE seats (
    team text NOT NULL,
    user_id text NOT NULL,
    seat integer NOT NULL GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (team, user_id)
);

-- kind: channel or group. members: all of them; oldest: no membership was confirmed before it.
CREATE TABLE rosters (
    team text NOT NULL,
    kind text NOT NULL,
    id text NOT NULL,
    block integer NOT NULL,
    members bit(12288) NOT NULL,
    oldest timestamptz NOT NULL,
    PRIMARY KEY (team, kind, id, block)
);

-- The people of a workspace. known: those of whom something is known, none of it confirmed before oldest; silent: bots
-- and deactivated accounts.
CREATE TABLE crowds (
    team text NOT NULL,
    block integer NOT NULL,
    everyone bit(12288) NOT NULL,
    known bit(12288) NOT NULL,
    full_members bit(12288) NOT NULL,
    silent bit(12288) NOT NULL,
    oldest timestamptz NOT NULL,
    PRIMARY KEY (team, block)
);

-- What has changed since it was built; kind 'people' with an empty id is the crowd. A change is noted even when an
-- earlier one still stands: that one may be taken away by who builds without having seen this one.
CREATE TABLE roster_changes (
    team text NOT NULL,
    kind text NOT NULL,
    id text NOT NULL
);
CREATE INDEX roster_changes_by_id ON roster_changes (team, kind, id);

CREATE FUNCTION note_members() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO seats (team, user_id)
        SELECT DISTINCT c.team, c.user_id FROM changed c
        WHERE NOT EXISTS (SELECT FROM seats s WHERE s.team = c.team AND s.user_id = c.user_id)
        ORDER BY 1, 2
        ON CONFLICT DO NOTHING;
    END IF;
    IF TG_TABLE_NAME = 'memberships' THEN
        INSERT INTO roster_changes SELECT DISTINCT c.team, 'channel', c.conversation_id FROM changed c;
    ELSIF TG_TABLE_NAME = 'group_members' THEN
        INSERT INTO roster_changes SELECT DISTINCT c.team, 'group', c.group_id FROM changed c;
    ELSE
        INSERT INTO roster_changes SELECT DISTINCT c.team, 'people', '' FROM changed c;
    END IF;
    RETURN NULL;
END $$;

-- A confirmation that is renewed needs no note: oldest stays right, if lower than it could be.
CREATE FUNCTION note_member() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_TABLE_NAME = 'memberships' THEN
        INSERT INTO roster_changes VALUES
            (OLD.team, 'channel', OLD.conversation_id), (NEW.team, 'channel', NEW.conversation_id);
    ELSIF TG_TABLE_NAME = 'group_members' THEN
        INSERT INTO roster_changes VALUES (OLD.team, 'group', OLD.group_id), (NEW.team, 'group', NEW.group_id);
    ELSE
        INSERT INTO roster_changes VALUES (OLD.team, 'people', ''), (NEW.team, 'people', '');
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER members_came AFTER INSERT ON memberships REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION note_members();
CREATE TRIGGER members_went AFTER DELETE ON memberships REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION note_members();
CREATE TRIGGER member_changed AFTER UPDATE ON memberships FOR EACH ROW
    WHEN (NEW.confirmed_at < OLD.confirmed_at
          OR (NEW.team, NEW.conversation_id, NEW.user_id) <> (OLD.team, OLD.conversation_id, OLD.user_id))
    EXECUTE FUNCTION note_member();

CREATE TRIGGER group_members_came AFTER INSERT ON group_members REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION note_members();
CREATE TRIGGER group_members_went AFTER DELETE ON group_members REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION note_members();
CREATE TRIGGER group_member_changed AFTER UPDATE ON group_members FOR EACH ROW
    WHEN (NEW.confirmed_at < OLD.confirmed_at
          OR (NEW.team, NEW.group_id, NEW.user_id) <> (OLD.team, OLD.group_id, OLD.user_id))
    EXECUTE FUNCTION note_member();

CREATE TRIGGER people_came AFTER INSERT ON people REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION note_members();
CREATE TRIGGER people_went AFTER DELETE ON people REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION note_members();
CREATE TRIGGER person_differs AFTER UPDATE ON people FOR EACH ROW
    WHEN (NEW.confirmed_at < OLD.confirmed_at OR OLD.confirmed_at = '-infinity'
          OR (NEW.team, NEW.user_id, NEW.is_full_member, NEW.is_bot, NEW.is_deleted)
             <> (OLD.team, OLD.user_id, OLD.is_full_member, OLD.is_bot, OLD.is_deleted))
    EXECUTE FUNCTION note_member();

INSERT INTO seats (team, user_id)
SELECT team, user_id FROM people UNION SELECT team, user_id FROM memberships
UNION SELECT team, user_id FROM group_members ORDER BY 1, 2;
