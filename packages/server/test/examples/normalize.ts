/** Makes a recorded exchange the same in every run: ids, times, secrets, addresses and digests. */

const baseMillis = Date.parse("2026-01-15T09:30:00.000Z")
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

/** Replaces each different match by a text for its number, from 1. */
const numbered = (replacement: (match: string, index: number) => string, keyOf: (match: string) => string) => {
  const seen = new Map<string, Map<string, string>>()
  return (match: string): string => {
    const key = keyOf(match)
    const ofKey = seen.get(key) ?? new Map<string, string>()
    seen.set(key, ofKey)
    const existing = ofKey.get(match)
    if (existing !== undefined) return existing
    const text = replacement(match, ofKey.size + 1)
    ofKey.set(match, text)
    return text
  }
}

/** An id that satisfies its schema. The first of a kind is the same in every example. */
const exampleId = (id: string, index: number): string => {
  const [prefix = ""] = id.split("_")
  return `${prefix}_01kf0x5me8e6razepq180mhf${alphabet[Math.floor(index / 32)] ?? "z"}${alphabet[index % 32] ?? "z"}`
}

const exampleSecret = (secret: string, index: number): string => {
  const [prefix = ""] = secret.split("_")
  const text = `ExampleOnly${index === 1 ? "" : String(index)}`
  return `${prefix}_${text}${"0".repeat(Math.max(0, secret.length - prefix.length - 1 - text.length))}`
}

const exampleHex = (hex: string, index: number): string => "5f2c9a70d1b84e63".repeat(8).slice(index, index + hex.length)

/** Members whose texts are random. */
const fixed: Readonly<Record<string, string>> = {
  acceptedFrom: "2024-12-11T09:30:00.000Z",
  expires: "1768473000",
  SAMLResponse: "PHNhbWxwOlJlc3BvbnNlPg==",
  challengeId: "ExampleChallenge00000000",
  code: "ABCD2345",
  hint: "opk_Exampl",
  nextCursor: "ExampleCursor",
  "webhook-timestamp": "1768469400",
  "webhook-signature": "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="
}

/** Fields whose days are part of the source, and not of the run. */
const literal = new Set(["checkedOn", "releaseDate"])

/** Members whose numbers differ from run to run. */
const measured = /(?:Millis|Ms|Bytes|uptime\w*|Seconds|^pid)$/u
const kept = new Set([
  "expiresInSeconds",
  "graceSeconds",
  "overlapSeconds",
  "retryAfterSeconds",
  "workerHeartbeatSeconds",
  "heartbeatSeconds"
])

/** The period of a desired state depends on the member. */
const period = { generatedAt: "2026-01-15T06:00:00.000Z", validUntil: "2026-01-15T18:00:00.000Z" }

export const makeNormalizer = (plane: { readonly repositories: string }, now: number) => {
  const id = numbered(exampleId, (match) => match.split("_")[0] ?? "")
  const secret = numbered(exampleSecret, (match) => match.split("_")[0] ?? "")
  const hex = numbered(exampleHex, (match) => String(match.length))
  const opaque = numbered(
    (match, index) => `Example${index}`.padEnd(match.length, "-"),
    (match) => String(match.length)
  )

  /** Times of the run are one time, also those that are accurate to the hour. Others keep their distance. */
  const time = (text: string): string => {
    const distance = Date.parse(text) - now
    // A time that the request states, and not one of the run.
    if (Math.abs(distance) > 400 * 86_400_000 || (distance < -86_400_000 && distance > -399 * 86_400_000)) return text
    // Most objects were created up to 50 s before the request, on a busy machine.
    const minutes = Math.round((distance + 20_000) / 60_000)
    const result = new Date(minutes > -62 && minutes < 5 ? baseMillis : baseMillis + minutes * 60_000).toISOString()
    return text.includes(".") ? result : result.replace(".000Z", "Z")
  }

  /** A day keeps its distance from today. */
  const day = (text: string): string => {
    const days = Math.round((Date.parse(text) - Math.floor(now / 86_400_000) * 86_400_000) / 86_400_000)
    if (Math.abs(days) > 400) return text
    return new Date(baseMillis + days * 86_400_000).toISOString().slice(0, 10)
  }

  const text = (value: string): string =>
    value
      .replaceAll(/SAMLRequest=[^&"\s]+/gu, "SAMLRequest=fZJNT8MwDIb")
      .replaceAll(/\bexpires=\d{10}\b/gu, "expires=1768473000")
      .replaceAll(plane.repositories, "https://git.example/acme")
      .replaceAll(/\bop[a-z]_[0-9A-Za-z]{20,}/gu, secret)
      .replaceAll(/\b[a-z]{2,4}_[0-9a-hjkmnp-tv-z]{26}\b/gu, id)
      .replaceAll(/\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z/gu, time)
      .replaceAll(/\bwhsec_[\w+/]{43}=/gu, `whsec_${"ExampleOnly".padEnd(43, "0")}=`)
      .replaceAll(/http:\/\/127\.0\.0\.1:\d+\/hook\b/gu, "https://hooks.example/events")
      .replaceAll(/https?:\/\/(?:localhost|127\.0\.0\.1)(?::\d+)?/gu, "https://orgplane.example")
      .replaceAll(/\b[0-9a-f]{64}\b|\b[0-9a-f]{40}\b|\b[0-9a-f]{32}\b/gu, hex)
      .replaceAll(/(?<![\w-])(?:[\w-]{43}|[\w-]{86})(?![\w-])/gu, opaque)
      .replaceAll(/\b20\d\d-\d\d-\d\d\b(?!T)/gu, day)
      .replaceAll(/https?%3A%2F%2F(?:localhost|127\.0\.0\.1)(?:%3A\d+)?/gu, "https%3A%2F%2Forgplane.example")
      .replaceAll(/\bin \d+ ms\b/gu, "in 12 ms")
      .replaceAll(/\ba-marketplace-[0-9a-z]{6}\b/gu, "a-marketplace-4sn02q")
      .replaceAll(/\+[0-9a-f]{12}$/gu, "+4f644febdfe8")
      .replaceAll(/\bAAMk[\w-]+=*/gu, "AAMkExample=")
      .replaceAll(/meet\.example\/[0-9a-f]{8}/gu, "meet.example/abc-defg")
      .replaceAll(/^"\d{4,}"$/gu, '"482910375"')
      .replaceAll(/\b\w{3}, \d\d \w{3} 20\d\d \d\d:\d\d:\d\d GMT\b/gu, "Thu, 15 Jan 2026 09:30:00 GMT")
      .replaceAll(/\b[0-9a-f]{16}\b/gu, hex)
      .replaceAll(/#challenge=[\w-]+/gu, "#challenge=example")
      .replaceAll(/person-\d+@example\.com/gu, "ada@acme.example")
      .replaceAll(/domain-\d+\.example/gu, "acme.example")

  const normalize = (value: unknown, name = ""): unknown => {
    // An error code is not random.
    if (typeof value === "string" && literal.has(name)) return value
    if (typeof value === "string")
      return (name === "code" && /^[a-z_]+$/u.test(value) ? undefined : fixed[name]) ?? text(value)
    if (typeof value === "number") return measured.test(name) && !kept.has(name) ? 12 : value
    if (Array.isArray(value)) return value.slice(0, 3).map((item) => normalize(item, name))
    if (typeof value === "object" && value !== null) {
      const fixedTimes = "formatVersion" in value ? { ...value, ...period } : value
      return Object.fromEntries(
        Object.entries(fixedTimes).map(([key, inner]) => [
          text(key),
          key in period && inner === Reflect.get(period, key) ? inner : normalize(inner, key)
        ])
      )
    }
    return value
  }
  return { text, normalize }
}
