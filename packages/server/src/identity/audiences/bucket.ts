import { sha256Bytes } from "../../infra/crypto/digest.ts"

/**
 * The bucket of a member, 0 to 99. A ring with a percentage contains the members in the buckets below it, so the
 * result for a membership must never change.
 */
export const bucketOf = (membershipId: string): number => sha256Bytes(membershipId).readUInt32BE(0) % 100
