/** One sign-in, and possible responses to it. */
import * as Effect from "effect/Effect"
import { type SamlConnection, SamlProviders } from "../../ports/sso.ts"
import { layerSaml } from "./index.ts"
import { base64Of, makeKeyPair, responseXml, signXml, type ResponseContent } from "./saml.fixture.ts"

export const provider = {
  entityId: "https://plane.example/v1/sso/saml/sso_1/metadata",
  acsUrl: "https://plane.example/v1/sso/saml/sso_1/acs"
}
export const idpEntityId = "https://idp.example/entity"
export const keyPair = makeKeyPair("one")
export const newKeyPair = makeKeyPair("two")
export const strangers = makeKeyPair("strangers")
export const connection: SamlConnection = {
  idpEntityId,
  ssoUrl: "https://idp.example/sso",
  certificates: [keyPair.certificate],
  attributes: { email: null, name: null }
}
export const requestId = "_request-of-this-sign-in"
/** Not the clock's: only the time that is passed to the port matters. */
export const at = new Date("2031-05-06T07:08:09.000Z")
export const after = (seconds: number) => new Date(at.getTime() + seconds * 1000)

export const formats = {
  email: "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress",
  persistent: "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent",
  transient: "urn:oasis:names:tc:SAML:2.0:nameid-format:transient",
  unspecified: "urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified"
}

export const responseContent = (changes: Partial<ResponseContent> = {}): ResponseContent => ({
  responseId: "_response",
  assertionId: "_assertion",
  issuer: idpEntityId,
  destination: provider.acsUrl,
  recipient: provider.acsUrl,
  audience: provider.entityId,
  inResponseTo: requestId,
  at,
  notBefore: after(-5),
  notOnOrAfter: after(300),
  confirmedUntil: after(300),
  sessionUntil: after(3600),
  nameId: "ada@acme.example",
  format: formats.email,
  attributes: {},
  ...changes
})

export const port = <A, E>(use: (saml: (typeof SamlProviders)["Service"]) => Effect.Effect<A, E>) =>
  Effect.runPromise(Effect.result(SamlProviders.pipe(Effect.flatMap(use), Effect.provide(layerSaml))))

export const finishRaw = (samlResponse: string, changes: Partial<SamlConnection> = {}, moment = at) =>
  port((saml) => saml.finish(provider, { ...connection, ...changes }, { samlResponse, requestId, at: moment }))
export const finish = (xml: string, changes: Partial<SamlConnection> = {}, moment = at) =>
  finishRaw(base64Of(xml), changes, moment)

export const asserted = async (xml: string, changes: Partial<SamlConnection> = {}, moment = at) => {
  const result = await finish(xml, changes, moment)
  if (result._tag === "Failure") throw new Error(`${result.failure.code}: ${result.failure.message}`)
  return result.success
}
export const refusal = async (xml: string, changes: Partial<SamlConnection> = {}, moment = at) => {
  const result = await finish(xml, changes, moment)
  return result._tag === "Failure" ? result.failure.code : result.success
}

export const signed = (changes: Partial<ResponseContent> = {}) =>
  signXml(responseXml(responseContent(changes)), "assertion", keyPair)
export const responseSigned = (changes: Partial<ResponseContent> = {}) =>
  signXml(responseXml(responseContent(changes)), "response", keyPair)
/** Fails when nothing changes, because the test would be void. */
export const swap = (xml: string, from: string | RegExp, to: string) => {
  const changed = xml.replace(from, () => to)
  if (changed === xml) throw new Error(`nothing to change: ${String(from)}`)
  return changed
}
