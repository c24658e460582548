/** An identity provider in process: `samlify` signs, these are its papers. */
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import samlify from "samlify"

const { SamlLib, IdentityProvider, ServiceProvider } = samlify
// Documents are judged by who reads them; the library refuses to work without a validator of its caller's.
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

/** A certificate that a key signs for itself. */
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

export interface Papers {
  /** PEM. */
  readonly privateKey: string
  /** PEM. */
  readonly certificate: string
}

const papersOf = (commonName: string, keys: { readonly privateKey: KeyObject; readonly publicKey: KeyObject }) => ({
  privateKey: keys.privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
  certificate: selfSigned(commonName, keys)
})
export const makePapers = (commonName: string, modulusLength = 2048): Papers =>
  papersOf(commonName, generateKeyPairSync("rsa", { modulusLength }))
export const makeEcPapers = (commonName: string): Papers =>
  papersOf(commonName, generateKeyPairSync("ec", { namedCurve: "P-256" }))

/** What a response says. */
export interface Told {
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
  /** XML of the attributes' values, by name. */
  readonly attributes: Readonly<Record<string, ReadonlyArray<string>>>
}

export const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")

/** A successful response as identity providers write it, unsigned. */
export const responseXml = (told: Told): string => {
  const attributes = Object.entries(told.attributes).map(
    ([name, values]) =>
      `<saml:Attribute Name="${escaped(name)}" NameFormat="urn:oasis:names:tc:SAML:2.0:attrname-format:basic">${values
        .map((value) => `<saml:AttributeValue xsi:type="xs:string">${value}</saml:AttributeValue>`)
        .join("")}</saml:Attribute>`
  )
  const format = told.format === undefined ? "" : ` Format="${told.format}"`
  const session = told.sessionUntil === undefined ? "" : ` SessionNotOnOrAfter="${told.sessionUntil.toISOString()}"`
  return [
    `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${told.responseId}" Version="2.0" IssueInstant="${told.at.toISOString()}" Destination="${escaped(told.destination)}" InResponseTo="${told.inResponseTo}">`,
    `<saml:Issuer>${escaped(told.issuer)}</saml:Issuer>`,
    `<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>`,
    `<saml:Assertion xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xs="http://www.w3.org/2001/XMLSchema" ID="${told.assertionId}" Version="2.0" IssueInstant="${told.at.toISOString()}">`,
    `<saml:Issuer>${escaped(told.issuer)}</saml:Issuer>`,
    `<saml:Subject><saml:NameID${format}>${told.nameId}</saml:NameID>`,
    `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData NotOnOrAfter="${told.confirmedUntil.toISOString()}" Recipient="${escaped(told.recipient)}" InResponseTo="${told.inResponseTo}"/></saml:SubjectConfirmation></saml:Subject>`,
    `<saml:Conditions NotBefore="${told.notBefore.toISOString()}" NotOnOrAfter="${told.notOnOrAfter.toISOString()}"><saml:AudienceRestriction><saml:Audience>${escaped(told.audience)}</saml:Audience></saml:AudienceRestriction></saml:Conditions>`,
    `<saml:AuthnStatement AuthnInstant="${told.at.toISOString()}"${session} SessionIndex="_session"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>`,
    attributes.length === 0 ? "" : `<saml:AttributeStatement>${attributes.join("")}</saml:AttributeStatement>`,
    `</saml:Assertion></samlp:Response>`
  ].join("")
}

export const rsaSha256 = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"

/** Signs one of the two elements, after its Issuer, as the standard places it. */
export const signXml = (
  xml: string,
  what: "assertion" | "response",
  papers: Papers,
  options: { readonly algorithm?: string; readonly transforms?: Array<string>; readonly prefix?: string } = {}
): string => {
  const path =
    what === "response" ? "/*[local-name(.)='Response']" : "/*[local-name(.)='Response']/*[local-name(.)='Assertion']"
  return SamlLib.constructSAMLSignature({
    rawSamlMessage: xml,
    referenceTagXPath: path,
    privateKey: papers.privateKey,
    signingCert: papers.certificate.replace(/-----[A-Z ]+-----|\n/g, ""),
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

/** Not used, but the library complains without. */
const logout = [{ Binding: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST", Location: "https://idp.example/logout" }]

/** Encrypts the assertion for whoever has the papers. */
export const encryptXml = async (xml: string, provider: Papers, receiver: Papers): Promise<string> => {
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

/** An identity provider that reads our metadata and our requests, as theirs do. */
export const makeIdentityProvider = (settings: {
  readonly entityId: string
  readonly ssoUrl: string
  readonly papers: Papers
}) => {
  const provider = IdentityProvider({
    entityID: settings.entityId,
    privateKey: settings.papers.privateKey,
    signingCert: settings.papers.certificate,
    requestSignatureAlgorithm: rsaSha256,
    nameIDFormat: ["urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress"],
    singleLogoutService: logout,
    singleSignOnService: [
      { Binding: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect", Location: settings.ssoUrl },
      { Binding: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST", Location: settings.ssoUrl }
    ]
  })
  /** What an address asks for to which we sent a browser. */
  const readRequest = async (serviceProviderMetadata: string, address: string) => {
    const query = Object.fromEntries(new URL(address).searchParams)
    const asked = await provider.parseLoginRequest(ServiceProvider({ metadata: serviceProviderMetadata }), "redirect", {
      query
    })
    return { asked, relayState: query["RelayState"] ?? "" }
  }
  return {
    entityId: settings.entityId,
    papers: settings.papers,
    metadata: provider.getMetadata(),
    readRequest,
    /** The response to such a request, as it is posted: signed as our metadata wants it. */
    respond: async (
      serviceProviderMetadata: string,
      address: string,
      tell: (asked: { readonly id: string; readonly acsUrl: string; readonly audience: string }) => Told
    ): Promise<{ readonly SAMLResponse: string; readonly RelayState: string }> => {
      const { asked, relayState } = await readRequest(serviceProviderMetadata, address)
      const receiver = ServiceProvider({ metadata: serviceProviderMetadata })
      const id = asked.extract["request"]?.["id"]
      if (typeof id !== "string") throw new Error("the request has no identifier")
      const response = await provider.createLoginResponse(
        receiver,
        { extract: asked.extract },
        "post",
        {},
        {
          customTagReplacement: () => ({
            id: "unused",
            context: responseXml(
              tell({
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
