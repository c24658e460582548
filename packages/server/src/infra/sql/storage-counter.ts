/** The trigger functions that count the stored content of each organization. */

/** A row counts this many bytes in addition to its content, so that the number of rows is limited too. */
export const rowBytes = 256

interface Counted {
  readonly table: string
  /** The size of the row `r`. It does not depend on compression, so a recount has the same result. */
  readonly size: string
  /** The columns whose change changes the size. */
  readonly columns: string
}

/** The tables whose rows count toward the storage quota of their organization. */
export const countedTables: ReadonlyArray<Counted> = [
  {
    table: "config_object_versions",
    size: "coalesce(octet_length(r.source_text), 0) + coalesce(octet_length(r.payload_json::text), 0)",
    columns: "source_text, payload_json"
  },
  {
    table: "memories",
    size: "octet_length(r.content) + octet_length(r.contexts_json::text)",
    columns: "content, contexts_json"
  },
  { table: "plugin_file_blobs", size: "r.size", columns: "size" },
  { table: "template_versions", size: "octet_length(r.content_json::text)", columns: "content_json" }
].map(({ columns, size, table }) => ({ table, columns, size: `(${rowBytes} + ${size})::bigint` }))

const change = (transition: string, sign: string, size: string) =>
  `INSERT INTO storage_changes (organization_id, bytes)
        SELECT r.organization_id, ${sign}sum(${size}) FROM ${transition} r GROUP BY r.organization_id`

/** Functions by name. They name tables, so they are created again when the tables move to another schema. */
export const storageFunctions: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    countedTables.flatMap(({ size, table }) => [
      [
        `count_${table}`,
        `FUNCTION count_${table}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF TG_OP = 'INSERT' THEN ${change("added", "", size)};
      ELSE ${change("removed", "-", size)};
      END IF;
      RETURN NULL;
    END $$`
      ],
      [
        `count_changed_${table}`,
        `FUNCTION count_changed_${table}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO storage_changes (organization_id, bytes)
        SELECT NEW.organization_id, ${size.replaceAll("r.", "NEW.")} - ${size.replaceAll("r.", "OLD.")};
      RETURN NULL;
    END $$`
      ]
    ])
  ),
  count_new_organization: `FUNCTION count_new_organization() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO storage_usage (organization_id, bytes, counted_at) VALUES (NEW.id, 0, now())
        ON CONFLICT (organization_id) DO NOTHING;
      RETURN NULL;
    END $$`
}

/**
 * Each change inserts the number of bytes that it adds or removes, so that concurrent changes do not wait for each other.
 * Housekeeping adds these numbers to the total of the organization.
 */
export const storageStatements: ReadonlyArray<string> = [
  `CREATE TABLE storage_usage (
    organization_id text PRIMARY KEY,
    bytes bigint NOT NULL,
    counted_at timestamptz NOT NULL
  )`,
  `CREATE TABLE storage_changes (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    organization_id text NOT NULL,
    bytes bigint NOT NULL
  )`,
  `CREATE INDEX storage_changes_organization ON storage_changes (organization_id, id)`,
  ...Object.values(storageFunctions).map((definition) => `CREATE ${definition}`),
  ...countedTables.flatMap(({ columns, table }) => [
    `CREATE TRIGGER ${table}_added AFTER INSERT ON ${table}
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_${table}()`,
    `CREATE TRIGGER ${table}_removed AFTER DELETE ON ${table}
    REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_${table}()`,
    `CREATE TRIGGER ${table}_changed AFTER UPDATE OF ${columns} ON ${table}
    FOR EACH ROW EXECUTE FUNCTION count_changed_${table}()`
  ]),
  `CREATE TRIGGER organizations_counted AFTER INSERT ON organizations
    FOR EACH ROW EXECUTE FUNCTION count_new_organization()`
]
