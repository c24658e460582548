/** What stands in place of what is secret. */
export const redacted = "[redacted]"

/** Shorter ones stand everywhere by chance. */
const secretLengthMin = 4
const coreLengthMin = 8

/** What a secret looks like inside longer base64, wherever it begins there: the characters that nothing else shares. */
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
    // Half of a surrogate pair has no such form.
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

/** The secret parts of a header that lets somebody in: what follows its scheme, and of Basic the password. */
export const secretsOfHeader = (value: string): ReadonlyArray<string> => {
  const [, scheme, rest] = /^([A-Za-z][\w-]*) +(\S.*)$/s.exec(value) ?? []
  if (scheme === undefined || rest === undefined) return [value]
  if (scheme.toLowerCase() !== "basic") return [value, rest]
  const pair = Buffer.from(rest, "base64").toString("utf8")
  const colon = pair.indexOf(":")
  const [user, password] = [pair.slice(0, Math.max(colon, 0)), pair.slice(colon + 1)]
  // Some put their one secret where the name belongs, and no password.
  return [value, rest, pair, password === "" ? user : password]
}

const codes = 65_536
const root = 0

/**
 * Finds all of many words in one pass (Aho-Corasick): a server chooses the text and some of the words, and with any
 * search of its own for each word it could make one answer cost minutes.
 */
class Words {
  readonly #next = new Map<number, number>()
  readonly #fail: Array<number> = [root]
  /** How long the way to a node is, which is what of a word has been read. */
  readonly #depth: Array<number> = [0]
  /** The longest word that ends at a node. */
  readonly #ending: Array<number> = [0]

  constructor(words: ReadonlyArray<string>) {
    const made: Array<readonly [node: number, parent: number, code: number]> = []
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
          made.push([child, node, word.charCodeAt(i)])
        }
        node = child
      }
      this.#ending[node] = word.length
    }
    // Shorter ways first: each node's fallback is a shorter way than its own.
    made.sort(([left], [right]) => (this.#depth[left] ?? 0) - (this.#depth[right] ?? 0))
    for (const [node, parent, code] of made) {
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

  /** Where words stand, one range for those that overlap; `partialLength` is how much of a word the text ends with. */
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

type Found = ReturnType<Words["find"]>

const without = (text: string, { partialLength, ranges }: Found, isCut: boolean): string => {
  const out: Array<string> = []
  let from = 0
  const end = text.length - (isCut && partialLength >= secretLengthMin ? partialLength : 0)
  for (const [start, behind] of ranges) {
    if (start >= end) break
    out.push(text.slice(from, start), redacted)
    from = behind
  }
  if (end < text.length) out.push(text.slice(from, Math.max(from, end)), redacted)
  else out.push(text.slice(from))
  return out.join("")
}

const escape = /\\{1,8}u([0-9a-f]{4})/gi

/** Ranges of the text with its characters written as JSON may write them, as ranges of the text as it stands. */
const findEscaped = (words: Words, text: string): Found => {
  const parts: Array<string> = []
  /** Where a plain part or an escape begins in the plain text, and in the text as it stands. */
  const plainAt: Array<number> = []
  const standsAt: Array<number> = []
  let plainLength = 0
  let from = 0
  const add = (part: string, at: number): void => {
    plainAt.push(plainLength)
    standsAt.push(at)
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
  standsAt.push(text.length)
  const { partialLength, ranges } = words.find(parts.join(""))
  let part = 0
  /** Of the first character of a range. Asked for in growing order only. */
  const startOf = (index: number): number => {
    while ((plainAt[part + 1] ?? Infinity) <= index) part++
    return (standsAt[part] ?? 0) + (index - (plainAt[part] ?? 0))
  }
  /** Behind the last character of a range, with the whole of an escape. */
  const endOf = (index: number): number => {
    const last = startOf(index - 1)
    const isLastOfPart = (plainAt[part + 1] ?? Infinity) === index
    return isLastOfPart ? (standsAt[part + 1] ?? text.length) : last + 1
  }
  const found = ranges.map(([start, end]) => [startOf(start), endOf(end)] as const)
  return { ranges: found, partialLength: partialLength === 0 ? 0 : text.length - startOf(plainLength - partialLength) }
}

export interface SecretForms {
  /** `isCut`: what the text ends with may be the beginning of a secret, and is taken out as well. */
  readonly replaceIn: (text: string, isCut?: boolean) => string
}

/** Finds secrets in all the forms in which other programs write them, in time that grows with the text alone. */
export const makeSecretForms = (secrets: ReadonlyArray<string>): SecretForms => {
  const long = [...new Set(secrets)].filter((secret) => secret.trim().length >= secretLengthMin)
  const words = new Words([...new Set(long.flatMap(formsOf))])
  return {
    replaceIn: (text, isCut = false) => {
      if (long.length === 0) return text
      const clean = without(text, words.find(text), isCut)
      return clean.includes("\\u") ? without(clean, findEscaped(words, clean), isCut) : clean
    }
  }
}
