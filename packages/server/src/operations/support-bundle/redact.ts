/** Removes secrets from the files of a support bundle. */
import type { Environment } from "../../infra/config/environment.ts"
import { unknownVariables } from "../../infra/config/unknown-variables.ts"
import { isSecretValue } from "../../infra/config/variables.ts"
import { credential } from "../../infra/log-line.ts"

const replacement = "REDACTED"

/** A shorter text occurs by chance. No file contains the values of secret variables on purpose. */
const secretLengthMin = 6
const pieceLengthMin = 16

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The password of a URL, and its form in basic authentication. */
const loginOf = (value: string): ReadonlyArray<string> => {
  const url = URL.parse(value)
  if (url === null || url.password === "") return []
  return [url.password, decoded(url.password), `${decoded(url.username)}:${decoded(url.password)}`]
}

/** A list of keys, the lines of a PEM key, or the strings of a JSON document. */
const piecesOf = (value: string): ReadonlyArray<string> =>
  [...value.split(","), ...value.split(/[\s,"]+/u)].filter((piece) => piece.length >= pieceLengthMin)

/** The forms in which a text can occur in JSON, a URL or a header. */
const formsOf = (text: string): ReadonlyArray<string> => [
  text,
  JSON.stringify(text).slice(1, -1),
  encodeURIComponent(text),
  Buffer.from(text).toString("base64"),
  Buffer.from(text).toString("base64url")
]

const privateKeyStart = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----/u
const privateKeyEnd = /-----END [A-Z ]{0,40}PRIVATE KEY-----/u

const withoutPrivateKeys = (text: string): string => {
  let rest = text
  let result = ""
  for (let start = privateKeyStart.exec(rest); start !== null; start = privateKeyStart.exec(rest)) {
    result += rest.slice(0, start.index) + replacement
    const after = rest.slice(start.index + start[0].length)
    const end = privateKeyEnd.exec(after)
    rest = end === null ? "" : after.slice(end.index + end[0].length)
  }
  return result + rest
}

const userInfo = /:\/\/[^\s/@"]{1,1024}@/gu
const bearer = /\b(?:bearer|basic) [\w.~+/=-]{8,8192}/giu
const email = /[\w.%+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/gu

/** A function that replaces the secrets of the configuration, credentials and email addresses in a text. */
export const makeRedact = (environment: Environment): ((text: string) => string) => {
  // A misspelled variable can contain a secret too.
  const misspelled = new Set(unknownVariables(environment).map(({ name }) => name))
  const texts = Object.entries(environment).flatMap(([name, given]) => {
    const value = given?.trim() ?? ""
    if (!/^ORGPLANE_/iu.test(name) || value === "") return []
    const isSecret = isSecretValue(name, value) || misspelled.has(name)
    return [...loginOf(value), ...(isSecret ? [value, ...piecesOf(value)] : [])]
  })
  const forms = new Set(texts.filter(({ length }) => length >= secretLengthMin).flatMap(formsOf))
  const longestFirst = [...forms].toSorted((one, other) => other.length - one.length)
  return (text) =>
    withoutPrivateKeys(longestFirst.reduce((result, form) => result.replaceAll(form, replacement), text))
      .replace(credential, replacement)
      .replace(userInfo, `://${replacement}@`)
      .replace(bearer, replacement)
      .replace(email, `${replacement}@email`)
}
