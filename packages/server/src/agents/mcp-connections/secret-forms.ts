/** The replacement for secrets. */
export const redacted = "[redacted]"

/** Shorter secrets would match ordinary text. */
const secretLengthMin = 4
const coreLengthMin = 8

/** The base64 characters that a secret produces inside longer base64 data, at each of the three offsets. */
const base64Cores = (secret: string): ReadonlyArray<string> =>
  [0, 1, 2].map((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret, "utf8")])
    const whole = Math.floor((bytes.length * 8) / 6)
    return bytes.toString("base64").slice(offset === 0 ? 0 : offset + 1, whole)
  })

const inUrlAlphabet = (base64: string): string => base64.replaceAll("+", "-").replaceAll("/", "_")
const inLowerHex = (percent: string): string => percent.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())

const percentOf = (secret: string): string => {
  try {
    return encodeURIComponent(secret)
  } catch {
    // A lone surrogate cannot be percent-encoded.
    return secret
  }
}

const formsOf = (secret: string): ReadonlyArray<string> => {
  const percent = percentOf(secret)
  const cores = base64Cores(secret).filter((core) => core.length >= coreLengthMin)
  const hex = Buffer.from(secret, "utf8").toString("hex")
  return [
    secret,
    percent,
    inLowerHex(percent),
    percentOf(percent),
    percent.replaceAll("%20", "+"),
    JSON.stringify(secret).slice(1, -1),
    JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1),
    secret.replaceAll("/", "\\/"),
    secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;"),
    ...cores,
    ...cores.map(inUrlAlphabet),
    hex,
    hex.toUpperCase()
  ]
}

/** The secret parts of an authentication header: the value after its scheme, and for Basic the password. */
export const secretsOfHeader = (value: string): ReadonlyArray<string> => {
  const [, scheme, rest] = /^([A-Za-z][\w-]*) +(\S.*)$/s.exec(value) ?? []
  if (scheme === undefined || rest === undefined) return [value]
  if (scheme.toLowerCase() !== "basic") return [value, rest]
  const pair = Buffer.from(rest, "base64").toString("utf8")
  const colon = pair.indexOf(":")
  const [user, password] = [pair.slice(0, Math.max(colon, 0)), pair.slice(colon + 1)]
  // Some APIs expect the only secret as the user name, without a password.
  return [value, rest, pair, password === "" ? user : password]
}

const codes = 65_536
const root = 0

/**
 * Finds many words in one pass (Aho-Corasick). The server controls the text and some of the words, so searching for
 * each word separately could make a single response take minutes.
 */
class Words {
  readonly #next = new Map<number, number>()
  readonly #fail: Array<number> = [root]
  /** The depth of each node: the number of characters matched. */
  readonly #depth: Array<number> = [0]
  /** The longest word that ends at a node. */
  readonly #ending: Array<number> = [0]

  constructor(words: ReadonlyArray<string>) {
    const nodes: Array<readonly [node: number, parent: number, code: number]> = []
    for (const word of words) {
      let node = root
      for (let i = 0; i < word.length; i++) {
        const key = node * codes + word.charCodeAt(i)
        let child = this.#next.get(key)
        if (child === undefined) {
          child = this.#depth.length
          this.#next.set(key, child)
          this.#depth.push(i + 1)
          this.#fail.push(root)
          this.#ending.push(0)
          nodes.push([child, node, word.charCodeAt(i)])
        }
        node = child
      }
      this.#ending[node] = word.length
    }
    // In order of depth, because each node's fallback is at a lower depth.
    nodes.sort(([left], [right]) => (this.#depth[left] ?? 0) - (this.#depth[right] ?? 0))
    for (const [node, parent, code] of nodes) {
      const fail = parent === root ? root : this.#step(this.#fail[parent] ?? root, code)
      this.#fail[node] = fail
      this.#ending[node] = Math.max(this.#ending[node] ?? 0, this.#ending[fail] ?? 0)
    }
  }

  #step(from: number, code: number): number {
    for (let node = from; ; node = this.#fail[node] ?? root) {
      const child = this.#next.get(node * codes + code)
      if (child !== undefined) return child
      if (node === root) return root
    }
  }

  /** The merged ranges of all matches; `partialLength` is the length of a partial match at the end of the text. */
  find(text: string): {
    readonly ranges: ReadonlyArray<readonly [start: number, end: number]>
    readonly partialLength: number
  } {
    const ranges: Array<[start: number, end: number]> = []
    let node = root
    for (let i = 0; i < text.length; i++) {
      node = this.#step(node, text.charCodeAt(i))
      const length = this.#ending[node] ?? 0
      if (length === 0) continue
      let range: [start: number, end: number] = [i + 1 - length, i + 1]
      for (let last = ranges.at(-1); last !== undefined && range[0] < last[1]; last = ranges.at(-1)) {
        range = [Math.min(range[0], last[0]), range[1]]
        ranges.pop()
      }
      ranges.push(range)
    }
    return { ranges, partialLength: this.#depth[node] ?? 0 }
  }
}

type SecretRanges = ReturnType<Words["find"]>

const replaceRanges = (text: string, { partialLength, ranges }: SecretRanges, isCut: boolean): string => {
  const out: Array<string> = []
  let from = 0
  const end = text.length - (isCut && partialLength >= secretLengthMin ? partialLength : 0)
  for (const [start, rangeEnd] of ranges) {
    if (start >= end) break
    out.push(text.slice(from, start), redacted)
    from = rangeEnd
  }
  if (end < text.length) out.push(text.slice(from, Math.max(from, end)), redacted)
  else out.push(text.slice(from))
  return out.join("")
}

const escape = /\\{1,8}u([0-9a-f]{4})/gi

/** Finds matches in the text with JSON escapes decoded, and returns their ranges in the original text. */
const findEscaped = (words: Words, text: string): SecretRanges => {
  const parts: Array<string> = []
  /** The start of each part in the decoded and in the original text. */
  const plainAt: Array<number> = []
  const originalAt: Array<number> = []
  let plainLength = 0
  let from = 0
  const add = (part: string, at: number): void => {
    plainAt.push(plainLength)
    originalAt.push(at)
    parts.push(part)
    plainLength += part.length
  }
  for (const match of text.matchAll(escape)) {
    if (match.index > from) add(text.slice(from, match.index), from)
    add(String.fromCharCode(Number.parseInt(match[1] ?? "0", 16)), match.index)
    from = match.index + match[0].length
  }
  if (from < text.length) add(text.slice(from), from)
  plainAt.push(plainLength)
  originalAt.push(text.length)
  const { partialLength, ranges } = words.find(parts.join(""))
  let part = 0
  /** The original index of the first character of a range. Call it with increasing indexes only. */
  const originalStart = (index: number): number => {
    while ((plainAt[part + 1] ?? Infinity) <= index) part++
    return (originalAt[part] ?? 0) + (index - (plainAt[part] ?? 0))
  }
  /** The original index after the last character of a range, including a complete escape sequence. */
  const originalEnd = (index: number): number => {
    const last = originalStart(index - 1)
    const isLastOfPart = (plainAt[part + 1] ?? Infinity) === index
    return isLastOfPart ? (originalAt[part + 1] ?? text.length) : last + 1
  }
  const originalRanges = ranges.map(([start, end]) => [originalStart(start), originalEnd(end)] as const)
  return {
    ranges: originalRanges,
    partialLength: partialLength === 0 ? 0 : text.length - originalStart(plainLength - partialLength)
  }
}

export interface SecretForms {
  /** `isCut`: the text was truncated, so a partial secret at its end is replaced too. */
  readonly replaceIn: (text: string, isCut?: boolean) => string
}

/** Finds secrets in all common encodings, in time linear in the text. */
export const makeSecretForms = (secrets: ReadonlyArray<string>): SecretForms => {
  const usableSecrets = [...new Set(secrets)].filter((secret) => secret.trim().length >= secretLengthMin)
  const words = new Words([...new Set(usableSecrets.flatMap(formsOf))])
  return {
    replaceIn: (text, isCut = false) => {
      if (usableSecrets.length === 0) return text
      const clean = replaceRanges(text, words.find(text), isCut)
      return clean.includes("\\u") ? replaceRanges(clean, findEscaped(words, clean), isCut) : clean
    }
  }
}
