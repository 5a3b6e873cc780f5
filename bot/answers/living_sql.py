"""Statements about answers that were given: where they stand, whether they still may, and what is left of them."""

from __future__ import annotations

from typing import Final

_PLACE: Final = "DISTINCT team, conversation, reader"

PLACES_OF_DOCUMENT: Final = f"SELECT {_PLACE} FROM cited WHERE document_id = %(document)s"  # noqa: S608 - constants

# Where an answer stands before the readers of the conversation, and where one hangs on what its principal grants: who
# has left it may be a reader there.
PLACES_OF_AUDIENCE: Final = f"""
SELECT {_PLACE} FROM cited WHERE team = %(team)s AND conversation = %(conversation)s
UNION
SELECT {_PLACE} FROM cited
 WHERE team = %(team)s
   AND document_id IN (SELECT document_id FROM grants WHERE principal = %(principal)s)
"""  # noqa: S608 - constants

PLACES_OF_TEAM: Final = f"SELECT {_PLACE} FROM cited WHERE team = %(team)s"  # noqa: S608 - constants

_HERE: Final = "cited.team = %(team)s AND cited.conversation = %(conversation)s AND cited.reader = %(reader)s"

PRINCIPALS_HERE: Final = f"""
SELECT DISTINCT principal FROM grants WHERE document_id IN (SELECT document_id FROM cited WHERE {_HERE})
"""  # noqa: S608 - constants

# What is to be said of the answers of a place. `newer` are documents of which a version with other bytes is active now
# (an earlier one may have been published again); one without an active version was deleted.
JUDGE: Final = f"""
SELECT run_id, asker, state, is_gone, is_closed, newer, marked FROM (
SELECT cited.run_id, min(cited.asker) AS asker, min(cited.state) AS state,
       bool_or(document.active_version IS NULL) AS is_gone,
       bool_or(NOT EXISTS (SELECT FROM grants
                            WHERE grants.document_id = cited.document_id
                              AND grants.principal = ANY (%(covering)s))) AS is_closed,
       coalesce(array_agg(DISTINCT cited.document_id)
                FILTER (WHERE active.version_id <> cited.version_id
                          AND (active.sha256 = quoted.sha256) IS NOT TRUE), '{{}}') AS newer,
       coalesce(min(standings.newer), '{{}}') AS marked
  FROM cited
  LEFT JOIN documents AS document ON document.document_id = cited.document_id AND document.deleted_at IS NULL
  LEFT JOIN versions AS active ON active.version_id = document.active_version
  LEFT JOIN versions AS quoted ON quoted.version_id = cited.version_id
  LEFT JOIN standings ON standings.run_id = cited.run_id
 WHERE {_HERE}
 GROUP BY cited.run_id) AS verdict
 WHERE is_gone OR is_closed OR newer <> marked
"""  # noqa: S608 - constants

# Runs first and in order, as everybody who empties answers takes them; the delivery of an answer locks its run as well.
LOCK_RUNS: Final = "SELECT FROM runs WHERE run_id = ANY (%(runs)s) ORDER BY run_id FOR NO KEY UPDATE"

WITHDRAW: Final = """
INSERT INTO standings (run_id, state) SELECT unnest(%(runs)s::text[]), 'withdrawn'
ON CONFLICT (run_id) DO UPDATE SET state = 'withdrawn', newer = '{}', decided_at = now(), shown_at = NULL
 WHERE standings.state NOT IN ('withdrawn', 'replaced')
RETURNING run_id
"""

MARK: Final = """
INSERT INTO standings (run_id, state, newer) VALUES (%(run_id)s, %(state)s, %(newer)s)
ON CONFLICT (run_id) DO UPDATE SET state = excluded.state, newer = excluded.newer, decided_at = now(), shown_at = NULL
 WHERE standings.state IN ('stands', 'marked')
"""

# Ids, numbers and places stay. What is not known to be posted may have been, by a process that died.
EMPTY: Final = (
    "UPDATE runs SET answer = '' WHERE run_id = ANY (%(runs)s)",
    """UPDATE evidence SET excerpt = '', title = '' FROM evidence_sets
        WHERE evidence_sets.evidence_set_id = evidence.evidence_set_id AND run_id = ANY (%(runs)s)""",
    "UPDATE posts SET content = '{}' WHERE run_id = ANY (%(runs)s)",
    # An answer that was saved and is not planned yet: its message shows what was written of it until now.
    """INSERT INTO posts (run_id, ordinal, conversation, ts, content)
       SELECT run_id, 1, conversation, placeholder_ts, '{}' FROM runs
        WHERE run_id = ANY (%(runs)s) AND placeholder_ts IS NOT NULL AND completion IN ('answered', 'partial')
       ON CONFLICT DO NOTHING""",
)

# Only what people see there can be clicked: a withdrawal that is not shown yet comes first.
GIVE_WAY: Final = """
UPDATE standings SET state = 'replaced', decided_at = now(), shown_at = NULL
  FROM posts
 WHERE standings.run_id = %(run_id)s
   AND posts.run_id = standings.run_id AND posts.ordinal = 1
   AND (standings.state = 'marked' OR (standings.state = 'withdrawn' AND shown_at IS NOT NULL))
RETURNING posts.ts
"""

UNSHOWN: Final = """
SELECT run_id, standings.state IN ('stands', 'marked') FROM standings JOIN runs USING (run_id)
 WHERE shown_at IS NULL AND team = %(team)s AND %(conversation)s IN ('', conversation)
 ORDER BY (standings.state = 'withdrawn') DESC, decided_at
"""
