/** Digests of all tables, to show that a request changed nothing. */
import * as Effect from "effect/Effect"
import { runSql, type TestPlane } from "../harness.ts"

/**
 * Columns that requests change indirectly: when a credential was last used or extended, where the audit chain put an
 * event; the last activity is omitted below.
 */
const passing: Readonly<Record<string, ReadonlyArray<string>>> = {
  api_keys: ["last_used_at"],
  scim_tokens: ["last_used_at"],
  scim_directories: ["last_request_at"],
  sessions: ["expires_at"],
  audit_events: ["sequence", "hash", "seal_key_id", "position", "feed_hash"]
}

interface Digest {
  /** Changes with every write to the table, and needs no row's content. */
  readonly writes: string
  readonly content: string
}
const digests = new WeakMap<TestPlane, Map<string, Digest>>()
/** Refused requests are written once a minute, whichever request is sent then. */
const whereOf = (name: string) => (name === "audit_events" ? "WHERE t.action <> 'access.refuse'" : "")
const digestQuery = (names: ReadonlyArray<string>, digest: (name: string) => string) =>
  names
    .map((name) => `SELECT '${name}' AS name, ${digest(name)} AS digest FROM "${name}" t ${whereOf(name)}`)
    .join(" UNION ALL ")

/** The number of rows and their content for every table: what a rejected request must not change. */
export const rowDigests = (plane: TestPlane): Promise<Readonly<Record<string, string>>> =>
  runSql(plane, (sql) =>
    Effect.gen(function* () {
      const last = digests.get(plane) ?? new Map<string, Digest>()
      digests.set(plane, last)
      const tables = yield* sql<{ name: string }>`SELECT table_name::text AS name FROM information_schema.tables
        WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'
          AND table_name NOT IN ('rate_windows', 'audit_chains', 'audit_checkpoints', 'activity_days', 'scim_log')
        ORDER BY table_name`
      const names = tables.map(({ name }) => name)
      const writes = yield* sql.unsafe<{ name: string; digest: string }>(
        digestQuery(
          names,
          () => "count(*) || ' ' || coalesce(sum(hashtextextended(concat(t.tableoid, t.ctid, t.xmin), 0)), 0)"
        )
      )
      const written = writes.filter(({ digest, name }) => last.get(name)?.writes !== digest)
      const contents =
        written.length === 0
          ? []
          : yield* sql.unsafe<{ name: string; digest: string }>(
              digestQuery(
                written.map(({ name }) => name),
                (name) => `count(*) || ' ' || coalesce(sum(hashtextextended(
                  (to_jsonb(t) - ARRAY[${(passing[name] ?? ["-"]).map((column) => `'${column}'`).join()}])::text, 0)), 0)`
              )
            )
      const contentOf = new Map(contents.map(({ digest, name }) => [name, digest]))
      for (const { digest, name } of written) last.set(name, { writes: digest, content: contentOf.get(name) ?? "" })
      return Object.fromEntries(names.map((name) => [name, last.get(name)?.content ?? ""]))
    })
  )
