import type { Id } from "@orgplane/schema/shared/ids"

/** What the token of a runtime is sealed for. */
export const sealedFor = (organizationId: Id<"org">, instanceId: Id<"wki">) =>
  `worker-runtime/${organizationId}/${instanceId}`
