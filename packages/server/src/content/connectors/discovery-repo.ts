import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { TreeEntry } from "../../infra/ports/code-host.ts"
import type { Sql } from "../../infra/sql/client.ts"
import { inTimeSlices, jsonSteps, type Steps } from "../../infra/time-slices.ts"
import type { Discovery } from "./discovery/candidate.ts"

export type FoundEntry = Pick<TreeEntry, "path" | "sha" | "size" | "isExecutable" | "linkTo">

/** The stored fields of a file of a tree. */
export const storedEntryOf = ({ isExecutable, linkTo, path, sha, size }: TreeEntry): FoundEntry => ({
  path,
  sha,
  size,
  ...(isExecutable === true ? { isExecutable } : {}),
  ...(linkTo === undefined ? {} : { linkTo })
})

export const chunkSize = 1000
const keptRevisions = 5
/** A few hundred kilobytes. */
const chunksAtOnce = 4

/**
 * A discovery in which a plugin from another source could not be read is valid for a limited time, or is not returned
 * (`isWhole`).
 */
export const find = (
  sql: Sql,
  organizationId: Id<"org">,
  targetId: Id<"ctg">,
  revision: string,
  version: string,
  isWhole: boolean
) =>
  sql<{ result_json: Discovery }>`SELECT result_json FROM discoveries
    WHERE organization_id = ${organizationId} AND connector_target_id = ${targetId} AND revision = ${revision}
      AND parser_version = ${version}
      AND (result_json->'unread' = '[]'::jsonb OR (NOT ${isWhole}::boolean AND created_at > now() - interval '5 minutes'))`.pipe(
    Effect.map((rows) => rows[0]?.result_json)
  )

export const isKept = (sql: Sql, organizationId: Id<"org">, targetId: Id<"ctg">, revision: string) =>
  sql<{ found: boolean }>`SELECT EXISTS (SELECT 1 FROM discoveries
    WHERE organization_id = ${organizationId} AND connector_target_id = ${targetId} AND revision = ${revision}) AS found`.pipe(
    Effect.map((rows) => rows[0]?.found === true)
  )

/** The smallest and largest path in the database's order, which is by bytes. */
const extremes = (entries: ReadonlyArray<FoundEntry>) => {
  let first = Buffer.from(entries[0]?.path ?? "")
  let last = first
  for (const { path } of entries) {
    const bytes = Buffer.from(path)
    if (bytes.compare(first) < 0) first = bytes
    if (bytes.compare(last) > 0) last = bytes
  }
  return { firstPath: first.toString(), lastPath: last.toString() }
}

/** A discovery and its tree as JSON, ready to insert. */
export interface SerializedDiscovery {
  readonly result: string
  readonly chunks: ReadonlyArray<string>
}

const serializeSteps = function* (
  discovery: Discovery,
  entries: ReadonlyArray<FoundEntry>
): Steps<SerializedDiscovery> {
  const { candidates, ...rest } = discovery
  const result = `{"candidates":${yield* jsonSteps(candidates)},${JSON.stringify(rest).slice(1)}`
  const chunks: Array<string> = []
  for (let ordinal = 0; ordinal * chunkSize < entries.length; ordinal += 1) {
    const chunk = entries.slice(ordinal * chunkSize, (ordinal + 1) * chunkSize)
    const chunkHeader = JSON.stringify({ ordinal, ...extremes(chunk) })
    chunks.push(`${chunkHeader.slice(0, -1)},"entries":${yield* jsonSteps(chunk)}}`)
    yield
  }
  return { result, chunks }
}

/** Serializes a discovery in time slices: it can have several megabytes. */
export const serialize = (discovery: Discovery, entries: ReadonlyArray<FoundEntry>) =>
  inTimeSlices(serializeSteps(discovery, entries))

/** Stores a discovery and its tree for an existing branch, in place of an earlier one of the same commit. */
export const put = (
  sql: Sql,
  organizationId: Id<"org">,
  targetId: Id<"ctg">,
  revision: string,
  version: string,
  { chunks, result }: SerializedDiscovery
) =>
  Effect.gen(function* () {
    const present = yield* sql`SELECT id FROM connector_targets
      WHERE organization_id = ${organizationId} AND id = ${targetId} AND removed_at IS NULL FOR SHARE`
    if (present.length === 0) return
    yield* sql`INSERT INTO discoveries (organization_id, connector_target_id, revision, parser_version, result_json, created_at)
      VALUES (${organizationId}, ${targetId}, ${revision}, ${version}, ${result}::text::jsonb, now())
      ON CONFLICT (organization_id, connector_target_id, revision, parser_version)
        DO UPDATE SET result_json = excluded.result_json, created_at = excluded.created_at`
    // A few hundred kilobytes at a time, regardless of the size of the repository.
    for (let at = 0; at < chunks.length; at += chunksAtOnce) {
      yield* sql`INSERT INTO discovery_tree_chunks (organization_id, connector_target_id, revision, ordinal, first_path,
          last_path, entries_json)
        SELECT ${organizationId}, ${targetId}, ${revision}, r.ordinal, r."firstPath", r."lastPath", r.entries
        FROM jsonb_to_recordset(${`[${chunks.slice(at, at + chunksAtOnce).join(",")}]`}::text::jsonb)
          AS r(ordinal int, "firstPath" text, "lastPath" text, entries jsonb)
        ON CONFLICT DO NOTHING`
    }
    const old = yield* sql<{ revision: string }>`SELECT revision FROM discoveries
      WHERE organization_id = ${organizationId} AND connector_target_id = ${targetId}
      GROUP BY revision ORDER BY max(created_at) DESC OFFSET ${keptRevisions}`
    const revisions = sql.json(old.map((row) => row.revision))
    yield* sql`DELETE FROM discoveries WHERE organization_id = ${organizationId} AND connector_target_id = ${targetId}
      AND revision IN (SELECT jsonb_array_elements_text(${revisions}))`
    yield* sql`DELETE FROM discovery_tree_chunks
      WHERE organization_id = ${organizationId} AND connector_target_id = ${targetId}
        AND revision IN (SELECT jsonb_array_elements_text(${revisions}))`
  })

/** The chunks from a position that can contain paths with the prefix. */
export const chunks = (
  sql: Sql,
  organizationId: Id<"org">,
  targetId: Id<"ctg">,
  revision: string,
  fromOrdinal: number,
  prefix: string,
  limit: number
) =>
  sql<{ ordinal: number; entries_json: ReadonlyArray<FoundEntry> }>`SELECT ordinal, entries_json
    FROM discovery_tree_chunks
    WHERE organization_id = ${organizationId} AND connector_target_id = ${targetId} AND revision = ${revision}
      AND ordinal >= ${fromOrdinal} AND last_path >= ${prefix}
      AND (first_path <= ${prefix} OR starts_with(first_path, ${prefix}))
    ORDER BY ordinal LIMIT ${limit}`

/** All files of a stored revision, in order. */
export const entriesOf = Effect.fnUntraced(function* (
  sql: Sql,
  organizationId: Id<"org">,
  targetId: Id<"ctg">,
  revision: string
) {
  const entries: Array<TreeEntry> = []
  for (let from = 0; ; from += chunksAtOnce) {
    const rows = yield* sql<{ entries_json: ReadonlyArray<FoundEntry> }>`SELECT entries_json
      FROM discovery_tree_chunks
      WHERE organization_id = ${organizationId} AND connector_target_id = ${targetId} AND revision = ${revision}
        AND ordinal >= ${from} AND ordinal < ${from + chunksAtOnce}
      ORDER BY ordinal`
    for (const row of rows) for (const entry of row.entries_json) entries.push({ ...entry, kind: "file" })
    if (rows.length < chunksAtOnce) return entries
  }
})
