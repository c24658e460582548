/** The rules for migrations after the first release: docs/upgrade.md explains them. */

export interface MigrationFault {
  /** `contract`: the previous release may fail afterwards. `lock`: requests may wait, because a table is locked for long. */
  readonly kind: "contract" | "lock"
  readonly what: string
}

/**
 * Statements that are allowed although a rule reports them, by migration: the fault and the reason, such as that a table
 * is small. Contract steps are allowed in `packages/server/src/infra/sql/migrations/compatibility.ts` instead.
 */
export const lockExceptions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "0069_event_streams": {
    "CREATE INDEX audit_chains_behind ON audit_chains: use createIndex in an online migration":
      "The table has one row for each organization, and the index contains none of them yet."
  },
  "0072_webhook_bodies": {
    "UPDATE webhook_messages SET: use backfill in an online migration":
      "No release without this migration has webhook endpoints, so the table is empty on released servers."
  }
}

interface Rule {
  readonly kind: MigrationFault["kind"]
  readonly pattern: RegExp
  readonly fix: string
  /** The group of the pattern with the name of the table; the rule does not apply to tables that the migration creates. */
  readonly table?: number
}

const column = String.raw`\bADD\s+COLUMN\s+(?:IF\s+NOT\s+EXISTS\s+)?`
const altered = String.raw`\bALTER\s+TABLE\s+(?:ONLY\s+)?(\w+)\s+`

const rules: ReadonlyArray<Rule> = [
  { kind: "contract", pattern: /\bDROP\s+\w+/gi, fix: "drop it in a later release, when no supported release uses it" },
  { kind: "contract", pattern: /\bRENAME\s+\w+/gi, fix: "add a new column or table, and drop the old one later" },
  { kind: "contract", pattern: /\bALTER\s+COLUMN\s+\w+\s+(?:SET\s+DATA\s+)?TYPE\b/gi, fix: "add a new column instead" },
  {
    kind: "contract",
    pattern: /\bSET\s+NOT\s+NULL\b/gi,
    fix: "the previous release may write null: validate a CHECK constraint one release later"
  },
  {
    kind: "contract",
    pattern: new RegExp(`${altered}${column}(?![^,;\`]*\\bDEFAULT\\b)[^,;\`]*\\bNOT\\s+NULL\\b`, "gi"),
    table: 1,
    fix: "the previous release does not write the column: add a default"
  },
  { kind: "contract", pattern: /\bTRUNCATE\b/gi, fix: "delete in batches, in background work" },
  {
    kind: "contract",
    pattern: /\bisUnique:\s*true\b|\bCREATE\s+UNIQUE\s+INDEX\b[^`]*?\bON\s+(\w+)/gi,
    table: 1,
    fix: "the previous release may write duplicates"
  },
  {
    kind: "lock",
    pattern: /\bCREATE\s+(?:UNIQUE\s+)?INDEX\b[^`]*?\bON\s+(\w+)/gi,
    table: 1,
    fix: "use createIndex in an online migration"
  },
  {
    kind: "lock",
    pattern: new RegExp(
      `${altered}ADD\\s+(?:CONSTRAINT\\s+\\w+\\s+)?(?:CHECK|FOREIGN|UNIQUE|PRIMARY|EXCLUDE)\\b(?![^\`]*\\bNOT\\s+VALID\\b)`,
      "gi"
    ),
    table: 1,
    fix: "add it as NOT VALID, and use validateConstraint in an online migration"
  },
  {
    kind: "lock",
    pattern: new RegExp(
      `${altered}${column}[^,;\`]*\\b(?:CHECK|REFERENCES|UNIQUE|PRIMARY|GENERATED|SERIAL|BIGSERIAL|random\\(|gen_random_uuid\\(|clock_timestamp\\(|nextval\\()`,
      "gi"
    ),
    table: 1,
    fix: "PostgreSQL reads or rewrites the table: add a nullable column, and use backfill"
  },
  {
    kind: "lock",
    pattern: /\bUPDATE\s+(\w+)\s+(?:AS\s+\w+\s+)?SET\b/gi,
    table: 1,
    fix: "use backfill in an online migration"
  },
  { kind: "lock", pattern: /\bDELETE\s+FROM\s+(\w+)/gi, table: 1, fix: "delete in batches, in background work" },
  { kind: "lock", pattern: /\bVALIDATE\s+CONSTRAINT\b/gi, fix: "use validateConstraint in an online migration" },
  {
    kind: "lock",
    pattern: /\b(?:LOCK\s+TABLE|VACUUM|CLUSTER|REINDEX|REFRESH\s+MATERIALIZED)\b/gi,
    fix: "not in a migration"
  }
]

const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)(?:\/\/|--).*$/gm, "$1")

/** The statements of a migration's source that break a rule. */
export const faultsOf = (source: string): ReadonlyArray<MigrationFault> => {
  const text = withoutComments(source)
  const created = new Set(
    [...text.matchAll(/\bCREATE\s+(?:UNLOGGED\s+)?TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(\w+)/gi)].map((match) => match[1])
  )
  return rules.flatMap(({ fix, kind, pattern, table }) =>
    [...text.matchAll(pattern)]
      .filter((match) => table === undefined || match[table] === undefined || !created.has(match[table]))
      .map((match) => ({ kind, what: `${match[0].replace(/\s+/g, " ")}: ${fix}` }))
  )
}
