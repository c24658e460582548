/** The authentication challenge of a 401 or 403. */
export interface Challenge {
  readonly resourceMetadata: string | null
  readonly scopes: ReadonlyArray<string>
  readonly error: string | null
  /** Whether the challenge asks for a bearer token. */
  readonly isBearer: boolean
}

const charactersMax = 8192
const scopesMax = 64

const name = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const piece = new RegExp(`[\\s,]*(${name})(?:\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|(${name})))?`, "y")
/** A scheme may be followed by one opaque value instead of parameters. */
const opaque = new RegExp(`[ \\t]+[0-9A-Za-z._~+/-]+=*(?=\\s*(?:,|$))`, "y")

const isScope = (text: string) => text.length <= 128 && /^[\x21\x23-\x5B\x5D-\x7E]+$/.test(text)

/** The scopes of a space-separated list; invalid ones are dropped. */
export const scopesOf = (text: string): ReadonlyArray<string> =>
  [...new Set(text.split(" "))].filter(isScope).slice(0, scopesMax)

/** The scopes of a JSON array; invalid ones are dropped. */
export const scopesIn = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value)
    ? [...new Set(value.filter((one): one is string => typeof one === "string"))].filter(isScope).slice(0, scopesMax)
    : []

/** All challenges of a header (RFC 9110). Parsing stops at the first part that is malformed. */
const challengesOf = (
  header: string
): ReadonlyArray<{ readonly scheme: string; readonly members: Map<string, string> }> => {
  const text = header.slice(0, charactersMax)
  const challenges: Array<{ readonly scheme: string; readonly members: Map<string, string> }> = []
  let at = 0
  for (;;) {
    piece.lastIndex = at
    const match = piece.exec(text)
    if (match === null) return challenges
    at = piece.lastIndex
    const [, word = "", quoted, plain] = match
    const value = quoted?.replace(/\\(.)/g, "$1") ?? plain
    if (value === undefined) {
      challenges.push({ scheme: word.toLowerCase(), members: new Map() })
      opaque.lastIndex = at
      if (opaque.test(text)) at = opaque.lastIndex
    } else {
      const members = challenges.at(-1)?.members
      if (members !== undefined && !members.has(word.toLowerCase())) members.set(word.toLowerCase(), value)
    }
  }
}

/** The Bearer challenge of a `WWW-Authenticate` header. If there are several, the one with `resource_metadata` wins. */
export const challengeOf = (header: string | undefined): Challenge => {
  const bearers = challengesOf(header ?? "").filter(({ scheme }) => scheme === "bearer")
  const members = (bearers.find(({ members }) => members.has("resource_metadata")) ?? bearers[0])?.members
  return {
    resourceMetadata: members?.get("resource_metadata") ?? null,
    scopes: scopesOf(members?.get("scope") ?? ""),
    error: members?.get("error") ?? null,
    isBearer: bearers.length > 0
  }
}
