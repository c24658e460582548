import type { Id } from "@orgplane/schema/shared/ids"

/** The context that a runtime token is sealed with. */
export const sealedFor = (organizationId: Id<"org">, instanceId: Id<"wki">) =>
  `worker-runtime/${organizationId}/${instanceId}`
