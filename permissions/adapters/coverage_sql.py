"""The statements of :mod:`permissions.adapters.coverage`. Each is one look: a statement sees one snapshot.

People are bits (migration 0004): ``seats`` says which, ``rosters`` holds a channel's or group's members, ``crowds`` the
workspace's people. What has changed since, or was confirmed too long ago, is computed from the rows instead.
"""

# ruff: noqa: S608 - put together from constants of this file alone

from __future__ import annotations

_BLOCK = 12288
_NOBODY = f"B'0'::bit({_BLOCK})"
_ITS_BLOCK = f"s.seat / {_BLOCK}"
_ITS_BIT = f"set_bit({_NOBODY}, s.seat %% {_BLOCK}, 1)"
_THEIR_BITS = f"bit_or({_ITS_BIT})"
_WHO_ARE = f"coalesce({_THEIR_BITS} FILTER (WHERE {{}}), {_NOBODY})".format
_KNOWN_NOW = _WHO_ARE("p.confirmed_at >= %(since)s")
_KNOWN_ONCE = _WHO_ARE("p.confirmed_at > '-infinity'")
_FULL_MEMBERS, _SILENT = _WHO_ARE("p.is_full_member"), _WHO_ARE("p.is_bot OR p.is_deleted")

# What the asker is in and holds, fresh or not, read once.
_THEIRS = """
    theirs AS MATERIALIZED (
        SELECT 'channel' AS kind, conversation_id AS id, confirmed_at >= %(since)s AS is_fresh FROM memberships
        WHERE team = %(team)s AND user_id = %(asker)s
        UNION ALL
        SELECT 'group', group_id, confirmed_at >= %(since)s FROM group_members
        WHERE team = %(team)s AND user_id = %(asker)s
        UNION ALL
        SELECT 'user', %(asker)s::text, true
    )
"""

# The asker, if fresh and a person who can ask. Stale memberships of theirs are looked for, to be told;
# nothing is granted to a DM's principal, so that those do not count.
_ASKER = """
    SELECT p.is_full_member,
           EXISTS (SELECT FROM theirs t
                   WHERE NOT t.is_fresh
                     AND NOT (t.kind = 'channel'
                              AND EXISTS (SELECT FROM conversations c
                                          WHERE c.team = p.team AND c.conversation_id = t.id AND c.kind = 'dm')))
               AS has_stale
    FROM people p
    WHERE p.team = %(team)s AND p.user_id = %(asker)s AND p.confirmed_at >= %(since)s
      AND NOT p.is_bot AND NOT p.is_deleted
"""

# What may cover: everything that the asker holds besides the conversation's own channel, or what was asked about.
_OF_ASKER = """
    SELECT kind, id FROM theirs
    WHERE is_fresh AND (kind, id) IS DISTINCT FROM ('channel', %(conversation)s::text)
"""
_GIVEN = "SELECT * FROM unnest(%(kinds)s::text[], %(ids)s::text[]) AS given (kind, id)"

# crowd: who of the workspace's people is known now, reads nothing, or is a full member, by block.
_CROWD = f"""
    built AS MATERIALIZED (
        SELECT NOT EXISTS (SELECT FROM roster_changes x WHERE x.team = %(team)s AND x.kind = 'people')
               AND coalesce((SELECT min(oldest) FROM crowds WHERE team = %(team)s) >= %(since)s, false) AS is_usable
    ), crowd AS MATERIALIZED (
        SELECT block, everyone, known, full_members, silent FROM crowds
        WHERE team = %(team)s AND (SELECT is_usable FROM built)
        UNION ALL
        SELECT {_ITS_BLOCK}, {_THEIR_BITS}, {_KNOWN_NOW},
               {_FULL_MEMBERS},
               {_SILENT}
        FROM people p LEFT JOIN seats s USING (team, user_id)
        WHERE p.team = %(team)s AND NOT (SELECT is_usable FROM built)
        GROUP BY 1
    )
"""

# inside: all members of the conversation, fresh or not. joined: those of them who read. Bots and deactivated accounts
# read nothing; somebody of whom nothing fresh is known counts as a reader.
_JOINED = f"""
    place_roster AS MATERIALIZED (
        SELECT block, members FROM rosters
        WHERE team = %(team)s AND kind = 'channel' AND id = %(conversation)s
          AND NOT EXISTS (SELECT FROM roster_changes x
                          WHERE x.team = %(team)s AND x.kind = 'channel' AND x.id = %(conversation)s)
    ), inside AS (
        SELECT block, members FROM place_roster
        UNION ALL
        SELECT {_ITS_BLOCK}, {_THEIR_BITS} FROM memberships m LEFT JOIN seats s USING (team, user_id)
        WHERE m.team = %(team)s AND m.conversation_id = %(conversation)s AND NOT EXISTS (SELECT FROM place_roster)
        GROUP BY 1
    ), joined AS MATERIALIZED (
        SELECT block, members & ~coalesce(known & silent, {_NOBODY}) AS bits,
               coalesce(known, {_NOBODY}) AS known, coalesce(full_members, {_NOBODY}) AS full_members
        FROM inside LEFT JOIN crowd USING (block)
    )
"""

# The conversation, if fresh, and what its reading members mean for the workspace principal.
_PLACE = """
    SELECT c.kind, c.is_shared,
           coalesce(c.members_confirmed_at >= %(since)s, false) AS members_known,
           EXISTS (SELECT FROM workspaces w WHERE w.team = c.team AND w.people_listed_at >= %(since)s) AS people_known,
           EXISTS (SELECT FROM memberships m
                   WHERE m.team = c.team AND m.conversation_id = c.conversation_id
                     AND m.user_id = %(asker)s AND m.confirmed_at >= %(since)s) AS asker_is_member,
           EXISTS (SELECT FROM joined WHERE bit_count(bits & known & ~full_members) > 0) AS has_outsiders,
           EXISTS (SELECT FROM joined WHERE bit_count(bits & ~known) > 0) AS has_unknown,
           (SELECT coalesce(sum(bit_count(bits)), 0) FROM joined)::integer AS readers
    FROM conversations c
    WHERE c.team = %(team)s AND c.conversation_id = %(conversation)s AND c.confirmed_at >= %(since)s
"""

# held: who freshly has each candidate. A candidate of people with no bits anywhere has no row.
_HELD = f"""
    stored AS MATERIALIZED (
        SELECT r.kind, r.id, r.block, r.members, min(r.oldest) OVER (PARTITION BY r.kind, r.id) >= %(since)s AS is_fresh
        FROM candidates w
        CROSS JOIN LATERAL (SELECT * FROM rosters WHERE team = %(team)s AND kind = w.kind AND id = w.id OFFSET 0) AS r
        WHERE NOT EXISTS (SELECT FROM roster_changes x WHERE x.team = %(team)s AND x.kind = w.kind AND x.id = w.id)
    ), unbuilt AS MATERIALIZED (
        SELECT kind, id FROM candidates WHERE kind <> 'user'
        EXCEPT SELECT kind, id FROM stored WHERE is_fresh
    ), held AS (
        SELECT kind, id, block, members FROM stored WHERE is_fresh
        UNION ALL
        SELECT w.kind, w.id, {_ITS_BLOCK}, {_THEIR_BITS}
        FROM unbuilt w
        JOIN memberships m ON m.team = %(team)s AND m.conversation_id = w.id AND m.confirmed_at >= %(since)s
        LEFT JOIN seats s USING (team, user_id)
        WHERE w.kind = 'channel' GROUP BY 1, 2, 3
        UNION ALL
        SELECT w.kind, w.id, {_ITS_BLOCK}, {_THEIR_BITS}
        FROM unbuilt w
        JOIN group_members m ON m.team = %(team)s AND m.group_id = w.id AND m.confirmed_at >= %(since)s
        LEFT JOIN seats s USING (team, user_id)
        WHERE w.kind = 'group' GROUP BY 1, 2, 3
        UNION ALL
        SELECT w.kind, w.id, {_ITS_BLOCK}, {_ITS_BIT}
        FROM candidates w JOIN seats s ON s.team = %(team)s AND s.user_id = w.id WHERE w.kind = 'user'
    )
"""

# A principal covers the readers when no reader is without it. A public channel is read by every full member besides its
# members; whoever is not freshly known may be one. Bits are compared where they are read: joining rows that wide makes
# the planner, who expects many, write them to disk. For the same reason it must not join whole rosters above.
_VERDICTS = """
    readers AS MATERIALIZED (
        SELECT block, bits FROM (
            SELECT block, bits FROM joined
            UNION ALL
            SELECT block, full_members | (everyone & ~known) FROM crowd
            WHERE EXISTS (SELECT FROM conversations c WHERE c.team = %(team)s AND c.conversation_id = %(conversation)s
                          AND c.kind = 'public')
        ) AS all_readers WHERE bit_count(bits) > 0
    ), matched AS (
        SELECT kind, id, (SELECT count(*) FROM readers r
                          WHERE r.block = h.block AND bit_count(r.bits & ~h.members) = 0) AS blocks
        FROM held h
    ), verdicts AS (
        SELECT w.kind, w.id, coalesce(sum(m.blocks), 0) = (SELECT count(*) FROM readers) AS covers
        FROM candidates w LEFT JOIN matched m USING (kind, id)
        GROUP BY w.kind, w.id
    )
"""

# principals: those that cover. is_incomplete: one that covers nothing might do so if its own list of members were
# fresh. to_build: what was computed from the rows.
_FOUND = """
    found AS (
        SELECT coalesce(array_agg(ARRAY[kind, id]) FILTER (WHERE covers), '{}') AS principals,
               coalesce(bool_or(kind = 'channel' AND NOT covers AND NOT EXISTS (
                   SELECT FROM conversations c
                   WHERE c.team = %(team)s AND c.conversation_id = id
                     AND (c.kind = 'dm' OR c.members_confirmed_at >= %(since)s))), false) AS is_incomplete,
               ARRAY(
                   SELECT ARRAY[kind, id] FROM unbuilt
                   UNION ALL
                   SELECT ARRAY['channel', %(conversation)s::text] WHERE NOT EXISTS (SELECT FROM place_roster)
                   UNION ALL
                   SELECT ARRAY['people', ''] FROM built WHERE NOT is_usable) AS to_build
        FROM verdicts
    )
"""


def _looked(candidates: str) -> str:
    parts = (_CROWD, _JOINED, f"candidates AS MATERIALIZED ({candidates})", _HELD, _VERDICTS, _FOUND)
    return f"{', '.join(parts)}, place AS ({_PLACE})"


# Everything that the asker holds, for answers that they alone read.
ALONE = f"""
    WITH {_THEIRS}, asker AS ({_ASKER})
    SELECT asker.*, ARRAY(SELECT ARRAY[kind, id] FROM ({_OF_ASKER}) AS held) AS principals FROM asker
"""

# What the asker holds that each reader of the conversation has too, besides the conversation's own channel.
LOOK = f"""
    WITH {_THEIRS}, {_looked(_OF_ASKER)}, asker AS ({_ASKER})
    SELECT * FROM found LEFT JOIN asker ON true LEFT JOIN place ON true
"""

# The same for given principals, whoever asks.
COVER = f"""
    WITH {_looked(_GIVEN)}
    SELECT * FROM found LEFT JOIN place ON true
"""

# Only one builds at a time: who began earlier could write over what somebody who saw more has written.
LOCK = "SELECT pg_try_advisory_xact_lock(hashtextextended('rosters ' || %(team)s, 0))"

# In this order, each with a snapshot of its own: the rows are read after the notes of their changes are gone.
# Changes of what nobody asks about are not kept for ever: without bits it is computed from the rows.
BUILD = (
    """
    WITH gone AS (
        DELETE FROM roster_changes WHERE team = %(team)s AND (kind <> 'people' OR kind = ANY (%(kinds)s))
        RETURNING kind, id
    )
    DELETE FROM rosters r USING gone
    WHERE r.team = %(team)s AND r.kind = gone.kind AND r.id = gone.id
    """,
    """
    DELETE FROM rosters r USING unnest(%(kinds)s::text[], %(ids)s::text[]) AS w (kind, id)
    WHERE r.team = %(team)s AND r.kind = w.kind AND r.id = w.id
    """,
    "DELETE FROM crowds WHERE team = %(team)s AND 'people' = ANY (%(kinds)s)",
    f"""
    INSERT INTO crowds (team, block, everyone, known, full_members, silent, oldest)
    SELECT team, {_ITS_BLOCK}, {_THEIR_BITS}, {_KNOWN_ONCE},
           {_FULL_MEMBERS},
           {_SILENT},
           coalesce(min(p.confirmed_at) FILTER (WHERE p.confirmed_at > '-infinity'), 'infinity')
    FROM people p LEFT JOIN seats s USING (team, user_id)
    WHERE team = %(team)s AND 'people' = ANY (%(kinds)s) GROUP BY 1, 2
    """,
    *(
        f"""
        INSERT INTO rosters (team, kind, id, block, members, oldest)
        SELECT %(team)s, w.kind, w.id, CASE WHEN m.user_id IS NULL THEN 0 ELSE {_ITS_BLOCK} END,
               coalesce({_THEIR_BITS}, {_NOBODY}), coalesce(min(m.confirmed_at), 'infinity')
        FROM unnest(%(kinds)s::text[], %(ids)s::text[]) AS w (kind, id)
        LEFT JOIN {table} m ON m.team = %(team)s AND m.{column} = w.id
        LEFT JOIN seats s ON s.team = m.team AND s.user_id = m.user_id
        WHERE w.kind = '{kind}' GROUP BY w.kind, w.id, 4
        """
        for kind, table, column in (
            ("channel", "memberships", "conversation_id"),
            ("group", "group_members", "group_id"),
        )
    ),
)
