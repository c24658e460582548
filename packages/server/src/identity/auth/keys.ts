import { Forbidden } from "@orgplane/schema/shared/errors"
import { type Limit, limits } from "../../infra/limits/index.ts"
import type { EndpointMetadata } from "./endpoint-metadata.ts"

/** What no API key does, whatever it holds: keys are made and renewed by people, and people prove what they administer. */
const closedToKeys: ReadonlySet<string> = new Set([
  "apiKeys.create",
  "apiKeys.rotate",
  "connectors.startInstall",
  "connectors.completeInstall",
  "mcpConnections.startConnect",
  "mcpConnections.completeConnect",
  "sso.test"
])

/** Operations of a person: what they are about is nobody's but theirs. */
const inPerson: ReadonlySet<EndpointMetadata["access"]["kind"]> = new Set(["user", "session", "owner", "platform"])

/** Why an API key may not call the operation at all; undefined when it may. Judged before the permissions. */
export const refusedToKey = (metadata: EndpointMetadata): Forbidden | undefined =>
  inPerson.has(metadata.access.kind) || closedToKeys.has(metadata.operation)
    ? new Forbidden({ reason: "session_required", message: "An API key may not do this; sign in." })
    : undefined

/** Up to so many a minute are counted one by one; of more a process takes a twelfth at once. */
const exactMax = 60

/** A key's own limit. */
export const keyLimit = (requestsPerMinute: number): Limit => ({
  ...limits.key,
  perWindow: requestsPerMinute,
  slice: requestsPerMinute <= exactMax ? 1 : Math.floor(requestsPerMinute / 12)
})
