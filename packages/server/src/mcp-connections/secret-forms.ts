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
  return [value, rest, pair, ...(colon === -1 ? [] : [pair.slice(colon + 1)])]
}

/** The secret with any of its characters written as JSON may write them, also in JSON in a string of JSON. */
const escapedOf = (secret: string): RegExp => {
  const chars = Array.from({ length: secret.length }, (_, index) => {
    const code = secret.charCodeAt(index).toString(16).padStart(4, "0")
    const hex = code.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)
    return `(?:${secret.charAt(index).replace(/[\\^$.*+?()[\]{}|/-]/, "\\$&")}|\\\\{1,8}u${hex})`
  })
  return new RegExp(chars.join(""), "g")
}
const escapedLengthMax = 4096

export interface SecretForms {
  readonly replaceIn: (text: string) => string
}

/** Finds secrets in all the forms in which other programs write them. Each pass is linear in the text. */
export const makeSecretForms = (secrets: ReadonlyArray<string>): SecretForms => {
  const long = [...new Set(secrets)].filter((secret) => secret.trim().length >= secretLengthMin)
  const forms = [...new Set(long.flatMap(formsOf))].toSorted((left, right) => right.length - left.length)
  const escaped = long.filter((secret) => secret.length <= escapedLengthMax).map(escapedOf)
  return {
    replaceIn: (text) => {
      const clean = forms.reduce((found, form) => found.split(form).join(redacted), text)
      return clean.includes("\\u") ? escaped.reduce((found, form) => found.replace(form, redacted), clean) : clean
    }
  }
}
