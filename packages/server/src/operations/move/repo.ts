/** Reads the relations of an installation, and copies their rows as text, which is exact for every type. */
import * as Effect from "effect/Effect"
import type { Sql } from "../../infra/sql/client.ts"
import { moveProgressTable } from "../../infra/sql/moved.ts"
import { rowSecurity } from "../../infra/sql/migrations/row-security.ts"
import { relationName, schemaOf } from "../../infra/sql/schema.ts"

/** A table, or a partition of one, with the columns whose values are copied. */
export interface Relation {
  readonly name: string
  /** The names and types of the columns, in order. Generated columns are computed again in the target. */
  readonly columns: ReadonlyArray<{ readonly name: string; readonly type: string }>
  /** The columns of the primary key, or of another unique index. None: rows are read in their physical order. */
  readonly key: ReadonlyArray<{ readonly name: string; readonly type: string }>
  /** For a partition: the statement that creates it, without its schema. */
  readonly partitionOf: string | null
  readonly bound: string | null
  /** Names of the tables to which its foreign keys refer. */
  readonly parents: ReadonlyArray<string>
  /** A trigger refuses audit events that are already sealed. */
  readonly hasTriggers: boolean
}

export interface Digest {
  readonly rows: number
  readonly digest: string
}

/** The progress of a relation, which is stored in the target. */
export interface Progress extends Digest {
  readonly name: string
  readonly copied: number
  readonly last: string | null
  readonly isCopied: boolean
  readonly isVerified: boolean
}

/** The size limit of a batch. A single larger row is a separate batch. */
const batchBytesMax = 8 * 1024 * 1024
/** Without a key, this many blocks are searched at once. */
const batchBlocks = 128

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
const literal = (text: string) => `'${text.replaceAll("'", "''")}'`
const tableOf = (sql: Sql, name: string) => {
  const schema = schemaOf(sql)
  return schema === undefined ? quoted(name) : `${quoted(schema)}.${quoted(name)}`
}

/** Equal values have equal text under these settings. Both sides use them in each transaction. */
export const exactText = (sql: Sql) => sql`SELECT set_config('TimeZone', 'UTC', true),
  set_config('DateStyle', 'ISO, YMD', true), set_config('IntervalStyle', 'postgres', true),
  set_config('extra_float_digits', '1', true), set_config('bytea_output', 'hex', true),
  set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true)`

/** Every permanent table and partition with rows of its own, except the list of migrations. */
export const relations = (sql: Sql) =>
  sql<Relation>`SELECT c.relname::text AS name,
      (SELECT json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod)) ORDER BY a.attnum)
        FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '')
        AS columns,
      coalesce((SELECT json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod))
          ORDER BY k.place)
        FROM (SELECT i.indrelid, i.indkey FROM pg_index i
          WHERE i.indrelid = c.oid AND i.indisunique AND i.indpred IS NULL AND i.indexprs IS NULL
            AND NOT EXISTS (SELECT 1 FROM pg_attribute n WHERE n.attrelid = c.oid AND n.attnum = ANY (i.indkey)
              AND NOT n.attnotnull)
          ORDER BY i.indisprimary DESC, i.indexrelid LIMIT 1) chosen,
        unnest(chosen.indkey) WITH ORDINALITY AS k (number, place)
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number), '[]') AS key,
      (SELECT p.relname::text FROM pg_inherits h JOIN pg_class p ON p.oid = h.inhparent
        WHERE h.inhrelid = c.oid AND c.relispartition) AS "partitionOf",
      pg_get_expr(c.relpartbound, c.oid) AS bound,
      coalesce((SELECT json_agg(DISTINCT f.relname) FROM pg_constraint k JOIN pg_class f ON f.oid = k.confrelid
        WHERE k.conrelid = c.oid AND k.contype = 'f'), '[]') AS parents,
      EXISTS (SELECT 1 FROM pg_trigger g WHERE g.tgrelid = c.oid AND NOT g.tgisinternal) AS "hasTriggers"
    FROM pg_class c
    WHERE c.relkind = 'r' AND c.relpersistence = 'p'
      AND c.relname NOT IN ('orgplane_migrations', 'effect_queue_migrations', 'orgplane_move_progress', 'orgplane_moved_to')
      AND c.relnamespace = (SELECT relnamespace FROM pg_class
        WHERE oid = to_regclass(${relationName(sql, "orgplane_migrations")}))
    ORDER BY c.relname`

const row = ({ columns }: Relation) => `ROW(${columns.map(({ name }) => quoted(name)).join(", ")})`

/** The number of rows, and the sum of their SHA-256 digests, which does not depend on their order. */
export const digestOf = (sql: Sql, relation: Relation) =>
  Effect.map(
    sql.unsafe<{ rows: string; digest: string }>(
      `SELECT count(*)::text AS rows, concat_ws(':', ${[1, 16, 31, 46]
        .map((start) => `coalesce(sum(('x' || substr(hash, ${start}, 15))::bit(60)::bigint::numeric), 0)`)
        .join(", ")}) AS digest
      FROM (SELECT encode(sha256(convert_to(${row(relation)}::text, 'UTF8')), 'hex') AS hash
        FROM ${tableOf(sql, relation.name)}) hashed`
    ),
    ([result]): Digest => ({ rows: Number(result?.rows ?? 0), digest: result?.digest ?? "" })
  )

export interface Batch {
  /** For each column, an array of texts in the notation of SQL; none without rows. */
  readonly values: ReadonlyArray<string>
  readonly count: number
  /** Where the next batch begins, as JSON or as a tuple identifier. */
  readonly last: string | null
}

/** Arrays of texts, because PostgreSQL reads them faster than JSON, and this process only passes them on. */
const batchOf = (
  sql: Sql,
  { columns }: Relation,
  statement: Readonly<{ table: string; order: string; last: string; condition: string; limit: number }>,
  parameters: ReadonlyArray<string>
) => {
  const { condition, last, limit, order, table } = statement
  const values = columns.map(({ name }, index) => `${quoted(name)}::text AS v${index}`).join(", ")
  const bytes = columns.map((_, index) => `coalesce(octet_length(v${index}), 0)`).join(" + ")
  const arrays = columns.map((_, index) => `array_agg(v${index})::text AS a${index}`).join(", ")
  const text = `WITH page AS MATERIALIZED (
      SELECT ${values}, ${last} AS last, row_number() OVER (ORDER BY ${order}) AS place
      FROM (SELECT *, ctid FROM ${table} WHERE ${condition} ORDER BY ${order} LIMIT ${limit}) rows),
    measured AS (SELECT *, sum(${bytes}) OVER (ORDER BY place ROWS UNBOUNDED PRECEDING) - (${bytes}) AS before FROM page),
    chosen AS (SELECT * FROM measured WHERE before < ${batchBytesMax} ORDER BY place)
    SELECT ${arrays}, count(*)::int AS count, (array_agg(last))[count(*)::int]::text AS last FROM chosen`
  return Effect.map(
    sql.unsafe<Pick<Batch, "count" | "last"> & Readonly<Record<`a${number}`, string>>>(text, parameters),
    ([row]): Batch => ({
      values: columns.map((_, index) => row?.[`a${index}`] ?? "{}"),
      count: row?.count ?? 0,
      last: row?.last ?? null
    })
  )
}

/** The next rows of a relation after a position. */
export const batchAfter = (sql: Sql, relation: Relation, after: string | null, limit: number) => {
  const table = tableOf(sql, relation.name)
  if (relation.key.length > 0) {
    const names = relation.key.map(({ name }) => quoted(name)).join(", ")
    const position = relation.key.map(({ type }, index) => `($1::text::json ->> ${index})::${type}`)
    const last = `json_build_array(${relation.key.map(({ name }) => `${quoted(name)}::text`).join(", ")})::text`
    const condition = after === null ? "true" : `(${names}) > (${position.join(", ")})`
    return batchOf(sql, relation, { table, order: names, last, condition, limit }, after === null ? [] : [after])
  }
  // A window of blocks, because PostgreSQL sorts everything after a position. An empty window is followed by the next.
  return Effect.gen(function* () {
    let position = after ?? "(0,0)"
    for (;;) {
      const block = Number(/^\((\d+),/.exec(position)?.[1] ?? 0)
      const end = block + batchBlocks
      const condition = "ctid > $1::text::tid AND ctid < $2::text::tid"
      const statement = { table, order: "ctid", last: "ctid::text", condition, limit }
      const batch = yield* batchOf(sql, relation, statement, [position, `(${end},0)`])
      if (batch.count > 0) return batch
      const [size] = yield* sql.unsafe<{ blocks: string }>(
        `SELECT (pg_relation_size(${literal(table)}::regclass) / current_setting('block_size')::bigint)::text AS blocks`
      )
      if (end >= Number(size?.blocks ?? 0)) return batch
      position = `(${end},0)`
    }
  })
}

/** Inserts a batch into the target. */
export const insert = (sql: Sql, relation: Relation, values: ReadonlyArray<string>) => {
  const names = relation.columns.map(({ name }) => quoted(name)).join(", ")
  const casts = relation.columns.map(({ type }, index) => `v${index}::${type}`).join(", ")
  const aliases = values.map((_, index) => `v${index}`).join(", ")
  const arrays = values.map((_, index) => `$${index + 1}::text[]`).join(", ")
  const table = tableOf(sql, relation.name)
  const inserted = sql.unsafe(
    `INSERT INTO ${table} (${names}) OVERRIDING SYSTEM VALUE SELECT ${casts} FROM unnest(${arrays}) AS lines (${aliases})`,
    values
  )
  if (!relation.hasTriggers) return inserted
  const switched = (state: string) => sql.unsafe(`ALTER TABLE ${table} ${state} TRIGGER USER`)
  return switched("DISABLE").pipe(Effect.andThen(inserted), Effect.andThen(switched("ENABLE")))
}

/** Creates a partition of the source in the target, with the policy that the telemetry store gives it. */
export const createPartition = Effect.fnUntraced(function* (sql: Sql, { bound, name, partitionOf }: Relation) {
  if (partitionOf === null) return
  const [row] = yield* sql<{ exists: boolean }>`SELECT to_regclass(${relationName(sql, name)}) IS NOT NULL AS exists`
  if (row?.exists === true) return
  yield* sql.unsafe(`CREATE TABLE ${tableOf(sql, name)} PARTITION OF ${tableOf(sql, partitionOf)} ${bound ?? ""}`)
  for (const text of rowSecurity([name])) yield* sql.unsafe(text)
})

/**
 * Deletes what the migrations inserted, because the source has rows of its own, and what an earlier run copied. Triggers
 * refuse to delete audit events.
 */
export const empty = Effect.fnUntraced(function* (sql: Sql, all: ReadonlyArray<Relation>) {
  const triggered = all.filter(({ hasTriggers }) => hasTriggers)
  const switchTriggers = (state: string) =>
    Effect.forEach(triggered, ({ name }) => sql.unsafe(`ALTER TABLE ${tableOf(sql, name)} ${state} TRIGGER USER`))
  yield* switchTriggers("DISABLE")
  yield* sql.unsafe(`TRUNCATE ${all.map(({ name }) => tableOf(sql, name)).join(", ")} CASCADE`)
  yield* switchTriggers("ENABLE")
})

/** Blocks changes by other sessions until the transaction ends. */
export const lockTables = (sql: Sql, all: ReadonlyArray<Relation>) =>
  sql.unsafe(`LOCK TABLE ${all.map(({ name }) => tableOf(sql, name)).join(", ")} IN SHARE MODE`)

interface Sequence {
  readonly name: string
  readonly value: string
  readonly called: boolean
}

const sequenceNames = (sql: Sql) => sql<{ name: string }>`SELECT c.relname::text AS name FROM pg_class c
  WHERE c.relkind = 'S' AND c.relnamespace = (SELECT relnamespace FROM pg_class
    WHERE oid = to_regclass(${relationName(sql, "orgplane_migrations")})) ORDER BY c.relname`

export const sequences = Effect.fnUntraced(function* (sql: Sql) {
  const names = yield* sequenceNames(sql)
  const all: Array<Sequence> = []
  for (const { name } of names) {
    const [value] = yield* sql.unsafe<Omit<Sequence, "name">>(
      `SELECT last_value::text AS value, is_called AS called FROM ${tableOf(sql, name)}`
    )
    if (value !== undefined) all.push({ name, ...value })
  }
  return all
})

export const setSequence = (sql: Sql, { called, name, value }: Sequence) =>
  sql.unsafe(`SELECT setval(${literal(tableOf(sql, name))}::regclass, $1::text::bigint, $2::boolean)::text`, [
    value,
    called
  ])

export const createProgress = (sql: Sql) =>
  sql.unsafe(`CREATE TABLE ${tableOf(sql, moveProgressTable)} (name text PRIMARY KEY, rows bigint NOT NULL,
    digest text NOT NULL, copied bigint NOT NULL DEFAULT 0, last text, is_copied boolean NOT NULL DEFAULT false,
    is_verified boolean NOT NULL DEFAULT false)`)

export const clearProgress = (sql: Sql) => sql.unsafe(`DELETE FROM ${tableOf(sql, moveProgressTable)}`)

export const fillProgress = (sql: Sql, digests: ReadonlyArray<Digest & { readonly name: string }>) =>
  sql.unsafe(
    `INSERT INTO ${tableOf(sql, moveProgressTable)} (name, rows, digest)
      SELECT line ->> 'name', (line ->> 'rows')::bigint, line ->> 'digest'
      FROM json_array_elements($1::text::json) AS lines (line)`,
    [JSON.stringify(digests)]
  )

export const readProgress = (sql: Sql) =>
  Effect.map(
    sql.unsafe<{
      name: string
      rows: string
      digest: string
      copied: string
      last: string | null
      done: boolean
      verified: boolean
    }>(
      `SELECT name, rows::text AS rows, digest, copied::text AS copied, last, is_copied AS done, is_verified AS verified
        FROM ${tableOf(sql, moveProgressTable)} ORDER BY name`
    ),
    (rows) =>
      rows.map(({ copied, done, rows: count, verified, ...rest }): Progress => ({
        ...rest,
        rows: Number(count),
        copied: Number(copied),
        isCopied: done,
        isVerified: verified
      }))
  )

export const saveProgress = (sql: Sql, name: string, copied: number, last: string | null, isCopied: boolean) =>
  sql.unsafe(
    `UPDATE ${tableOf(sql, moveProgressTable)} SET copied = $2::text::bigint, last = $3, is_copied = $4 WHERE name = $1`,
    [name, String(copied), last, isCopied]
  )

/** From now on the target may differ: the verification of the audit log seals pending events. */
export const saveVerified = (sql: Sql) => sql.unsafe(`UPDATE ${tableOf(sql, moveProgressTable)} SET is_verified = true`)

export const dropProgress = (sql: Sql) => sql.unsafe(`DROP TABLE ${tableOf(sql, moveProgressTable)}`)

/** Whether the installation that the migrations created has no users, organizations, audit events or secrets. */
export const isUntouched = (sql: Sql) =>
  Effect.map(
    sql<{ used: boolean }>`SELECT EXISTS (SELECT 1 FROM organizations) OR EXISTS (SELECT 1 FROM users)
      OR EXISTS (SELECT 1 FROM audit_events) OR EXISTS (SELECT 1 FROM sealed_values) AS used`,
    ([row]) => row?.used === false
  )
