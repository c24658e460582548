import type * as Schema from "effect/Schema"
import { makeSecretForms, redacted } from "./secret-forms.ts"

export { redacted } from "./secret-forms.ts"

const harmless = /keyword|keyboard|keynote/gi
const sensitive = /key|token|secret|passw|passphrase|pwd|signature|credential|authorization|cookie|session[-_]?id/i

/** Whether the name indicates a secret value. */
export const isSensitive = (name: string): boolean => sensitive.test(name.replace(harmless, ""))

/** Patterns of well-known secrets. All repetitions are bounded, so that no text makes them slow. */
const shapes: ReadonlyArray<readonly [RegExp, string]> = [
  [/-----BEGIN [A-Z0-9 ]{1,60}-----[\s\S]*?(?:-----END [A-Z0-9 ]{1,60}-----|$)/g, redacted],
  [
    /\b(Bearer|Basic|DPoP|Digest|Token|ApiKey)(\s{1,4})(?=\S{0,200}[\d._~+/=-]|[A-Za-z]{20})[\w.~+/=-]{8,8000}/gi,
    `$1$2${redacted}`
  ],
  [/([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#@"'<>\\]{1,500}@/gi, `$1${redacted}@`],
  [/\bgh[pousr]_[A-Za-z0-9]{16,300}/g, redacted],
  [/\bgithub_pat_\w{20,300}/g, redacted],
  [/\bglpat-[\w-]{16,300}/g, redacted],
  [/\bxox[a-z]-[\w-]{8,400}/g, redacted],
  [/\bxapp-[\w-]{8,400}/g, redacted],
  [/\b(?:sk|rk|pk)[-_][\w-]{16,400}/g, redacted],
  [/\bwhsec_[\w+/=]{16,200}/g, redacted],
  [/\b(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{16}\b/g, redacted],
  [/\bAIza[\w-]{30,60}/g, redacted],
  [/\bya29\.[\w.-]{20,2000}/g, redacted],
  [/\bGOCSPX-[\w-]{20,80}/g, redacted],
  [/\b(?:npm|hf|dop_v1|doo_v1|shpat|shpss|shpca|lin_api|lin_oauth|ntn|figd|pat|pul|rnd|vcp)_[\w-]{20,300}/g, redacted],
  [/\bpypi-[\w-]{20,400}/g, redacted],
  [/\bSG\.[\w-]{16,100}\.[\w-]{16,100}/g, redacted],
  [/\bAC[0-9a-f]{32}\b/g, redacted],
  [/\b\d{8,10}:[\w-]{35}\b/g, redacted]
]

/** A JSON Web Token. Also matches incomplete prefixes, so that a sequence of them is scanned only once. */
const webToken = /\beyJ[\w-]{5,2000}(\.[\w-]{5,8000}(?:\.[\w-]{0,8000}){0,3})?/g

/** Matches only at the start of a name, so that a long run of word characters is scanned once. */
const pair = /(?<![\w.-])([\w.-]{1,200})(=|%3D)([^&\s"'<>;,\\]{1,8000})/gi
const quoted = /"([^"\\\n]{1,100})"(\s{0,20}:\s{0,20})"((?:[^"\\]|\\.)*)("|$)/gs

/** The maximum nesting of JSON in JSON strings. */
const depthMax = 5

/** The index after the string that starts at `start`; -1 if the line ends first. */
const endOfString = (text: string, start: number): number => {
  for (let i = start + 1; i < text.length; i++) {
    const char = text[i]
    // Escapes do not cross line ends.
    if (char === "\\" && text[i + 1] !== "\n") i++
    else if (char === '"') return i + 1
    else if (char === "\n") return -1
  }
  return text.length
}

const skipSpace = (text: string, start: number): number => {
  let i = start
  while (i < text.length && /\s/.test(text[i] ?? "")) i++
  return i
}

/** The index after the value that starts at `start`; the end of the text when it was truncated. */
const endOfValue = (text: string, start: number): number => {
  const first = text[start]
  if (first === '"') {
    const end = endOfString(text, start)
    return end === -1 ? text.indexOf("\n", start) : end
  }
  let depth = 0
  for (let i = start; i < text.length; i++) {
    const char = text[i]
    if (char === '"') {
      const end = endOfString(text, i)
      if (end === -1) return i
      i = end - 1
    } else if (char === "{" || char === "[") depth++
    else if (char === "}" || char === "]") {
      if (depth === 0) return i
      depth--
      if (depth === 0) return i + 1
    } else if (depth === 0 && (char === "," || char === "\n")) return i
  }
  return text.length
}

const decodeLiteral = (literal: string): string | undefined => {
  try {
    const value: unknown = JSON.parse(literal)
    return typeof value === "string" ? value : undefined
  } catch {
    return undefined
  }
}

const withoutLastWord = (text: string): string => {
  let from = text.length
  while (from > 0 && !/[\s"'<>,;{}[\]()]/.test(text[from - 1] ?? "")) from--
  return from === text.length ? text : text.slice(0, from) + redacted
}

export interface Redactor {
  readonly text: (text: string, isCut?: boolean) => string
  readonly header: (name: string, value: string) => string
  readonly url: (url: string) => string
  /** Removes only the configured secrets. */
  readonly exact: (text: string) => string
  /** The same for the strings of a value. */
  readonly json: (value: Schema.Json) => Schema.Json
}

/**
 * Removes these secrets in any encoding, members and parameters with sensitive names, and anything that looks like a
 * secret.
 */
export const makeRedactor = (secrets: ReadonlyArray<string>): Redactor => {
  const secretForms = makeSecretForms(secrets)

  const redactText = (text: string, depth: number, isCut = false): string => {
    let clean = secretForms
      .replaceIn(text, isCut)
      .replace(webToken, (all, valueEnd?: string) => (valueEnd === undefined ? all : redacted))
    for (const [shape, replacement] of shapes) clean = clean.replace(shape, replacement)
    clean = clean.replace(pair, (all, name: string, equals: string) =>
      isSensitive(name) ? `${name}${equals}${redacted}` : all
    )
    clean = clean.replace(quoted, (all, name: string, separator: string, value: string, end: string) =>
      isSensitive(name) && value !== redacted ? `"${name}"${separator}"${redacted}${end}` : all
    )
    return depth < depthMax && clean.includes('"') ? members(clean, depth) : clean
  }

  /** Redacts the content of a string literal. Without escapes it has already been scanned. */
  const literal = (raw: string, depth: number): string => {
    if (!raw.includes("\\")) return raw
    const value = decodeLiteral(raw)
    if (value === undefined) return raw
    const clean = redactText(value, depth + 1)
    return clean === value ? raw : JSON.stringify(clean)
  }

  /** Redacts JSON, complete or truncated, or text that contains JSON; everything else stays exactly as written. */
  const members = (text: string, depth: number): string => {
    const out: Array<string> = []
    let from = 0
    let i = 0
    while (i < text.length) {
      if (text[i] !== '"') {
        i++
        continue
      }
      const end = endOfString(text, i)
      if (end === -1) {
        // No other string starts before the end of the line: all quotes up to there are escaped.
        const line = text.indexOf("\n", i)
        i = line === -1 ? text.length : line
        continue
      }
      const raw = text.slice(i, end)
      out.push(text.slice(from, i), literal(raw, depth))
      from = i = end
      const colon = skipSpace(text, end)
      if (text[colon] !== ":" || !isSensitive(decodeLiteral(raw) ?? raw)) continue
      const start = skipSpace(text, colon + 1)
      const valueEnd = endOfValue(text, start)
      const value = text.slice(start, valueEnd).trimEnd()
      // These values contain no secrets.
      if (value === "" || value === "null" || value === "true" || value === "false") continue
      out.push(text.slice(from, start), JSON.stringify(redacted))
      from = i = Math.max(valueEnd, start)
    }
    out.push(text.slice(from))
    return out.join("")
  }

  const text = (body: string, isCut = false): string => {
    const clean = redactText(body, 0, isCut)
    // A truncated secret matches no known pattern.
    return isCut ? withoutLastWord(clean) : clean
  }

  const url = (address: string): string => {
    const parsed = URL.parse(address)
    if (parsed === null) return text(address)
    const path = parsed.pathname
      .split("/")
      .map((segment) => {
        const clean = redactText(segment, depthMax)
        return clean === segment ? segment : redacted
      })
      .join("/")
    const query = parsed.search
      .slice(1)
      .split("&")
      .filter((part) => part !== "")
      .map((part) => {
        const equals = part.indexOf("=")
        return equals === -1 ? redacted : `${secretForms.replaceIn(part.slice(0, equals))}=${redacted}`
      })
    return parsed.origin + path + (query.length === 0 ? "" : `?${query.join("&")}`)
  }

  const header = (name: string, value: string): string => {
    const lower = name.toLowerCase()
    if (lower === "authorization" || lower === "proxy-authorization") {
      const scheme = /^([A-Za-z][\w-]{0,31}) +\S/.exec(value)?.[1]
      return scheme === undefined ? redacted : `${scheme} ${redacted}`
    }
    if (isSensitive(lower) || /session/.test(lower)) return redacted
    return lower === "location" || lower === "content-location" || lower === "referer" ? url(value) : text(value)
  }

  const json = (value: Schema.Json): Schema.Json => {
    if (typeof value === "string") return secretForms.replaceIn(value)
    if (Array.isArray(value)) return (value as ReadonlyArray<Schema.Json>).map(json)
    return typeof value === "object" && value !== null
      ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [secretForms.replaceIn(name), json(inner)]))
      : value
  }

  return { text, header, url, exact: (body) => secretForms.replaceIn(body), json }
}
