-- The first schema. Rights (people … grants), content (documents … chunks), answers (runs … evidence), intake.

CREATE EXTENSION IF NOT EXISTS vector;

-- Rights: who is where. confirmed_at is when Slack last said so; older than the setting counts as unknown.
-- people_listed_at: when all of a workspace's people were last read; without it nobody knows who reads a public channel.
CREATE TABLE workspaces (
    team text PRIMARY KEY,
    people_listed_at timestamptz
);

CREATE TABLE people (
    team text NOT NULL,
    user_id text NOT NULL,
    name text NOT NULL DEFAULT '',
    home_team text NOT NULL,
    is_guest boolean NOT NULL DEFAULT false,
    is_stranger boolean NOT NULL DEFAULT false,
    is_deleted boolean NOT NULL DEFAULT false,
    is_bot boolean NOT NULL DEFAULT false,
    locale text NOT NULL DEFAULT '',
    is_full_member boolean NOT NULL GENERATED ALWAYS AS
        (home_team = team AND NOT (is_guest OR is_stranger OR is_deleted OR is_bot)) STORED,
    confirmed_at timestamptz NOT NULL,
    PRIMARY KEY (team, user_id)
);

CREATE TABLE conversations (
    team text NOT NULL,
    conversation_id text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('public', 'private', 'group_dm', 'dm')),
    name text NOT NULL DEFAULT '',
    is_archived boolean NOT NULL DEFAULT false,
    is_shared boolean NOT NULL DEFAULT false,
    confirmed_at timestamptz NOT NULL,
    members_confirmed_at timestamptz,
    PRIMARY KEY (team, conversation_id)
);

-- event_at is Slack's time of the event that brought the row, if one did: it orders events that arrive late or twice.
CREATE TABLE memberships (
    team text NOT NULL,
    conversation_id text NOT NULL,
    user_id text NOT NULL,
    confirmed_at timestamptz NOT NULL,
    event_at timestamptz,
    PRIMARY KEY (team, conversation_id, user_id)
);
CREATE INDEX memberships_by_user ON memberships (team, user_id, conversation_id);

-- Who left, kept until a later listing, so that a listing begun before or a join delivered late cannot bring them back.
CREATE TABLE departures (
    team text NOT NULL,
    conversation_id text NOT NULL,
    user_id text NOT NULL,
    left_at timestamptz NOT NULL,
    event_at timestamptz NOT NULL,
    PRIMARY KEY (team, conversation_id, user_id)
);

CREATE TABLE group_members (
    team text NOT NULL,
    group_id text NOT NULL,
    user_id text NOT NULL,
    confirmed_at timestamptz NOT NULL,
    PRIMARY KEY (team, group_id, user_id)
);
CREATE INDEX group_members_by_user ON group_members (team, user_id, group_id);

-- Content. source is 'slack' or 'command'; source_id is Slack's file id or the absolute path. A deleted document keeps
-- its row, without its names, so that old evidence can say that it was deleted.
CREATE TABLE documents (
    document_id text PRIMARY KEY,
    team text NOT NULL,
    source text NOT NULL,
    source_id text NOT NULL,
    title text NOT NULL,
    mimetype text NOT NULL DEFAULT '',
    permalink text,
    active_version text,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    deleted_at timestamptz
);
CREATE UNIQUE INDEX documents_by_source ON documents (team, source, source_id) WHERE deleted_at IS NULL;

-- Rights of a document, written apart from its content.
CREATE TABLE grants (
    document_id text NOT NULL REFERENCES documents ON DELETE CASCADE,
    principal text NOT NULL,
    PRIMARY KEY (document_id, principal)
);
CREATE INDEX grants_by_principal ON grants (principal, document_id);

CREATE TABLE versions (
    version_id text PRIMARY KEY,
    document_id text NOT NULL REFERENCES documents ON DELETE CASCADE,
    number integer NOT NULL,
    state text NOT NULL,
    cause text,
    sha256 text,
    size bigint,
    object_key text,
    reader text,
    modality text NOT NULL DEFAULT 'document',
    report jsonb NOT NULL DEFAULT '{}',
    reply jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(),
    published_at timestamptz,
    UNIQUE (document_id, number)
);
ALTER TABLE documents ADD FOREIGN KEY (active_version) REFERENCES versions;
CREATE INDEX versions_by_content ON versions (sha256);
CREATE INDEX versions_by_object ON versions (object_key);

CREATE TABLE units (
    version_id text NOT NULL REFERENCES versions ON DELETE CASCADE,
    ordinal integer NOT NULL,
    place jsonb NOT NULL,
    read_by text NOT NULL,
    text text NOT NULL,
    blocks jsonb NOT NULL DEFAULT '[]',
    PRIMARY KEY (version_id, ordinal)
);

CREATE TABLE chunks (
    chunk_id text PRIMARY KEY,
    document_id text NOT NULL REFERENCES documents ON DELETE CASCADE,
    version_id text NOT NULL REFERENCES versions ON DELETE CASCADE,
    unit integer NOT NULL,
    ordinal integer NOT NULL,
    text text NOT NULL,
    context text NOT NULL,
    place jsonb NOT NULL,
    sentences int4[] NOT NULL,
    encoder text NOT NULL,
    embedding halfvec NOT NULL,
    sentence_vectors bytea NOT NULL,
    UNIQUE (version_id, ordinal)
);
CREATE INDEX chunks_by_document ON chunks (document_id);

-- What was deleted, kept without any of its text.
CREATE TABLE deletion_receipts (
    document_id text PRIMARY KEY,
    team text NOT NULL,
    requested_by text NOT NULL,
    deleted_at timestamptz NOT NULL DEFAULT now(),
    removed jsonb NOT NULL,
    purged_at timestamptz
);

-- Intake: what was accepted. A key is an event id or team/conversation/ts.
CREATE TABLE seen (
    key text PRIMARY KEY,
    seen_at timestamptz NOT NULL DEFAULT now()
);

-- Answers. state: accepted → running → ended; kind is that of the conversation, or 'command' for the command line.
CREATE TABLE runs (
    run_id text PRIMARY KEY,
    team text NOT NULL,
    conversation text NOT NULL,
    kind text NOT NULL,
    message_ts text NOT NULL,
    thread_ts text,
    asker text NOT NULL,
    question text NOT NULL,
    voice jsonb,
    state text NOT NULL CHECK (state IN ('accepted', 'running', 'ended')),
    completion text,
    placeholder_ts text,
    audience_key text,
    retry_of text,
    answer text,
    answer_id text,
    language text,
    gaps jsonb NOT NULL DEFAULT '[]',
    notices jsonb NOT NULL DEFAULT '[]',
    created_at timestamptz NOT NULL DEFAULT now(),
    started_at timestamptz,
    ended_at timestamptz
);
CREATE INDEX runs_by_thread ON runs (team, conversation, thread_ts);
CREATE INDEX runs_by_message ON runs (team, conversation, message_ts);
CREATE UNIQUE INDEX runs_retried_once ON runs (retry_of) WHERE retry_of IS NOT NULL;
CREATE INDEX runs_unfinished ON runs (state) WHERE state <> 'ended';

CREATE TABLE evidence_sets (
    evidence_set_id text PRIMARY KEY,
    run_id text NOT NULL REFERENCES runs ON DELETE CASCADE,
    revision integer NOT NULL,
    frozen_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (run_id, revision)
);

CREATE TABLE evidence (
    evidence_id text PRIMARY KEY,
    evidence_set_id text NOT NULL REFERENCES evidence_sets ON DELETE CASCADE,
    number integer NOT NULL,
    document_id text NOT NULL,
    version_id text NOT NULL,
    version_number integer NOT NULL,
    unit integer NOT NULL,
    chunk_id text NOT NULL,
    title text NOT NULL,
    excerpt text NOT NULL,
    place jsonb NOT NULL,
    modality text NOT NULL,
    read_by text NOT NULL,
    media_ref text NOT NULL,
    sha256 text NOT NULL,
    published_at text NOT NULL,
    UNIQUE (evidence_set_id, number)
);
CREATE INDEX evidence_by_document ON evidence (document_id);
