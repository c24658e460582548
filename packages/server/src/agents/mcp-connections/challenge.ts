import * as Effect from "effect/Effect"
import type { McpServers } from "../../infra/ports/mcp-servers.ts"
import { defaultServer } from "../oauth/index.ts"
import { leadsElsewhere } from "./fingerprint.ts"
import type { Row } from "./repo.ts"

const probeMillis = 5000

/** If metadata documents are temporarily unavailable, the accepted authorization server stays. */
const mayBeDefault = ({ accepted_identity_json: accepted, url }: Pick<Row, "url" | "accepted_identity_json">) =>
  accepted === null || !leadsElsewhere(accepted, { ...defaultServer(new URL(url).origin), scopes: [] })

/**
 * The server's challenge to a request without a credential; no challenge is not a failure. Sign-in and observation use
 * the same challenge.
 */
export const challengeOf = (
  servers: McpServers["Service"],
  row: Pick<Row, "url" | "organization_id" | "accepted_identity_json">
) =>
  servers.probe({ url: row.url, organizationId: row.organization_id, credential: null }, probeMillis).pipe(
    Effect.as({ challenge: undefined, mayAssumeEndpoints: false }),
    Effect.catchTag("McpFailed", (failure) =>
      failure.category === "network"
        ? Effect.fail(failure)
        : Effect.succeed({
            challenge: failure.challenge,
            mayAssumeEndpoints: failure.code === "unauthorized" && mayBeDefault(row)
          })
    )
  )
