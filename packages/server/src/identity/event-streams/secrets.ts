import type { Id } from "@orgplane/schema/shared/ids"

/** The context of an encrypted secret: it cannot be decrypted for another stream. */
export const streamSecretContext = (organizationId: Id<"org">, id: Id<"evs">) => `event-stream/${organizationId}/${id}`
