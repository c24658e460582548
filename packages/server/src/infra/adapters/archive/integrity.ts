import { createHash } from "node:crypto"

/** Strongest first. SHA-1, which old lock files have, no longer says what a package holds. */
const algorithms = ["sha512", "sha384", "sha256"] as const
type Algorithm = (typeof algorithms)[number]

const bytesOf: Record<Algorithm, number> = { sha512: 64, sha384: 48, sha256: 32 }

/** What a file must be: its digest by one algorithm is one of these. */
export interface Expected {
  readonly algorithm: Algorithm
  readonly digests: ReadonlyArray<string>
}

/**
 * Reads subresource integrity metadata. Of several algorithms the strongest counts, as the standard says; undefined when
 * there is none that is strong enough or one that cannot be a digest.
 */
export const readIntegrity = (text: string): Expected | undefined => {
  const found = text
    .trim()
    .split(/\s+/)
    .slice(0, 16)
    .map((token) => /^(sha512|sha384|sha256)-([A-Za-z0-9+/]+={0,2})(?:\?.*)?$/.exec(token))
  for (const algorithm of algorithms) {
    const digests = found
      .filter((match) => match?.[1] === algorithm)
      .map((match) => Buffer.from(match?.[2] ?? "", "base64"))
    if (digests.length === 0) continue
    if (digests.some((digest) => digest.length !== bytesOf[algorithm])) return undefined
    return { algorithm, digests: digests.map((digest) => digest.toString("hex")) }
  }
  return undefined
}

export const expectedSha256 = (hex: string): Expected => ({ algorithm: "sha256", digests: [hex] })

/** Takes a file piece by piece and says at its end whether it is the one. */
export const makeJudge = ({ algorithm, digests }: Expected) => {
  const hash = createHash(algorithm)
  return {
    update: (piece: Uint8Array): void => {
      hash.update(piece)
    },
    isExpected: (): boolean => digests.includes(hash.digest("hex"))
  }
}

/** The name git gives a file's content; the size is known before the content. */
export const blobHash = (size: number) => createHash("sha1").update(`blob ${size}\0`)
