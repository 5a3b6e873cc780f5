-- Where files are shared.

-- Messages that were seen to show a file: Slack's own list may be cut short (has_more_shares). A message that is gone
-- keeps its row, so that its news, delivered late or again, does not bring it back. No words are kept, only ids.
CREATE TABLE file_shares (
    team text NOT NULL,
    file_id text NOT NULL,
    conversation_id text NOT NULL,
    ts text NOT NULL,
    gone_at timestamptz,
    PRIMARY KEY (team, file_id, conversation_id, ts)
);
CREATE INDEX file_shares_by_message ON file_shares (team, conversation_id, ts);

-- When the sweep for missed events last had a file's places looked at.
ALTER TABLE documents ADD COLUMN places_swept_at timestamptz;
CREATE INDEX documents_by_sweep ON documents (team, source, coalesce(places_swept_at, created_at))
    WHERE deleted_at IS NULL;

-- Where an upload is told of: what stands astray in a conversation is taken back when the bot is there again.
CREATE INDEX versions_by_reply ON versions USING gin (reply jsonb_path_ops);
