/** An identity provider in this process: `samlify` signs with these keys. */
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import samlify from "samlify"

const { SamlLib, IdentityProvider, ServiceProvider } = samlify
// Responses are validated by the code under test, but the library requires a validator.
samlify.setSchemaValidator({ validate: () => Promise.resolve("not validated") })

const der = (tag: number, ...parts: ReadonlyArray<Uint8Array>): Buffer => {
  const body = Buffer.concat(parts)
  const bytes: Array<number> = []
  for (let length = body.length; length > 0; length = Math.floor(length / 256)) bytes.unshift(length % 256)
  return Buffer.concat([
    Buffer.from(body.length < 128 ? [tag, body.length] : [tag, 0x80 | bytes.length, ...bytes]),
    body
  ])
}
const sequence = (...parts: ReadonlyArray<Uint8Array>) => der(0x30, ...parts)
const oid = (hex: string) => der(0x06, Buffer.from(hex, "hex"))
const utcTime = (at: Date) =>
  der(0x17, Buffer.from(`${at.toISOString().replace(/[-:T]/g, "").slice(2, 14)}Z`, "latin1"))

const sha256WithRsa = sequence(oid("2a864886f70d01010b"), der(0x05))
const ecdsaWithSha256 = sequence(oid("2a8648ce3d040302"))

/** A self-signed certificate. */
const selfSigned = (commonName: string, keys: { readonly privateKey: KeyObject; readonly publicKey: KeyObject }) => {
  const algorithm = keys.privateKey.asymmetricKeyType === "rsa" ? sha256WithRsa : ecdsaWithSha256
  const name = sequence(der(0x31, sequence(oid("550403"), der(0x0c, Buffer.from(commonName, "utf8")))))
  const toSign = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    algorithm,
    name,
    sequence(utcTime(new Date("2020-01-01T00:00:00Z")), utcTime(new Date("2049-01-01T00:00:00Z"))),
    name,
    keys.publicKey.export({ format: "der", type: "spki" })
  )
  const signature = sign("sha256", toSign, keys.privateKey)
  const encoded = sequence(toSign, algorithm, der(0x03, Buffer.from([0]), signature)).toString("base64")
  return `-----BEGIN CERTIFICATE-----\n${encoded.replace(/.{64}(?=.)/g, "$&\n")}\n-----END CERTIFICATE-----\n`
}

export interface KeyPair {
  /** PEM. */
  readonly privateKey: string
  /** PEM. */
  readonly certificate: string
}

const papersOf = (commonName: string, keys: { readonly privateKey: KeyObject; readonly publicKey: KeyObject }) => ({
  privateKey: keys.privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
  certificate: selfSigned(commonName, keys)
})
export const makeKeyPair = (commonName: string, modulusLength = 2048): KeyPair =>
  papersOf(commonName, generateKeyPairSync("rsa", { modulusLength }))
export const makeEcKeyPair = (commonName: string): KeyPair =>
  papersOf(commonName, generateKeyPairSync("ec", { namedCurve: "P-256" }))

/** The content of a response. */
export interface ResponseContent {
  readonly responseId: string
  readonly assertionId: string
  readonly issuer: string
  readonly destination: string
  readonly recipient: string
  readonly audience: string
  readonly inResponseTo: string
  readonly at: Date
  readonly notBefore: Date
  readonly notOnOrAfter: Date
  readonly confirmedUntil: Date
  readonly sessionUntil: Date | undefined
  readonly nameId: string
  readonly format: string | undefined
  /** The attributes' values as XML, by name. */
  readonly attributes: Readonly<Record<string, ReadonlyArray<string>>>
}

export const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")

/** A successful response as identity providers write it, unsigned. */
export const responseXml = (content: ResponseContent): string => {
  const attributes = Object.entries(content.attributes).map(
    ([name, values]) =>
      `<saml:Attribute Name="${escaped(name)}" NameFormat="urn:oasis:names:tc:SAML:2.0:attrname-format:basic">${values
        .map((value) => `<saml:AttributeValue xsi:type="xs:string">${value}</saml:AttributeValue>`)
        .join("")}</saml:Attribute>`
  )
  const format = content.format === undefined ? "" : ` Format="${content.format}"`
  const session =
    content.sessionUntil === undefined ? "" : ` SessionNotOnOrAfter="${content.sessionUntil.toISOString()}"`
  return [
    `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${content.responseId}" Version="2.0" IssueInstant="${content.at.toISOString()}" Destination="${escaped(content.destination)}" InResponseTo="${content.inResponseTo}">`,
    `<saml:Issuer>${escaped(content.issuer)}</saml:Issuer>`,
    `<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>`,
    `<saml:Assertion xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xs="http://www.w3.org/2001/XMLSchema" ID="${content.assertionId}" Version="2.0" IssueInstant="${content.at.toISOString()}">`,
    `<saml:Issuer>${escaped(content.issuer)}</saml:Issuer>`,
    `<saml:Subject><saml:NameID${format}>${content.nameId}</saml:NameID>`,
    `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData NotOnOrAfter="${content.confirmedUntil.toISOString()}" Recipient="${escaped(content.recipient)}" InResponseTo="${content.inResponseTo}"/></saml:SubjectConfirmation></saml:Subject>`,
    `<saml:Conditions NotBefore="${content.notBefore.toISOString()}" NotOnOrAfter="${content.notOnOrAfter.toISOString()}"><saml:AudienceRestriction><saml:Audience>${escaped(content.audience)}</saml:Audience></saml:AudienceRestriction></saml:Conditions>`,
    `<saml:AuthnStatement AuthnInstant="${content.at.toISOString()}"${session} SessionIndex="_session"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>`,
    attributes.length === 0 ? "" : `<saml:AttributeStatement>${attributes.join("")}</saml:AttributeStatement>`,
    `</saml:Assertion></samlp:Response>`
  ].join("")
}

export const rsaSha256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"

/** Signs one of the two elements, after its Issuer, where the standard places the signature. */
export const signXml = (
  xml: string,
  what: "assertion" | "response",
  keyPair: KeyPair,
  options: { readonly algorithm?: string; readonly transforms?: Array<string>; readonly prefix?: string } = {}
): string => {
  const path =
    what === "response" ? "/*[local-name(.)='Response']" : "/*[local-name(.)='Response']/*[local-name(.)='Assertion']"
  return SamlLib.constructSAMLSignature({
    rawSamlMessage: xml,
    referenceTagXPath: path,
    privateKey: keyPair.privateKey,
    signingCert: keyPair.certificate.replace(/-----[A-Z ]+-----|\n/g, ""),
    signatureAlgorithm: options.algorithm ?? rsaSha256,
    isBase64Output: false,
    signatureConfig: {
      prefix: options.prefix ?? "ds",
      location: { reference: `${path}/*[local-name(.)='Issuer']`, action: "after" }
    },
    ...(options.transforms === undefined ? {} : { transformationAlgorithms: options.transforms })
  })
}

export const base64Of = (xml: string) => Buffer.from(xml, "utf8").toString("base64")
export const xmlOf = (base64: string) => Buffer.from(base64, "base64").toString("utf8")

/** Not used, but required by the library. */
const logout = [{ Binding: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST", Location: "https://idp.example/logout" }]

/** Encrypts the assertion for the owner of the key. */
export const encryptXml = async (xml: string, provider: KeyPair, receiver: KeyPair): Promise<string> => {
  const idp = IdentityProvider({
    entityID: "https://idp.example",
    privateKey: provider.privateKey,
    signingCert: provider.certificate,
    isAssertionEncrypted: true,
    singleLogoutService: logout,
    singleSignOnService: [
      { Binding: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect", Location: "https://idp.example" }
    ]
  })
  const sp = ServiceProvider({
    entityID: "https://sp.example",
    encryptCert: receiver.certificate,
    assertionConsumerService: [
      { Binding: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST", Location: "https://sp.example" }
    ]
  })
  return xmlOf(await SamlLib.encryptAssertion(idp, sp, xml))
}

/** An identity provider that reads the service provider's metadata and requests. */
export const makeIdentityProvider = (settings: {
  readonly entityId: string
  readonly ssoUrl: string
  readonly keyPair: KeyPair
}) => {
  const provider = IdentityProvider({
    entityID: settings.entityId,
    privateKey: settings.keyPair.privateKey,
    signingCert: settings.keyPair.certificate,
    requestSignatureAlgorithm: rsaSha256,
    nameIDFormat: ["urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress"],
    singleLogoutService: logout,
    singleSignOnService: [
      { Binding: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect", Location: settings.ssoUrl },
      { Binding: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST", Location: settings.ssoUrl }
    ]
  })
  /** The request in a redirect URL. */
  const readRequest = async (serviceProviderMetadata: string, address: string) => {
    const query = Object.fromEntries(new URL(address).searchParams)
    const request = await provider.parseLoginRequest(
      ServiceProvider({ metadata: serviceProviderMetadata }),
      "redirect",
      {
        query
      }
    )
    return { request, relayState: query["RelayState"] ?? "" }
  }
  return {
    entityId: settings.entityId,
    keyPair: settings.keyPair,
    metadata: provider.getMetadata(),
    readRequest,
    /** The response to such a request as it is posted, signed as the metadata requires. */
    respond: async (
      serviceProviderMetadata: string,
      address: string,
      contentFor: (request: {
        readonly id: string
        readonly acsUrl: string
        readonly audience: string
      }) => ResponseContent
    ): Promise<{ readonly SAMLResponse: string; readonly RelayState: string }> => {
      const { request, relayState } = await readRequest(serviceProviderMetadata, address)
      const receiver = ServiceProvider({ metadata: serviceProviderMetadata })
      const id = request.extract["request"]?.["id"]
      if (typeof id !== "string") throw new Error("the request has no identifier")
      const response = await provider.createLoginResponse(
        receiver,
        { extract: request.extract },
        "post",
        {},
        {
          customTagReplacement: () => ({
            id: "unused",
            context: responseXml(
              contentFor({
                id,
                acsUrl: String(receiver.entityMeta.getAssertionConsumerService("post")),
                audience: receiver.entityMeta.getEntityID()
              })
            )
          })
        }
      )
      return { SAMLResponse: response.context, RelayState: relayState }
    }
  }
}
