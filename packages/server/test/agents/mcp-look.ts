import * as Effect from "effect/Effect"
import { runSql, type TestPlane } from "../harness.ts"

export const reviewOf = "f".repeat(64)
/** Inserts a fresh listing with an unaccepted tool, so that no request to the server is needed. */
export const putLook = (plane: TestPlane, organizationId: string, id: string) =>
  runSql(plane, (sql) =>
    Effect.gen(function* () {
      const tool = {
        name: "a",
        title: null,
        description: null,
        inputSchema: {},
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false
      }
      yield* sql`INSERT INTO mcp_tools (organization_id, connection_id, name, digest, tool_json, is_accepted, is_observed,
          seen_by, seen_at)
        VALUES (${organizationId}, ${id}, 'a', 'x', ${sql.json(tool)}, FALSE, TRUE, '', now())`
      yield* sql`INSERT INTO mcp_tool_looks (organization_id, connection_id, membership_id, digests_json, checked_at)
        VALUES (${organizationId}, ${id}, '', ${sql.json({ a: "x" })}, now())`
      yield* sql`UPDATE mcp_connections SET fingerprint = ${"0".repeat(64)}, observed_fingerprint = ${reviewOf},
          drift_detected_at = now(), tools_checked_at = now()
        WHERE organization_id = ${organizationId} AND id = ${id}`
    })
  )

/** Keeps all listings fresh for as long as a suite runs on a busy machine. */
export const keepLooks = (plane: TestPlane) =>
  runSql(plane, (sql) => sql`UPDATE mcp_tool_looks SET checked_at = now() + interval '1 day'`)
