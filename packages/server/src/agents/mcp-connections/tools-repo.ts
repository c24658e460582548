import type { CredentialMode } from "@orgplane/schema/mcp-connections"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import type { McpServerTool } from "../../infra/ports/mcp-servers.ts"
import type { Sql } from "../../infra/sql/client.ts"
import type { SeenTool } from "./fingerprint.ts"

/**
 * How a connection's tools are kept. Each description of a tool is a row: accepted, there now, or both. What differs
 * between the two is the drift, so a tool that changes back is none by itself.
 *
 * With one shared credential what is there now is what its last look found. Where members have credentials of their own,
 * a server may show them different tools: what one is not shown says nothing, so there a tool is never missing, and
 * everything accepted counts as there; only a description that nobody has accepted differs. Each credential keeps what
 * itself was shown last, and that alone decides what may be called with it.
 */

/** A look younger than this is not repeated unless somebody asks for it. */
export const lookMinutes = 5
/** Descriptions nobody has accepted, and accepted ones, that a connection of members' own credentials keeps. */
const unacceptedMax = 2000
const acceptedMax = 4000
/** Of one tool, where a server describes it to each member in its own words. */
const descriptionsMax = 8

export interface Look {
  /** The digest of each tool by its name. */
  readonly digests_json: Readonly<Record<string, string>>
  readonly checked_at: Date
  readonly is_fresh: boolean
}

export const look = (sql: Sql, organizationId: Id<"org">, id: Id<"emc">, holder: string) =>
  sql<Look>`SELECT digests_json, checked_at, checked_at > now() - make_interval(mins => ${lookMinutes}) AS is_fresh
    FROM mcp_tool_looks
    WHERE organization_id = ${organizationId} AND connection_id = ${id} AND membership_id = ${holder}`.pipe(
    Effect.map((rows) => rows[0])
  )

export interface ToolRow {
  readonly name: string
  readonly is_accepted: boolean
  readonly tool_json: McpServerTool
}

/** These descriptions, as far as they are known. */
export const tools = (
  sql: Sql,
  organizationId: Id<"org">,
  id: Id<"emc">,
  wanted: ReadonlyArray<Pick<SeenTool, "name" | "digest">>
) =>
  sql<ToolRow>`SELECT t.name, t.is_accepted, t.tool_json
    FROM jsonb_to_recordset(${sql.json(wanted.map(({ digest, name }) => ({ name, digest })))}) AS w(name text, digest text)
    JOIN mcp_tools t ON t.organization_id = ${organizationId} AND t.connection_id = ${id} AND t.name = w.name
      AND t.digest = w.digest`

/** Keeps what a credential was shown: `isFirst` accepts it. The connection's row is locked by whoever calls. */
export const keepLook = (
  sql: Sql,
  organizationId: Id<"org">,
  id: Id<"emc">,
  found: {
    readonly seen: ReadonlyArray<SeenTool>
    readonly holder: string
    readonly mode: CredentialMode
    readonly isFirst: boolean
  }
) =>
  Effect.gen(function* () {
    const { holder, isFirst, mode, seen } = found
    const digests = sql.json(Object.fromEntries(seen.map(({ digest, name }) => [name, digest])))
    yield* sql`INSERT INTO mcp_tools AS t (organization_id, connection_id, name, digest, tool_json, is_accepted,
        is_observed, seen_by, seen_at)
      SELECT ${organizationId}, ${id}, r.name, r.digest, r.tool, ${isFirst}, TRUE, ${holder}, clock_timestamp()
      FROM jsonb_to_recordset(${sql.json(seen)}) AS r(name text, digest text, tool jsonb)
      ON CONFLICT (organization_id, connection_id, name, digest) DO UPDATE SET is_observed = TRUE,
        is_accepted = t.is_accepted OR excluded.is_accepted, seen_by = excluded.seen_by, seen_at = excluded.seen_at`
    if (mode === "shared") {
      yield* sql`UPDATE mcp_tools SET is_observed = FALSE
        WHERE organization_id = ${organizationId} AND connection_id = ${id} AND is_observed
          AND (${digests}::jsonb ->> name) IS DISTINCT FROM digest`
    }
    // What nobody has accepted is forgotten when whoever saw it last does not see it any more.
    yield* sql`DELETE FROM mcp_tools
      WHERE organization_id = ${organizationId} AND connection_id = ${id} AND NOT is_accepted
        AND seen_by = ${holder} AND (${digests}::jsonb ->> name) IS DISTINCT FROM digest`
    yield* sql`INSERT INTO mcp_tool_looks (organization_id, connection_id, membership_id, digests_json, checked_at)
      VALUES (${organizationId}, ${id}, ${holder}, ${digests}, now())
      ON CONFLICT (organization_id, connection_id, membership_id)
      DO UPDATE SET digests_json = excluded.digests_json, checked_at = excluded.checked_at`
    if (mode === "per_member") yield* trim(sql, organizationId, id)
  })

/** A server that tells everybody something else does not fill the database: the newest stay. */
const trim = (sql: Sql, organizationId: Id<"org">, id: Id<"emc">) =>
  sql`DELETE FROM mcp_tools WHERE organization_id = ${organizationId} AND connection_id = ${id}
      AND (name, digest) IN (
        SELECT k.name, k.digest FROM (
          SELECT t.name, t.digest, t.is_accepted,
            row_number() OVER (PARTITION BY t.is_accepted ORDER BY t.seen_at DESC, t.name, t.digest) AS place,
            row_number() OVER (PARTITION BY t.is_accepted, t.name ORDER BY t.seen_at DESC, t.digest) AS of_name
          FROM mcp_tools t WHERE t.organization_id = ${organizationId} AND t.connection_id = ${id}) k
        WHERE k.of_name > ${descriptionsMax}
          OR k.place > CASE WHEN k.is_accepted THEN ${acceptedMax}::int ELSE ${unacceptedMax}::int END)`

export interface Known {
  readonly name: string
  readonly digest: string
  readonly is_accepted: boolean
  readonly is_observed: boolean
}

/** Every description that is accepted or there, without what it says. */
export const known = (sql: Sql, organizationId: Id<"org">, id: Id<"emc">) =>
  sql<Known>`SELECT name, digest, is_accepted, is_observed FROM mcp_tools
    WHERE organization_id = ${organizationId} AND connection_id = ${id}`

/** Accepts what is there, and with one shared credential nothing else. */
export const accept = (sql: Sql, organizationId: Id<"org">, id: Id<"emc">) =>
  Effect.gen(function* () {
    yield* sql`DELETE FROM mcp_tools
      WHERE organization_id = ${organizationId} AND connection_id = ${id} AND NOT is_observed`
    yield* sql`UPDATE mcp_tools SET is_accepted = TRUE
      WHERE organization_id = ${organizationId} AND connection_id = ${id} AND NOT is_accepted`
    yield* trim(sql, organizationId, id)
  })

export interface DriftRow {
  readonly name: string
  readonly accepted: McpServerTool | null
  readonly fresh: McpServerTool | null
}

/** The tools that are not what was accepted, by name: what was, and what is there that was not. */
export const drift = (sql: Sql, organizationId: Id<"org">, id: Id<"emc">, limit: number) =>
  sql<DriftRow>`SELECT d.name, d.accepted, d.fresh FROM (
      SELECT t.name,
        (array_agg(t.tool_json ORDER BY t.seen_at DESC, t.digest) FILTER (WHERE t.is_accepted))[1] AS accepted,
        (array_agg(t.tool_json ORDER BY t.seen_at DESC, t.digest)
          FILTER (WHERE t.is_observed AND NOT t.is_accepted))[1] AS fresh,
        bool_or(t.is_accepted <> t.is_observed) AS differs
      FROM mcp_tools t
      WHERE t.organization_id = ${organizationId} AND t.connection_id = ${id}
      GROUP BY t.name) d
    WHERE d.differs ORDER BY d.name COLLATE "C" LIMIT ${limit}`
