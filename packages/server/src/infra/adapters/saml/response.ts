import * as Effect from "effect/Effect"
import { type SamlAsserted, type SamlConnection, type SamlServiceProvider, SsoRefused } from "../../ports/sso.ts"
import { validateAssertion } from "./assertion.ts"
import { saml, samlp, success } from "./names.ts"
import { refuse } from "./refuse.ts"
import { certificateOf, checkSignatures, type Signatures } from "./signature.ts"
import { attributeOf, childrenOf, elementsOf, readXml, textOf, writeXml, type XmlElement, XmlInvalid } from "./xml.ts"

const base64Max = 262_144
const base64 = /^[A-Za-z\d+/]+={0,2}$/
const statusLengthMax = 200

interface SamlCallback {
  readonly samlResponse: string
  readonly requestId: string
  readonly at: Date
}

const decode = (encoded: string): string => {
  if (encoded.length > base64Max) return refuse("response_invalid", "The response is too long.")
  const compact = encoded.replace(/[\r\n\t ]+/g, "")
  if (compact.length % 4 !== 0 || !base64.test(compact)) {
    return refuse("response_invalid", "The response is not base64.")
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(compact, "base64"))
  } catch {
    return refuse("response_invalid", "The response is not UTF-8.")
  }
}

const checkStatus = (response: XmlElement) => {
  const [status, another] = childrenOf(response, samlp, "Status")
  const outer = status === undefined ? undefined : childrenOf(status, samlp, "StatusCode")[0]
  const code = outer === undefined ? undefined : attributeOf(outer, "Value")
  if (outer === undefined || code === undefined || another !== undefined) {
    return refuse("response_invalid", "The response has no status.")
  }
  if (code === success) return
  const inner = childrenOf(outer, samlp, "StatusCode").map((one) => attributeOf(one, "Value") ?? "")
  refuse(
    "access_denied",
    `The identity provider returned the status ${[code, ...inner].join(" / ").slice(0, statusLengthMax)}.`
  )
}

/**
 * Checks the elements around the assertion. They may be unsigned, so these checks can only reject the response.
 * Everything that is trusted is checked again in the signed part.
 */
const checkEnvelope = (
  response: XmlElement,
  provider: SamlServiceProvider,
  connection: SamlConnection,
  requestId: string
): XmlElement => {
  if (response.uri !== samlp || response.local !== "Response" || attributeOf(response, "Version") !== "2.0") {
    return refuse("response_invalid", "The message is not a SAML 2.0 response.")
  }
  if (attributeOf(response, "InResponseTo") !== requestId) {
    return refuse("response_unsolicited", "The response's InResponseTo does not match the request of this sign-in.")
  }
  const destination = attributeOf(response, "Destination")
  if (destination !== undefined && destination !== provider.acsUrl) {
    return refuse("destination_mismatch", "The response's Destination is not this service provider's ACS URL.")
  }
  const issuers = childrenOf(response, saml, "Issuer")
  if (issuers.length > 1 || issuers.some((issuer) => textOf(issuer) !== connection.idpEntityId)) {
    return refuse("issuer_mismatch", "The response's Issuer is not the connection's identity provider.")
  }
  checkStatus(response)
  // Matches by local name only, like the library's verifier.
  if (elementsOf(response).some((child) => child.local === "EncryptedAssertion")) {
    return refuse("assertion_encrypted", "The assertion is encrypted.")
  }
  const assertions = elementsOf(response).filter((child) => child.local === "Assertion")
  const [assertion] = assertions
  if (assertion === undefined) return refuse("response_invalid", "The response has no assertion.")
  if (assertions.length > 1) return refuse("response_invalid", "The response has more than one assertion.")
  if (assertion.uri !== saml) return refuse("response_invalid", "The assertion is not a SAML 2.0 assertion.")
  return assertion
}

/** The library's verifier, stopped when it returns the signed assertion, whose content is validated here. */
const loadVerifier = Effect.promise(async () => {
  const { SAML } = await import("@node-saml/node-saml")
  return class Verifier extends SAML {
    signed: string | undefined
    protected override processValidlySignedAssertionAsync(xml: string) {
      this.signed = xml
      return Promise.resolve({ profile: { issuer: "", nameID: "", nameIDFormat: "" }, loggedOut: false })
    }
  }
})

/** The signed assertion. Every signature in the response must be valid for one certificate. */
const verify = Effect.fnUntraced(function* (
  provider: SamlServiceProvider,
  connection: SamlConnection,
  response: XmlElement,
  signatures: Signatures
) {
  const certificate = certificateOf(signatures, connection.certificates)
  if (certificate === undefined) {
    const reason =
      connection.certificates.length === 0
        ? "The connection has no certificate."
        : "None of the connection's certificates matches the signature."
    return yield* new SsoRefused({ code: "signature_invalid", message: `The signature is invalid. ${reason}` })
  }
  const Verifier = yield* loadVerifier
  const verifier = new Verifier({
    callbackUrl: provider.acsUrl,
    issuer: provider.entityId,
    idpCert: certificate,
    wantAuthnResponseSigned: signatures.ofResponse,
    wantAssertionsSigned: signatures.ofAssertion
  })
  const SAMLResponse = Buffer.from(writeXml(response)).toString("base64")
  const reason = yield* Effect.promise(() =>
    verifier.validatePostResponseAsync({ SAMLResponse }).then(
      () => "The verifier reported no reason.",
      (cause: unknown) => (cause instanceof Error ? cause.message : "The verifier failed.")
    )
  )
  return (
    verifier.signed ??
    (yield* new SsoRefused({ code: "signature_invalid", message: `The signature is invalid. ${reason}` }))
  )
})

const validating = <A>(validate: () => A): Effect.Effect<A, SsoRefused> =>
  Effect.try({
    try: validate,
    catch: (cause) => {
      if (cause instanceof SsoRefused) return cause
      if (cause instanceof XmlInvalid) {
        return new SsoRefused({
          code: "response_invalid",
          message: `The response is not valid XML. ${cause.message}`
        })
      }
      throw cause
    }
  })

/** Validates a response. The person's data is read only from the signed bytes. */
export const finish = Effect.fnUntraced(function* (
  provider: SamlServiceProvider,
  connection: SamlConnection,
  callback: SamlCallback
): Effect.fn.Return<SamlAsserted, SsoRefused> {
  const { response, signatures } = yield* validating(() => {
    const root = readXml(decode(callback.samlResponse).trim())
    const assertion = checkEnvelope(root, provider, connection, callback.requestId)
    return { response: root, signatures: checkSignatures(root, assertion) }
  })
  const signed = yield* verify(provider, connection, response, signatures)
  return yield* validating(() => validateAssertion(readXml(signed), provider, connection, callback))
})
