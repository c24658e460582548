import type { Id } from "@orgplane/schema/shared/ids"

/** The context of an encrypted secret: it cannot be decrypted for another endpoint. */
export const secretContext = (organizationId: Id<"org">, endpointId: Id<"whe">, secretId: string) =>
  `webhook-endpoint/${organizationId}/${endpointId}/${secretId}`
