import type { CredentialMode } from "@orgplane/schema/mcp-connections"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { McpServerTool } from "../../infra/ports/mcp-servers.ts"
import type { Sql } from "../../infra/sql/client.ts"
import type { ObservedTool } from "./fingerprint.ts"

/**
 * Storage of a connection's tools. Each description of a tool is a row: accepted, observed, or both. Drift is the
 * difference between the two, so a tool that changes back is no longer drift.
 *
 * With a shared credential, the last listing is the observed state. With personal credentials, a server may show each
 * member different tools, and a missing tool may still exist. So with personal credentials no tool counts as removed,
 * every accepted description counts as observed, and only a description that was never accepted is drift. Each
 * credential has its own last listing, which determines the tools that may be called with it.
 */

/** A newer listing is reused unless a refresh is requested. */
export const listingMinutes = 5
/** The maximum unaccepted and accepted descriptions of a connection with personal credentials. */
const unacceptedMax = 2000
const acceptedMax = 4000
/** The maximum descriptions of one tool, in case a server describes it differently to each member. */
const descriptionsMax = 8

export interface ToolListing {
  /** The digest of each tool, by name. */
  readonly digests_json: Readonly<Record<string, string>>
  readonly checked_at: Date
  readonly is_fresh: boolean
}

export const findListing = (sql: Sql, organizationId: Id<"org">, id: Id<"emc">, holder: string) =>
  sql<ToolListing>`SELECT digests_json, checked_at,
      checked_at > now() - make_interval(mins => ${listingMinutes}) AS is_fresh
    FROM mcp_tool_looks
    WHERE organization_id = ${organizationId} AND connection_id = ${id} AND membership_id = ${holder}`.pipe(
    Effect.map((rows) => rows[0])
  )

export interface ToolRow {
  readonly name: string
  readonly is_accepted: boolean
  readonly tool_json: McpServerTool
}

/** These descriptions, if they are stored. */
export const listTools = (
  sql: Sql,
  organizationId: Id<"org">,
  id: Id<"emc">,
  selected: ReadonlyArray<Pick<ObservedTool, "name" | "digest">>
) =>
  sql<ToolRow>`SELECT t.name, t.is_accepted, t.tool_json
    FROM jsonb_to_recordset(${sql.json(selected.map(({ digest, name }) => ({ name, digest })))}) AS w(name text, digest text)
    JOIN mcp_tools t ON t.organization_id = ${organizationId} AND t.connection_id = ${id} AND t.name = w.name
      AND t.digest = w.digest`

/** Stores the listing of a credential; `isFirst` accepts it. The caller holds the lock of the connection's row. */
export const storeListing = (
  sql: Sql,
  organizationId: Id<"org">,
  id: Id<"emc">,
  observation: {
    readonly tools: ReadonlyArray<ObservedTool>
    readonly holder: string
    readonly mode: CredentialMode
    readonly isFirst: boolean
  }
) =>
  Effect.gen(function* () {
    const { holder, isFirst, mode, tools } = observation
    const digests = sql.json(Object.fromEntries(tools.map(({ digest, name }) => [name, digest])))
    yield* sql`INSERT INTO mcp_tools AS t (organization_id, connection_id, name, digest, tool_json, is_accepted,
        is_observed, seen_by, seen_at)
      SELECT ${organizationId}, ${id}, r.name, r.digest, r.tool, ${isFirst}, TRUE, ${holder}, clock_timestamp()
      FROM jsonb_to_recordset(${sql.json(tools)}) AS r(name text, digest text, tool jsonb)
      ON CONFLICT (organization_id, connection_id, name, digest) DO UPDATE SET is_observed = TRUE,
        is_accepted = t.is_accepted OR excluded.is_accepted, seen_by = excluded.seen_by, seen_at = excluded.seen_at`
    if (mode === "shared") {
      yield* sql`UPDATE mcp_tools SET is_observed = FALSE
        WHERE organization_id = ${organizationId} AND connection_id = ${id} AND is_observed
          AND (${digests}::jsonb ->> name) IS DISTINCT FROM digest`
    }
    // An unaccepted description is deleted when the last credential that listed it no longer lists it.
    yield* sql`DELETE FROM mcp_tools
      WHERE organization_id = ${organizationId} AND connection_id = ${id} AND NOT is_accepted
        AND seen_by = ${holder} AND (${digests}::jsonb ->> name) IS DISTINCT FROM digest`
    yield* sql`INSERT INTO mcp_tool_looks (organization_id, connection_id, membership_id, digests_json, checked_at)
      VALUES (${organizationId}, ${id}, ${holder}, ${digests}, now())
      ON CONFLICT (organization_id, connection_id, membership_id)
      DO UPDATE SET digests_json = excluded.digests_json, checked_at = excluded.checked_at`
    if (mode === "per_member") yield* trimDescriptions(sql, organizationId, id)
  })

/**
 * Keeps only the newest descriptions, so that a server with different ones for each member cannot fill the database.
 */
const trimDescriptions = (sql: Sql, organizationId: Id<"org">, id: Id<"emc">) =>
  sql`DELETE FROM mcp_tools WHERE organization_id = ${organizationId} AND connection_id = ${id}
      AND (name, digest) IN (
        SELECT k.name, k.digest FROM (
          SELECT t.name, t.digest, t.is_accepted,
            row_number() OVER (PARTITION BY t.is_accepted ORDER BY t.seen_at DESC, t.name, t.digest) AS place,
            row_number() OVER (PARTITION BY t.is_accepted, t.name ORDER BY t.seen_at DESC, t.digest) AS of_name
          FROM mcp_tools t WHERE t.organization_id = ${organizationId} AND t.connection_id = ${id}) k
        WHERE k.of_name > ${descriptionsMax}
          OR k.place > CASE WHEN k.is_accepted THEN ${acceptedMax}::int ELSE ${unacceptedMax}::int END)`

export interface ToolVersion {
  readonly name: string
  readonly digest: string
  readonly is_accepted: boolean
  readonly is_observed: boolean
}

/** All accepted or observed descriptions, without their contents. */
export const listVersions = (sql: Sql, organizationId: Id<"org">, id: Id<"emc">) =>
  sql<ToolVersion>`SELECT name, digest, is_accepted, is_observed FROM mcp_tools
    WHERE organization_id = ${organizationId} AND connection_id = ${id}`

/** Accepts the observed descriptions and deletes the others. */
export const accept = (sql: Sql, organizationId: Id<"org">, id: Id<"emc">) =>
  Effect.gen(function* () {
    yield* sql`DELETE FROM mcp_tools
      WHERE organization_id = ${organizationId} AND connection_id = ${id} AND NOT is_observed`
    yield* sql`UPDATE mcp_tools SET is_accepted = TRUE
      WHERE organization_id = ${organizationId} AND connection_id = ${id} AND NOT is_accepted`
    yield* trimDescriptions(sql, organizationId, id)
  })

export interface DriftRow {
  readonly name: string
  readonly accepted: McpServerTool | null
  readonly observed: McpServerTool | null
}

/** The drifted tools by name: the accepted description and the observed one that is not accepted. */
export const drift = (sql: Sql, organizationId: Id<"org">, id: Id<"emc">, limit: number) =>
  sql<DriftRow>`SELECT d.name, d.accepted, d.observed FROM (
      SELECT t.name,
        (array_agg(t.tool_json ORDER BY t.seen_at DESC, t.digest) FILTER (WHERE t.is_accepted))[1] AS accepted,
        (array_agg(t.tool_json ORDER BY t.seen_at DESC, t.digest)
          FILTER (WHERE t.is_observed AND NOT t.is_accepted))[1] AS observed,
        bool_or(t.is_accepted <> t.is_observed) AS differs
      FROM mcp_tools t
      WHERE t.organization_id = ${organizationId} AND t.connection_id = ${id}
      GROUP BY t.name) d
    WHERE d.differs ORDER BY d.name COLLATE "C" LIMIT ${limit}`
