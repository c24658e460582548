import * as Effect from "effect/Effect"
import type { McpServers } from "../ports/mcp-servers.ts"
import type { Row } from "./repo.ts"

const probeMillis = 5000

/**
 * What the server says to somebody without a credential; that it does not say so is no failure. Whoever signs in and
 * whoever looks whom it trusts start from the same words.
 */
export const challengeOf = (servers: McpServers["Service"], row: Pick<Row, "url" | "organization_id">) =>
  servers.probe({ url: row.url, organizationId: row.organization_id, credential: null }, probeMillis).pipe(
    Effect.as({ challenge: undefined, mayAssumeEndpoints: false }),
    Effect.catchTag("McpFailed", (failure) =>
      failure.category === "network"
        ? Effect.fail(failure)
        : Effect.succeed({ challenge: failure.challenge, mayAssumeEndpoints: failure.code === "unauthorized" })
    )
  )
