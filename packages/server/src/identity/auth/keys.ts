import { Forbidden } from "@orgplane/schema/shared/errors"
import { type Limit, limits } from "../../infra/limits/index.ts"
import type { EndpointMetadata } from "./endpoint-metadata.ts"

/**
 * Operations closed to API keys, regardless of their permissions: only users can create and rotate keys, and prove
 * what they administer.
 */
const closedToKeys: ReadonlySet<string> = new Set([
  "apiKeys.create",
  "apiKeys.rotate",
  "connectors.startInstall",
  "connectors.completeInstall",
  "mcpConnections.startConnect",
  "mcpConnections.completeConnect",
  "sso.test"
])

/** Kinds of access for operations that belong to a user. */
const userAccess: ReadonlySet<EndpointMetadata["access"]["kind"]> = new Set([
  "user",
  "session",
  "sessionOrWorker",
  "owner",
  "platform"
])

/** Why an API key may not call the operation at all; undefined when it may. Checked before the permissions. */
export const apiKeyRefusal = (metadata: EndpointMetadata): Forbidden | undefined =>
  userAccess.has(metadata.access.kind) || closedToKeys.has(metadata.operation)
    ? new Forbidden({ reason: "session_required", message: "API keys cannot do this. Sign in as a user." })
    : undefined

/**
 * Limits up to this many requests per minute are counted request by request. For higher limits, a process reserves a
 * twelfth of the limit at once.
 */
const exactMax = 60

const cachedLimits = new Map<number, Limit>()
const cachedLimitsMax = 1000

/** The rate limit of one key: the same object for the same number, so that its header is built once. */
export const keyLimit = (requestsPerMinute: number): Limit => {
  const cached = cachedLimits.get(requestsPerMinute)
  if (cached !== undefined) return cached
  if (cachedLimits.size >= cachedLimitsMax) cachedLimits.clear()
  const limit = {
    ...limits.key,
    perWindow: requestsPerMinute,
    slice: requestsPerMinute <= exactMax ? 1 : Math.floor(requestsPerMinute / 12)
  }
  cachedLimits.set(requestsPerMinute, limit)
  return limit
}
