-- Roles and the audit trail.

-- Slack's workspace owners and administrators.
ALTER TABLE people ADD COLUMN is_admin boolean NOT NULL DEFAULT false;

-- What somebody has uploaded, the newest first: App Home.
CREATE INDEX documents_by_uploader ON documents (team, created_by, created_at DESC) WHERE deleted_at IS NULL;

-- What the run's scope was when the audit trail last noted it.
ALTER TABLE runs ADD COLUMN scope_hash text;

-- Who did what, when: ids, numbers and words of our own enumerations, never text of documents, titles or questions.
-- Nothing refers to other tables: an entry outlives what it is about.
CREATE TABLE audit (
    entry_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    noted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    team text NOT NULL,
    action text NOT NULL,
    actor text NOT NULL,
    run_id text,
    conversation text,
    document_id text,
    details jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX audit_by_time ON audit (noted_at);

-- An entry is never changed, and goes only when forget_audit has set how old it must be.
CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- The last day is kept whatever a setting or a clock says. least() passes over null.
    IF TG_OP = 'DELETE' AND OLD.noted_at < least(
        coalesce(nullif(current_setting('haitang.audit_before', true), '')::timestamptz, '-infinity'),
        clock_timestamp() - interval '1 day') THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'the audit trail is append-only' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER audit_rows_stay BEFORE UPDATE OR DELETE ON audit FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_is_kept BEFORE TRUNCATE ON audit FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();

-- The retention routine.
CREATE FUNCTION forget_audit(before timestamptz) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    forgotten bigint;
BEGIN
    PERFORM set_config('haitang.audit_before', before::text, true);
    DELETE FROM audit WHERE noted_at < least(before, clock_timestamp() - interval '1 day');
    GET DIAGNOSTICS forgotten = ROW_COUNT;
    PERFORM set_config('haitang.audit_before', '', true);
    RETURN forgotten;
END $$;

-- Who acts in this transaction, as permissions.audit.acting has said it; else Slack, whose events change the most.
CREATE FUNCTION audit_actor() RETURNS text LANGUAGE sql STABLE AS $$
    SELECT coalesce(nullif(current_setting('haitang.actor', true), ''), 'slack')
$$;

-- Every change of grants is noted here, in its own transaction, whichever code makes it. A principal is
-- kind:team or kind:team/id.
CREATE FUNCTION audit_grants() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO audit (team, action, actor, document_id, details)
    SELECT split_part(split_part(min(principal), ':', 2), '/', 1), 'rights', audit_actor(), document_id,
           jsonb_build_object(TG_ARGV[0], jsonb_agg(principal ORDER BY principal))
    FROM changed GROUP BY document_id ORDER BY document_id;
    RETURN NULL;
END $$;
CREATE TRIGGER grants_given AFTER INSERT ON grants REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION audit_grants('granted');
CREATE TRIGGER grants_withdrawn AFTER DELETE ON grants REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION audit_grants('withdrawn');

-- So is what Slack says of a person, where a role follows from it.
CREATE FUNCTION audit_person() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO audit (team, action, actor, details)
    VALUES (NEW.team, 'role', audit_actor(), jsonb_build_object(
        'person', NEW.user_id, 'is_admin', NEW.is_admin, 'is_guest', NEW.is_guest, 'is_stranger', NEW.is_stranger,
        'is_deleted', NEW.is_deleted));
    RETURN NULL;
END $$;
CREATE TRIGGER person_arrived AFTER INSERT ON people
    FOR EACH ROW WHEN (NEW.is_admin) EXECUTE FUNCTION audit_person();
CREATE TRIGGER person_changed AFTER UPDATE ON people
    FOR EACH ROW WHEN ((OLD.is_admin, OLD.is_guest, OLD.is_stranger, OLD.is_deleted)
                       IS DISTINCT FROM (NEW.is_admin, NEW.is_guest, NEW.is_stranger, NEW.is_deleted))
    EXECUTE FUNCTION audit_person();
