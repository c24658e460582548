import { createHash } from "node:crypto"

/** Strongest first. SHA-1, which old lock files have, is not accepted because it is not collision resistant. */
const algorithms = ["sha512", "sha384", "sha256"] as const
type Algorithm = (typeof algorithms)[number]

const bytesOf: Record<Algorithm, number> = { sha512: 64, sha384: 48, sha256: 32 }

/** The expected digests of a file. The file must match one of them. */
export interface ExpectedDigest {
  readonly algorithm: Algorithm
  readonly digests: ReadonlyArray<string>
}

/**
 * Parses subresource integrity metadata. If it lists several algorithms, the strongest is used, as the standard
 * requires. Undefined if no algorithm is strong enough or a digest is invalid.
 */
export const readIntegrity = (text: string): ExpectedDigest | undefined => {
  const tokens = text
    .trim()
    .split(/\s+/)
    .slice(0, 16)
    .map((token) => /^(sha512|sha384|sha256)-([A-Za-z0-9+/]+={0,2})(?:\?.*)?$/.exec(token))
  for (const algorithm of algorithms) {
    const digests = tokens
      .filter((match) => match?.[1] === algorithm)
      .map((match) => Buffer.from(match?.[2] ?? "", "base64"))
    if (digests.length === 0) continue
    if (digests.some((digest) => digest.length !== bytesOf[algorithm])) return undefined
    return { algorithm, digests: digests.map((digest) => digest.toString("hex")) }
  }
  return undefined
}

export const expectedSha256 = (hex: string): ExpectedDigest => ({ algorithm: "sha256", digests: [hex] })
/** Verifies a file in pieces against its expected digest. */
export const makeVerifier = ({ algorithm, digests }: ExpectedDigest) => {
  const hash = createHash(algorithm)
  return {
    update: (piece: Uint8Array): void => {
      hash.update(piece)
    },
    isExpected: (): boolean => digests.includes(hash.digest("hex"))
  }
}

/** The SHA-1 that git uses for a file's content, whose size must be known first. */
export const blobHash = (size: number) => createHash("sha1").update(`blob ${size}\0`)
