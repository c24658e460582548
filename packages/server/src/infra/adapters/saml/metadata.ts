import * as Effect from "effect/Effect"
import { SamlMetadataInvalid, type SamlServiceProvider } from "../../ports/sso.ts"
import { readCertificate } from "./certificate.ts"
import { ds, md, nameIdFormats, postBinding, redirectBinding, samlp } from "./names.ts"
import { attributeOf, childrenOf, escapeAttribute, readXml, textOf, type XmlElement, XmlInvalid } from "./xml.ts"

const lengthMax = 262_144
const entityIdMax = 1024
const urlMax = 2048
const certificatesMax = 8
/** Higher than the limit for responses, because metadata is read only when a connection is configured. */
const elementsMax = 8192

/** The metadata of this service provider, for the identity provider. */
export const metadata = (provider: SamlServiceProvider): string =>
  [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<md:EntityDescriptor xmlns:md="${md}" entityID="${escapeAttribute(provider.entityId)}">`,
    `  <md:SPSSODescriptor AuthnRequestsSigned="false" WantAssertionsSigned="true" protocolSupportEnumeration="${samlp}">`,
    ...[nameIdFormats.emailAddress, nameIdFormats.persistent, nameIdFormats.unspecified].map(
      (format) => `    <md:NameIDFormat>${format}</md:NameIDFormat>`
    ),
    `    <md:AssertionConsumerService index="0" isDefault="true" Binding="${postBinding}" Location="${escapeAttribute(provider.acsUrl)}"/>`,
    `  </md:SPSSODescriptor>`,
    `</md:EntityDescriptor>`,
    ``
  ].join("\n")

const invalid = (message: string) => new SamlMetadataInvalid({ message })

const entitiesIn = (element: XmlElement): ReadonlyArray<XmlElement> =>
  element.uri !== md
    ? []
    : element.local === "EntityDescriptor"
      ? [element]
      : element.local === "EntitiesDescriptor"
        ? [...childrenOf(element, md, "EntityDescriptor"), ...childrenOf(element, md, "EntitiesDescriptor")].flatMap(
            entitiesIn
          )
        : []

const speaksSaml2 = (descriptor: XmlElement) =>
  (attributeOf(descriptor, "protocolSupportEnumeration") ?? "").split(/\s+/).includes(samlp)

/** A URL for a browser; the caller decides whether `http:` is allowed. */
const isAddress = (text: string | undefined): text is string => {
  const url = text === undefined || text.length > urlMax ? null : URL.parse(text)
  return (
    url !== null &&
    (url.protocol === "https:" || url.protocol === "http:") &&
    url.username === "" &&
    url.password === "" &&
    url.hash === ""
  )
}

const parse = (text: string) =>
  Effect.try({
    try: () => readXml(text, elementsMax),
    catch: (cause) => {
      if (cause instanceof XmlInvalid) return invalid(`The metadata is not valid XML. ${cause.message}`)
      throw cause
    }
  })

/** Reads an identity provider's metadata. Its signature is not checked: the person who submits it is trusted. */
export const read = Effect.fnUntraced(function* (text: string) {
  if (text.length > lengthMax) return yield* invalid("The metadata is too long.")
  const root = yield* parse(text.trim())
  const descriptors = entitiesIn(root).flatMap((entity) =>
    childrenOf(entity, md, "IDPSSODescriptor")
      .filter(speaksSaml2)
      .map((descriptor) => ({ entity, descriptor }))
  )
  const [provider] = descriptors
  if (provider === undefined) return yield* invalid("The metadata contains no SAML 2.0 identity provider.")
  if (descriptors.length > 1) return yield* invalid("The metadata contains more than one identity provider.")
  const idpEntityId = attributeOf(provider.entity, "entityID") ?? ""
  if (idpEntityId === "" || idpEntityId.length > entityIdMax) {
    return yield* invalid(`The identity provider must have an entityID of 1 to ${entityIdMax} characters.`)
  }
  const ssoUrl = childrenOf(provider.descriptor, md, "SingleSignOnService")
    .filter((service) => attributeOf(service, "Binding") === redirectBinding)
    .map((service) => attributeOf(service, "Location"))
    .find(isAddress)
  if (ssoUrl === undefined) return yield* invalid("The identity provider has no SSO URL for HTTP-Redirect.")
  const encoded = childrenOf(provider.descriptor, md, "KeyDescriptor")
    .filter((key) => (attributeOf(key, "use") ?? "signing") === "signing")
    .flatMap((key) => childrenOf(key, ds, "KeyInfo"))
    .flatMap((info) => childrenOf(info, ds, "X509Data"))
    .flatMap((data) => childrenOf(data, ds, "X509Certificate"))
    .map((certificate) => textOf(certificate) ?? "")
  if (encoded.length === 0) return yield* invalid("The identity provider has no signing certificate.")
  // Certificates with other kinds of keys are skipped: responses that they sign are not accepted.
  const results = yield* Effect.forEach(encoded, (certificate) => Effect.result(readCertificate(certificate)))
  const certificates = [
    ...new Map(
      results.flatMap((one) => (one._tag === "Success" ? [[one.success.sha256, one.success.pem] as const] : []))
    ).values()
  ]
  const refused = results.find((one) => one._tag === "Failure")
  if (certificates.length === 0 && refused !== undefined) return yield* refused.failure
  if (certificates.length > certificatesMax) {
    return yield* invalid(`The identity provider has more than ${certificatesMax} signing certificates.`)
  }
  return { idpEntityId, ssoUrl, certificates }
})
