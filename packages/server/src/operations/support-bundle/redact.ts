/** Removes secrets from the files of a support bundle. */
import { readFile } from "node:fs/promises"
import { join, resolve } from "node:path"
import { isSensitive, makeRedactor, redacted } from "../../agents/mcp-connections/redact.ts"
import type { Environment } from "../../infra/config/environment.ts"
import { unknownVariables } from "../../infra/config/unknown-variables.ts"
import { isSecretValue } from "../../infra/config/variables.ts"
import { keyFileName } from "../../infra/key-file.ts"
import { credential } from "../../infra/log-line.ts"
import { decoded } from "../../infra/normalize.ts"

const replacement = "REDACTED"

/** A shorter text is not replaced, because it can occur by chance. */
const secretLengthMin = 6
const pieceLengthMin = 16

/** A PostgreSQL URL can have several hosts, which `URL` cannot parse. */
const urlParts = /^[a-z][a-z0-9+.-]{0,20}:\/\/([^/?#]{0,8192})[^?#]{0,8192}(?:\?([^#]{0,8192}))?/iu

/** The password of a URL, a user name that can only be a token, and parameters with the names of secrets. */
const secretsOfUrl = (value: string): ReadonlyArray<string> => {
  const [all, authority = "", query = ""] = urlParts.exec(value) ?? []
  if (all === undefined) return []
  const login = authority.includes("@") ? authority.slice(0, authority.lastIndexOf("@")) : ""
  const colon = login.indexOf(":")
  const password = colon === -1 ? "" : login.slice(colon + 1)
  const token = password === "" && login.length >= pieceLengthMin ? login : ""
  const parameters = [...new URLSearchParams(query)].flatMap(([name, text]) => (isSensitive(name) ? [text] : []))
  return [password, decoded(password), token, decoded(token), ...parameters]
}

/** The strings of a JSON document whose names are those of secrets. */
const secretsOfJson = (value: string): ReadonlyArray<string> => {
  const texts: Array<string> = []
  try {
    JSON.parse(value, (name, inner: unknown) => {
      if (typeof inner === "string" && isSensitive(name)) texts.push(inner)
      return inner
    })
  } catch {
    return []
  }
  return texts
}

/** A list of keys, the lines of a PEM key, or the strings of a JSON document. */
const piecesOf = (value: string): ReadonlyArray<string> =>
  [...value.split(","), ...value.split(/(?:\\n|[\s,"])+/u)]
    .map((piece) => piece.trim())
    .filter((piece) => piece.length >= pieceLengthMin)

const privateKeyEnd = /-----END [A-Z ]{0,40}PRIVATE KEY-----/u

/** A log can begin with the rest of a private key. Complete ones are removed with the patterns of other secrets. */
const withoutFirstKey = (text: string): string => {
  const end = privateKeyEnd.exec(text)
  if (end === null || text.slice(0, end.index).includes("-----BEGIN ")) return text
  return replacement + text.slice(end.index + end[0].length)
}

const userInfo = /:\/\/[^\s/@"]{1,1024}@/gu
const email = /[\w.%+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/gu

/** The keys of the embedded database. */
export const readKeyFile = async (environment: Environment): Promise<ReadonlyArray<string>> => {
  const dataDir = environment["ORGPLANE_DATA_DIR"]?.trim() || ".orgplane"
  const text = await readFile(join(resolve(dataDir), keyFileName), "utf8").catch(() => "")
  return text.split(/[\r\n]+/u).map((line) => line.trim().replace(/^verify:\s*/u, ""))
}

export interface Redact {
  /** Removes the secrets of the configuration in any encoding, credentials of orgplane, logins and email addresses. */
  readonly text: (text: string) => string
  /** Also removes text in the form of a secret. */
  readonly log: (text: string) => string
}

export const makeRedact = (environment: Environment, keys: ReadonlyArray<string>): Redact => {
  // A misspelled variable can contain a secret too.
  const misspelled = new Set(unknownVariables(environment).map(({ name }) => name))
  const texts = Object.entries(environment).flatMap(([name, given]) => {
    const value = given?.trim() ?? ""
    if (!/^ORGPLANE_/iu.test(name) || value === "") return []
    const isSecret = isSecretValue(name, value) || misspelled.has(name)
    return [...secretsOfUrl(value), ...(isSecret ? [value, ...piecesOf(value), ...secretsOfJson(value)] : [])]
  })
  const secrets = new Set([...texts, ...keys].filter(({ length }) => length >= secretLengthMin))
  const redactor = makeRedactor([...secrets])
  const clean = (text: string) =>
    text
      .replaceAll(redacted, replacement)
      .replace(credential, replacement)
      .replace(userInfo, `://${replacement}@`)
      .replace(email, `${replacement}@email`)
  return {
    text: (text) => clean(redactor.exact(text)),
    log: (text) => clean(redactor.text(withoutFirstKey(text)))
  }
}
