import { sha256 } from "../../infra/crypto/digest.ts"

/** What makes two versions the same content. */
export const contentDigest = (payload: unknown, source: string | null): string =>
  sha256(JSON.stringify([payload ?? null, source]))
