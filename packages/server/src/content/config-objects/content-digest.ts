import { sha256 } from "../../infra/crypto/digest.ts"

/** Two versions with the same digest have the same content. */
export const contentDigest = (payload: unknown, source: string | null): string =>
  sha256(JSON.stringify([payload ?? null, source]))
