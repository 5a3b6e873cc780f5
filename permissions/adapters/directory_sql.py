"""The statements of :mod:`permissions.adapters.postgres`."""

# People as a JSON list. An older listing never overwrites what was learned since it was begun, nor tells anything of
# whom an event changed since. Returns those whose standing is another than it was, which the statement's own look at
# the table still shows, and whether they have become full members.
PUT_PEOPLE = """
    WITH written AS (
        INSERT INTO people (team, user_id, name, home_team, is_guest, is_stranger, is_deleted, is_bot, is_admin, locale,
                            confirmed_at)
        SELECT g.team, g.id, g.name, g.home_team, g.is_guest, g.is_stranger, g.is_deleted, g.is_bot, g.is_admin,
               g.locale, %(as_of)s
        FROM jsonb_to_recordset(%(people)s) AS g (
            team text, id text, name text, home_team text, is_guest boolean, is_stranger boolean, is_deleted boolean,
            is_bot boolean, is_admin boolean, locale text)
        ORDER BY g.team, g.id
        ON CONFLICT (team, user_id) DO UPDATE
        SET name = excluded.name, home_team = excluded.home_team, is_guest = excluded.is_guest,
            is_stranger = excluded.is_stranger, is_deleted = excluded.is_deleted, is_bot = excluded.is_bot,
            is_admin = excluded.is_admin, locale = excluded.locale, confirmed_at = excluded.confirmed_at
        WHERE people.confirmed_at <= excluded.confirmed_at
          AND coalesce(people.forgotten_at <= excluded.confirmed_at, true)
        RETURNING team, user_id, is_full_member, is_deleted OR is_bot AS is_no_reader
    )
    SELECT w.team, w.user_id, w.is_full_member AND NOT coalesce(p.is_full_member, false)
    FROM written w LEFT JOIN people p USING (team, user_id)
    WHERE p.user_id IS NULL
       OR (p.is_full_member, p.is_deleted OR p.is_bot) IS DISTINCT FROM (w.is_full_member, w.is_no_reader)
"""

# Where answers may stand and these people read them.
PLACES_OF = """
    SELECT DISTINCT m.conversation_id FROM memberships m JOIN conversations c USING (team, conversation_id)
    WHERE m.team = %(team)s AND m.user_id = ANY (%(users)s) AND c.asked_at IS NOT NULL
"""

# Whom neither this listing of all people nor the one before names is not in the workspace any more; were the row left
# to grow old, they would count as a reader of every public channel for ever. One listing may have missed somebody.
DROP_PEOPLE_ABSENT = """
    DELETE FROM people p USING workspaces w
    WHERE p.team = %(team)s AND w.team = p.team
      AND p.confirmed_at < least(w.people_listed_at, %(as_of)s) AND p.confirmed_at > '-infinity'
    RETURNING p.user_id
"""

# Slack knows nobody of this id. What was learned since it was asked stays.
DROP_PERSON = "DELETE FROM people WHERE team = %(team)s AND user_id = %(user)s AND confirmed_at <= %(as_of)s"

PEOPLE_LISTED = """
    INSERT INTO workspaces (team, people_listed_at) VALUES (%(team)s, %(as_of)s)
    ON CONFLICT (team) DO UPDATE SET people_listed_at = excluded.people_listed_at
"""

# Nothing fresh is known of them any more: they keep reading what they read, as far as audiences are concerned. Of
# somebody new this alone is known: a reader who holds nothing.
FORGET_PERSON = """
    INSERT INTO people (team, user_id, home_team, confirmed_at, forgotten_at)
    VALUES (%(team)s, %(user)s, '', '-infinity', %(now)s)
    ON CONFLICT (team, user_id) DO UPDATE SET confirmed_at = '-infinity', forgotten_at = excluded.forgotten_at
"""

# The app was taken out: nothing that happens is told any more, so that nothing that was known proves anything. Of the
# many rows of members new ones are made, because what is noted of each change costs less than of each row.
FORGET_WORKSPACE = (
    "UPDATE workspaces SET people_listed_at = NULL WHERE team = %(team)s",
    "UPDATE people SET confirmed_at = '-infinity', forgotten_at = %(now)s WHERE team = %(team)s",
    """
    UPDATE conversations SET confirmed_at = '-infinity', forgotten_at = %(now)s, members_confirmed_at = NULL
    WHERE team = %(team)s
    """,
    """
    WITH known AS (DELETE FROM memberships WHERE team = %(team)s RETURNING team, conversation_id, user_id)
    INSERT INTO memberships (team, conversation_id, user_id, confirmed_at)
    SELECT team, conversation_id, user_id, '-infinity' FROM known
    """,
    """
    WITH known AS (DELETE FROM group_members WHERE team = %(team)s RETURNING team, group_id, user_id)
    INSERT INTO group_members (team, group_id, user_id, confirmed_at)
    SELECT team, group_id, user_id, '-infinity' FROM known
    """,
    "UPDATE user_groups SET updated = 0, confirmed_at = '-infinity' WHERE team = %(team)s",
)

# The same for a conversation: whoever asks there is answered from nothing until it is read again.
FORGET_CONVERSATION = """
    UPDATE conversations SET confirmed_at = '-infinity', forgotten_at = %(now)s
    WHERE team = %(team)s AND conversation_id = %(conversation)s
"""

LOCK_CONVERSATION = """
    SELECT kind, is_shared FROM conversations WHERE team = %(team)s AND conversation_id = %(conversation)s FOR UPDATE
"""

PUT_CONVERSATION = """
    INSERT INTO conversations (team, conversation_id, kind, name, is_archived, is_shared, confirmed_at)
    VALUES (%(team)s, %(id)s, %(kind)s, %(name)s, %(is_archived)s, %(is_shared)s, %(as_of)s)
    ON CONFLICT (team, conversation_id) DO UPDATE
    SET kind = excluded.kind, name = excluded.name, is_archived = excluded.is_archived,
        is_shared = excluded.is_shared, confirmed_at = excluded.confirmed_at
    WHERE conversations.confirmed_at <= excluded.confirmed_at
      AND coalesce(conversations.forgotten_at <= excluded.confirmed_at, true)
"""

# A public channel became private, or is gone: documents keep the workspace's grant only through another public channel.
WITHDRAW_WORKSPACE = """
    DELETE FROM grants w USING grants c
    WHERE w.principal = %(workspace)s AND c.document_id = w.document_id AND c.principal = %(channel)s
      AND NOT EXISTS (
          SELECT FROM grants o JOIN conversations k ON o.principal = 'channel:' || k.team || '/' || k.conversation_id
          WHERE o.document_id = w.document_id AND k.team = %(team)s AND k.kind = 'public'
            AND k.conversation_id <> %(conversation)s)
    RETURNING w.document_id
"""

MAKE_PRIVATE = """
    UPDATE conversations SET kind = 'private' WHERE team = %(team)s AND conversation_id = %(conversation)s
"""

# A listing of members: whoever it lacks goes, unless an event brought them after it was begun; whoever it names comes,
# unless an event took them away after it was begun.
IS_OUTDATED = """
    SELECT coalesce(forgotten_at > %(as_of)s, false) FROM conversations
    WHERE team = %(team)s AND conversation_id = %(conversation)s
"""
DROP_ABSENT = """
    DELETE FROM memberships
    WHERE team = %(team)s AND conversation_id = %(conversation)s AND confirmed_at <= %(as_of)s
      AND user_id <> ALL (%(members)s)
"""
ADD_LISTED = """
    INSERT INTO memberships (team, conversation_id, user_id, confirmed_at)
    SELECT %(team)s, %(conversation)s, listed.user_id, %(as_of)s
    FROM unnest(%(members)s::text[]) AS listed (user_id)
    WHERE NOT EXISTS (SELECT FROM departures d
                      WHERE d.team = %(team)s AND d.conversation_id = %(conversation)s
                        AND d.user_id = listed.user_id AND d.left_at > %(as_of)s)
    ON CONFLICT (team, conversation_id, user_id) DO UPDATE SET confirmed_at = excluded.confirmed_at
    WHERE memberships.confirmed_at < excluded.confirmed_at
    RETURNING xmax = 0
"""
DROP_OLD_DEPARTURES = """
    DELETE FROM departures
    WHERE team = %(team)s AND conversation_id = %(conversation)s AND left_at <= %(as_of)s
"""
MEMBERS_CONFIRMED = """
    UPDATE conversations SET members_confirmed_at = %(as_of)s
    WHERE team = %(team)s AND conversation_id = %(conversation)s
    RETURNING asked_at IS NOT NULL OR forgotten_at IS NOT NULL
"""

# The conversations of one person: only confirms. What such a listing lacks is no proof that they left, and dropping
# an outsider would widen what the others there may read. One from before the bot was removed proves nothing.
CONFIRM_CONVERSATIONS_OF = """
    INSERT INTO memberships (team, conversation_id, user_id, confirmed_at)
    SELECT %(team)s, listed.conversation_id, %(user)s, %(as_of)s
    FROM unnest(%(conversations)s::text[]) AS listed (conversation_id)
    WHERE NOT EXISTS (SELECT FROM departures d
                      WHERE d.team = %(team)s AND d.user_id = %(user)s
                        AND d.conversation_id = listed.conversation_id AND d.left_at > %(as_of)s)
      AND NOT EXISTS (SELECT FROM conversations c
                      WHERE c.team = %(team)s AND c.conversation_id = listed.conversation_id
                        AND c.forgotten_at > %(as_of)s)
    ON CONFLICT (team, conversation_id, user_id) DO UPDATE SET confirmed_at = excluded.confirmed_at
    WHERE memberships.confirmed_at < excluded.confirmed_at
    RETURNING conversation_id, xmax = 0
"""

# Whether an event is older than another one about the same person, or than the last listing of the conversation.
EVENT_AGE = """
    SELECT coalesce((SELECT %(event_at)s <= m.event_at FROM memberships m
                     WHERE m.team = c.team AND m.conversation_id = c.conversation_id AND m.user_id = %(user)s), false)
           OR coalesce((SELECT %(event_at)s <= d.event_at FROM departures d
                        WHERE d.team = c.team AND d.conversation_id = c.conversation_id AND d.user_id = %(user)s),
                       false),
           coalesce(%(event_at)s <= c.members_confirmed_at, false)
    FROM conversations c
    WHERE c.team = %(team)s AND c.conversation_id = %(conversation)s
"""
ADD_MEMBER = """
    INSERT INTO memberships (team, conversation_id, user_id, confirmed_at, event_at)
    VALUES (%(team)s, %(conversation)s, %(user)s, %(now)s, %(event_at)s)
    ON CONFLICT (team, conversation_id, user_id) DO UPDATE
    SET confirmed_at = excluded.confirmed_at, event_at = excluded.event_at
"""
FORGET_DEPARTURE = """
    DELETE FROM departures
    WHERE team = %(team)s AND conversation_id = %(conversation)s AND user_id = %(user)s
"""
REMOVE_MEMBER = """
    DELETE FROM memberships
    WHERE team = %(team)s AND conversation_id = %(conversation)s AND user_id = %(user)s
"""
REMEMBER_DEPARTURE = """
    INSERT INTO departures (team, conversation_id, user_id, left_at, event_at)
    VALUES (%(team)s, %(conversation)s, %(user)s, %(now)s, %(event_at)s)
    ON CONFLICT (team, conversation_id, user_id) DO UPDATE
    SET left_at = excluded.left_at, event_at = excluded.event_at
"""
MEMBERS_UNKNOWN = """
    UPDATE conversations SET members_confirmed_at = NULL
    WHERE team = %(team)s AND conversation_id = %(conversation)s
"""
MEMBERS_FORGOTTEN = """
    UPDATE conversations SET members_confirmed_at = NULL, forgotten_at = %(now)s
    WHERE team = %(team)s AND conversation_id = %(conversation)s
"""

DROP_MEMBERS = "DELETE FROM memberships WHERE team = %(team)s AND conversation_id = %(conversation)s"
DROP_DEPARTURES = "DELETE FROM departures WHERE team = %(team)s AND conversation_id = %(conversation)s"
DROP_CONVERSATION = "DELETE FROM conversations WHERE team = %(team)s AND conversation_id = %(conversation)s"

# A conversation goes on under another id: its members, its departures and its principal move along. Grants are taken
# and given, never changed in place, because the audit trail notes what is taken and what is given. Members are readers
# there still, and hold nothing until they are read: who left may have been told under an id that nobody knew.
MOVE_CONVERSATION = """
    UPDATE conversations SET conversation_id = %(new)s, confirmed_at = '-infinity', members_confirmed_at = NULL
    WHERE team = %(team)s AND conversation_id = %(old)s
      AND NOT EXISTS (SELECT FROM conversations WHERE team = %(team)s AND conversation_id = %(new)s)
"""
MOVE_MEMBERS = """
    INSERT INTO memberships (team, conversation_id, user_id, confirmed_at, event_at)
    SELECT team, %(new)s, user_id, '-infinity', event_at FROM memberships
    WHERE team = %(team)s AND conversation_id = %(old)s
    ON CONFLICT DO NOTHING
"""
MOVE_DEPARTURES = """
    INSERT INTO departures (team, conversation_id, user_id, left_at, event_at)
    SELECT team, %(new)s, user_id, left_at, event_at FROM departures
    WHERE team = %(team)s AND conversation_id = %(old)s
    ON CONFLICT DO NOTHING
"""
TAKE_GRANTS = "DELETE FROM grants WHERE principal = %(old_principal)s RETURNING document_id"
GIVE_GRANTS = """
    INSERT INTO grants (document_id, principal) SELECT unnest(%(documents)s::text[]), %(new_principal)s
    ON CONFLICT DO NOTHING
"""

ASKED_IN = """
    UPDATE conversations SET asked_at = %(now)s WHERE team = %(team)s AND conversation_id = %(conversation)s
"""

# What stands in the way of a full scope. recheck: a listing older than this is worth repeating for an asker whom it
# lacks, because people ask where they are.
UNKNOWNS = """
    WITH place AS (
        SELECT confirmed_at, members_confirmed_at FROM conversations
        WHERE team = %(team)s AND conversation_id = %(conversation)s
    )
    SELECT NOT EXISTS (SELECT FROM people
                       WHERE team = %(team)s AND user_id = %(asker)s AND confirmed_at >= %(since)s) AS asker,
           EXISTS (SELECT FROM memberships m
                   WHERE m.team = %(team)s AND m.user_id = %(asker)s AND m.confirmed_at < %(since)s
                     AND NOT EXISTS (SELECT FROM conversations c
                                     WHERE c.team = m.team AND c.conversation_id = m.conversation_id
                                       AND c.kind = 'dm')) AS asker_conversations,
           %(conversation)s::text IS NOT NULL
           AND NOT EXISTS (SELECT FROM place WHERE confirmed_at >= %(since)s) AS conversation,
           %(conversation)s::text IS NOT NULL
           AND (NOT EXISTS (SELECT FROM place WHERE members_confirmed_at >= %(since)s)
                OR (NOT EXISTS (SELECT FROM memberships
                                WHERE team = %(team)s AND conversation_id = %(conversation)s AND user_id = %(asker)s)
                    AND EXISTS (SELECT FROM place WHERE members_confirmed_at < %(recheck)s))) AS members,
           ARRAY (SELECT m.user_id FROM memberships m
                  WHERE m.team = %(team)s AND m.conversation_id = %(conversation)s
                    AND NOT EXISTS (SELECT FROM people p
                                    WHERE p.team = m.team AND p.user_id = m.user_id AND p.confirmed_at >= %(since)s)
                  ORDER BY m.user_id) AS people
"""
