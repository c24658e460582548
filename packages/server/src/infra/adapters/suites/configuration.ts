import type { Suite } from "@orgplane/schema/capabilities"
import * as Redacted from "effect/Redacted"
import type { SuiteOAuth, SuiteSettings, SuiteSignIn } from "../../ports/suites.ts"

const scopesOf: Readonly<Record<Suite, ReadonlyArray<string>>> = {
  "suite-a": ["Mail.ReadWrite", "offline_access"],
  "suite-b": ["https://www.googleapis.com/auth/calendar.events"]
}

/** Without these, suite-b returns no refresh token; suite-a uses a scope for it. */
const parametersOf: Readonly<Record<Suite, Readonly<Record<string, string>>>> = {
  "suite-a": {},
  "suite-b": { access_type: "offline", prompt: "consent" }
}

/** Parameters that OAuth defines, which the operator cannot set. */
const reserved = new Set([
  "client_id",
  "client_secret",
  "code",
  "code_challenge",
  "code_challenge_method",
  "code_verifier",
  "redirect_uri",
  "request",
  "request_uri",
  "resource",
  "response_mode",
  "response_type",
  "scope",
  "state"
])

const members = new Set([
  "authorizationUrl",
  "tokenUrl",
  "clientId",
  "clientSecret",
  "scopes",
  "revocationUrl",
  "issuer",
  "authorizationParameters"
])

/** Whether the text is an http or https URL without credentials or a fragment. */
export const isEndpointUrl = (text: unknown): text is string => {
  const url = typeof text === "string" && text.length <= 2048 ? URL.parse(text) : null
  return (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.username === "" &&
    url.password === "" &&
    url.hash === "" &&
    !String(text).includes("#")
  )
}
const isText = (value: unknown): value is string =>
  typeof value === "string" && value.trim() === value && value.length >= 1 && value.length <= 2048
const isScope = (value: unknown): value is string =>
  typeof value === "string" && value.length <= 512 && /^[\x21\x23-\x5B\x5D-\x7E]+$/.test(value)
const absentOr =
  <A>(is: (value: unknown) => value is A) =>
  (value: unknown): value is A | undefined =>
    value === undefined || is(value)

const areParameters = (value: unknown): value is Readonly<Record<string, string>> =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  Object.entries(value).length <= 16 &&
  Object.entries(value).every(([name, text]) => /^[\w.-]{1,64}$/.test(name) && !reserved.has(name) && isText(text))

// `openid` would return an ID token, which would have to be validated and is not needed.
const areScopes = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) &&
  value.length >= 1 &&
  value.length <= 32 &&
  value.every((scope) => isScope(scope) && scope !== "openid")

const objectOf = (text: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value))
      : undefined
  } catch {
    return undefined
  }
}

/** The app, or an error that names the invalid member of the JSON without its value. */
export const parseSuiteOAuth = (text: string): SuiteOAuth | { readonly malformed: string } => {
  const value = objectOf(text)
  if (value === undefined) {
    return { malformed: "must be a JSON object with authorizationUrl, tokenUrl and clientId" }
  }
  if (Object.keys(value).some((name) => !members.has(name))) {
    return { malformed: `must only have the members ${[...members].join(", ")}` }
  }
  const { authorizationParameters, authorizationUrl, clientId, clientSecret, issuer, revocationUrl, scopes, tokenUrl } =
    value
  const must = (name: string, type: string) => ({ malformed: `must be a JSON object whose ${name} is ${type}` })
  const url = "an http or https URL without credentials or a fragment"
  if (!isEndpointUrl(authorizationUrl)) return must("authorizationUrl", url)
  if (!isEndpointUrl(tokenUrl)) return must("tokenUrl", url)
  if (!isText(clientId)) return must("clientId", "a non-empty string")
  if (!absentOr(isText)(clientSecret)) return must("clientSecret", "absent or a non-empty string")
  if (!absentOr(isEndpointUrl)(revocationUrl)) return must("revocationUrl", `absent or ${url}`)
  if (!absentOr(isText)(issuer)) return must("issuer", "absent or a non-empty string")
  if (!absentOr(areScopes)(scopes)) return must("scopes", "absent or a list of 1 to 32 scopes other than openid")
  if (!absentOr(areParameters)(authorizationParameters)) {
    return must("authorizationParameters", "absent or an object of strings without OAuth's own parameters")
  }
  return {
    authorizationUrl,
    tokenUrl,
    clientId,
    ...(clientSecret === undefined ? {} : { clientSecret }),
    ...(scopes === undefined ? {} : { scopes }),
    ...(revocationUrl === undefined ? {} : { revocationUrl }),
    ...(issuer === undefined ? {} : { issuer }),
    ...(authorizationParameters === undefined ? {} : { authorizationParameters })
  }
}

export const signInOf = (suite: Suite, { oauth }: SuiteSettings): SuiteSignIn => ({
  issuer: oauth.issuer ?? new URL(oauth.authorizationUrl).origin,
  authorizationUrl: oauth.authorizationUrl,
  tokenUrl: oauth.tokenUrl,
  revocationUrl: oauth.revocationUrl ?? null,
  clientId: oauth.clientId,
  clientSecret: oauth.clientSecret === undefined ? null : Redacted.make(oauth.clientSecret),
  scopes: oauth.scopes ?? scopesOf[suite],
  authorizationParameters: oauth.authorizationParameters ?? parametersOf[suite]
})

/** The origins that the operator configured, which may be private. Only browsers use the authorization URL. */
export const originsOf = ({ oauth, url }: SuiteSettings): ReadonlyArray<string> =>
  [url, oauth.tokenUrl, ...(oauth.revocationUrl === undefined ? [] : [oauth.revocationUrl])].map(
    (place) => new URL(place).origin
  )
