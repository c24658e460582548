/** The trigger functions that apply delivery modes, and that request a check when a plugin with approvals changes. */

/** The strictest of several modes; null is `auto`. The modes sort by strictness: `hold_all` before `hold_growth`. */
const strictest = (...modes: ReadonlyArray<string>) => `least(${modes.join(", ")})`

const requested = "INSERT INTO plugin_release_checks (organization_id, plugin_id)"

/**
 * Requests checks for the plugins `c` of changed rows that have a delivery mode. A connection keeps the plan that it made
 * for its first statement. With OFFSET 0, rows are looked up by index, even if that statement changed thousands of rows.
 */
const changedRows = (name: string, plugins: string) =>
  `FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      ${requested} SELECT c.organization_id, c.plugin_id FROM (${plugins}) c
        CROSS JOIN LATERAL (SELECT FROM plugins p WHERE p.organization_id = c.organization_id AND p.id = c.plugin_id
          AND p.delivery_mode IS NOT NULL OFFSET 0) p;
      RETURN NULL;
    END $$`

/**
 * Whether the contents of a release are kept because an assignment pins it. If approved releases have the same digest, those
 * of the newest one are kept.
 */
export const isPinned = (release: string) =>
  `(${release}.has_contents AND ${release}.state = 'approved' AND EXISTS (SELECT 1 FROM assignments ka
    WHERE ka.organization_id = ${release}.organization_id AND ka.plugin_id = ${release}.plugin_id
      AND ka.pinned_digest = ${release}.digest)
    AND NOT EXISTS (SELECT 1 FROM plugin_releases kn WHERE kn.organization_id = ${release}.organization_id
      AND kn.plugin_id = ${release}.plugin_id AND kn.digest = ${release}.digest AND kn.has_contents
      AND kn.state = 'approved' AND kn.number > ${release}.number))`

/** A removed plugin has no served release. If a rollback restores the plugin, its content is checked again. */
export const endReleases = `FUNCTION end_releases() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE emptied text[];
    BEGIN
      NEW.served_release_id := NULL;
      WITH changed AS (UPDATE plugin_releases r SET has_contents = false,
          state = CASE r.state WHEN 'pending' THEN 'superseded' ELSE r.state END
        WHERE r.organization_id = NEW.organization_id AND r.plugin_id = NEW.id AND r.has_contents
          AND NOT ${isPinned("r")} RETURNING r.id)
        SELECT coalesce(array_agg(c.id), '{}') INTO emptied FROM changed c;
      DELETE FROM plugin_release_objects x WHERE x.organization_id = NEW.organization_id AND x.release_id = ANY (emptied);
      DELETE FROM plugin_release_files x WHERE x.organization_id = NEW.organization_id AND x.release_id = ANY (emptied);
      RETURN NEW;
    END $$`

/** Functions by name. They name tables, so they are created again when the tables move to another schema. */
export const releaseFunctions: Readonly<Record<string, string>> = {
  // A new plugin has the mode of its organization and of its connector instance. A change of any mode locks the
  // organization first, so the lock waits for a change that would not include the plugin.
  set_delivery_mode: `FUNCTION set_delivery_mode() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE mode text;
    BEGIN
      SELECT o.delivery_mode INTO mode FROM organizations o WHERE o.id = NEW.organization_id FOR KEY SHARE;
      NEW.delivery_mode := ${strictest(
        "NEW.delivery_mode",
        "mode",
        `(SELECT i.delivery_mode FROM connector_targets t JOIN connector_instances i
          ON i.organization_id = t.organization_id AND i.id = t.connector_instance_id
        WHERE t.organization_id = NEW.organization_id AND t.id = NEW.connector_target_id)`
      )};
      RETURN NEW;
    END $$`,
  // A plugin that is added to a marketplace has at least the mode of the marketplace. The lock waits for a change of the
  // mode that would not include the plugin.
  raise_delivery_mode: `FUNCTION raise_delivery_mode() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE mode text;
    BEGIN
      SELECT m.delivery_mode INTO mode FROM marketplaces m
        WHERE m.organization_id = NEW.organization_id AND m.id = NEW.marketplace_id FOR SHARE;
      IF mode IS NOT NULL THEN
        UPDATE plugins p SET delivery_mode = ${strictest("p.delivery_mode", "mode")}
          WHERE p.organization_id = NEW.organization_id AND p.id = NEW.plugin_id
            AND p.delivery_mode IS DISTINCT FROM ${strictest("p.delivery_mode", "mode")};
      END IF;
      RETURN NULL;
    END $$`,
  end_releases: endReleases,
  check_plugin: `FUNCTION check_plugin() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      ${requested} VALUES (NEW.organization_id, NEW.id);
      RETURN NULL;
    END $$`,
  check_changed_rows: changedRows("check_changed_rows", "SELECT DISTINCT organization_id, plugin_id FROM changed"),
  check_changed_objects: changedRows(
    "check_changed_objects",
    `SELECT DISTINCT o.organization_id, m.plugin_id FROM changed o
        CROSS JOIN LATERAL (SELECT pm.plugin_id FROM plugin_memberships pm
          WHERE pm.organization_id = o.organization_id AND pm.config_object_id = o.id AND pm.removed_at IS NULL
          OFFSET 0) m`
  ),
  // Keeps the contents of releases, even if an earlier server version deletes contents that are no longer published.
  keep_release_contents: `FUNCTION keep_release_contents() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF EXISTS (SELECT 1 FROM plugin_release_files f
        WHERE f.organization_id = OLD.organization_id AND f.digest = OLD.digest) THEN RETURN NULL; END IF;
      RETURN OLD;
    END $$`
}

const afterStatement = (table: string, event: "INSERT" | "UPDATE" | "DELETE", run: string) =>
  `CREATE TRIGGER ${table}_check_${event.toLowerCase()} AFTER ${event} ON ${table}
    REFERENCING ${event === "DELETE" ? "OLD" : "NEW"} TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION ${run}()`

export const releaseTriggers: ReadonlyArray<string> = [
  ...Object.values(releaseFunctions).map((definition) => `CREATE ${definition}`),
  `CREATE TRIGGER plugins_delivery_mode BEFORE INSERT OR UPDATE OF connector_target_id ON plugins
    FOR EACH ROW EXECUTE FUNCTION set_delivery_mode()`,
  `CREATE TRIGGER plugins_end_releases BEFORE UPDATE OF deleted_at ON plugins
    FOR EACH ROW WHEN (NEW.deleted_at IS NOT NULL AND OLD.deleted_at IS NULL AND NEW.delivery_mode IS NOT NULL)
    EXECUTE FUNCTION end_releases()`,
  `CREATE TRIGGER plugins_check_insert AFTER INSERT ON plugins
    FOR EACH ROW WHEN (NEW.delivery_mode IS NOT NULL) EXECUTE FUNCTION check_plugin()`,
  `CREATE TRIGGER plugins_check_update AFTER UPDATE ON plugins
    FOR EACH ROW WHEN (NEW.delivery_mode IS NOT NULL AND (
      NEW.name, NEW.description, NEW.manifest_json, NEW.delivery_mode, NEW.deleted_at) IS DISTINCT FROM (
      OLD.name, OLD.description, OLD.manifest_json, OLD.delivery_mode, OLD.deleted_at))
    EXECUTE FUNCTION check_plugin()`,
  `CREATE TRIGGER marketplace_memberships_delivery_mode AFTER INSERT OR UPDATE OF removed_at ON marketplace_memberships
    FOR EACH ROW WHEN (NEW.removed_at IS NULL) EXECUTE FUNCTION raise_delivery_mode()`,
  ...(["INSERT", "UPDATE", "DELETE"] as const).flatMap((event) => [
    afterStatement("plugin_memberships", event, "check_changed_rows"),
    afterStatement("plugin_files", event, "check_changed_rows")
  ]),
  afterStatement("config_objects", "UPDATE", "check_changed_objects"),
  `CREATE TRIGGER plugin_file_blobs_kept BEFORE DELETE ON plugin_file_blobs
    FOR EACH ROW EXECUTE FUNCTION keep_release_contents()`
]
