-- Answers that stay true.

-- Every message that shows an answer from evidence, noted before it is posted, so that a crash in between loses none.
-- ordinal 1 is the message that was the placeholder; ts is null until Slack has taken the message; content is what Slack
-- was given, emptied with the answer.
CREATE TABLE posts (
    run_id text NOT NULL REFERENCES runs ON DELETE CASCADE,
    ordinal integer NOT NULL,
    conversation text NOT NULL,
    ts text,
    content jsonb NOT NULL,
    PRIMARY KEY (run_id, ordinal)
);
CREATE INDEX posts_by_message ON posts (conversation, ts);

-- Answers that do not stand as they were given; an answer without a row does. newer names cited documents of which a
-- newer version was published. shown_at is null while Slack does not show it yet.
CREATE TABLE standings (
    run_id text PRIMARY KEY REFERENCES runs ON DELETE CASCADE,
    state text NOT NULL CHECK (state IN ('stands', 'marked', 'withdrawn', 'replaced')),
    newer text[] NOT NULL DEFAULT '{}',
    decided_at timestamptz NOT NULL DEFAULT now(),
    shown_at timestamptz
);
CREATE INDEX standings_unshown ON standings (decided_at) WHERE shown_at IS NULL;

-- What each answer that still stands quotes, and where. reader: who alone reads it, where that is not a conversation.
CREATE VIEW cited AS
SELECT runs.run_id, runs.team, runs.conversation, runs.asker, runs.state,
       CASE WHEN runs.conversation = '' THEN runs.asker ELSE '' END AS reader,
       evidence.document_id, evidence.version_id
  FROM runs JOIN evidence_sets USING (run_id) JOIN evidence USING (evidence_set_id)
 WHERE NOT EXISTS (SELECT FROM standings
                    WHERE standings.run_id = runs.run_id AND standings.state IN ('withdrawn', 'replaced'));
