import { inflateRawSync } from "node:zlib"
import * as Effect from "effect/Effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeEcKeyPair, makeIdentityProvider, makeKeyPair, xmlOf } from "./saml.fixture.ts"
import {
  provider,
  idpEntityId,
  keyPair,
  newKeyPair,
  strangers,
  connection,
  requestId,
  at,
  responseContent,
  port,
  finishRaw
} from "./sign-in.fixture.ts"
import { elementsOf, readXml, writeXml, type XmlElement } from "./xml.ts"

describe("reading and writing XML", () => {
  const local = fc.constantFrom("a", "b", "Assertion", "Ünder_1.x")
  const text = fc.string({
    unit: fc.constantFrom("<", "&", ">", '"', "'", "]]>", "\n", "\t", "\r", " ", "é", "😀", "x")
  })
  const { tree } = fc.letrec<{ tree: XmlElement }>((tie) => ({
    tree: fc
      .record({
        prefix: fc.constantFrom("", "p"),
        local,
        attributes: fc.uniqueArray(fc.tuple(local, text), { maxLength: 3, selector: ([of]) => of }),
        children: fc.array(fc.oneof({ depthSize: "small", withCrossShrink: true }, text, tie("tree")), { maxLength: 4 })
      })
      .map(({ prefix, local: of, attributes, children }) => ({
        prefix,
        local: of,
        uri: prefix === "" ? "" : "urn:p",
        declarations: prefix === "" ? [] : [["p", "urn:p"] as const],
        attributes: attributes.map(([name, value]) => ({ prefix: "", local: name, uri: "", value })),
        // Adjacent texts are one, and an empty one is none.
        children: children.reduce<Array<XmlElement | string>>((joined, child) => {
          const last = joined.at(-1)
          if (typeof child !== "string") return [...joined, child]
          if (typeof last === "string") return [...joined.slice(0, -1), last + child]
          return child === "" ? joined : [...joined, child]
        }, [])
      }))
  }))

  it("reads a written document as it was", () => {
    fc.assert(
      fc.property(tree, (element) => {
        expect(readXml(writeXml(element))).toEqual(element)
      })
    )
  })

  it("counts elements, not texts", () => {
    expect(elementsOf(readXml("<a>x<b/>y<!-- z --><c/></a>")).map((element) => element.local)).toEqual(["b", "c"])
  })
})

describe("an identity provider's metadata", () => {
  const idp = makeIdentityProvider({ entityId: idpEntityId, ssoUrl: "https://idp.example/sso?tenant=1", keyPair })
  const read = (text: string) => port((saml) => saml.read(text))

  it("is read", async () => {
    expect(await read(idp.metadata)).toMatchObject({
      success: {
        idpEntityId,
        ssoUrl: "https://idp.example/sso?tenant=1",
        certificates: [keyPair.certificate]
      }
    })
  })

  const key = (of: string, use = ' use="signing"') =>
    `<md:KeyDescriptor${use}><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>\n${of.replace(/-----[A-Z ]+-----/g, "")}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`
  const redirect =
    '<md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://idp.example/sso"/>'
  const entity = (inner: string, id = idpEntityId) =>
    `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${id}"><md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">${inner}</md:IDPSSODescriptor></md:EntityDescriptor>`
  const many = (...inner: ReadonlyArray<string>) =>
    `<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata">${inner.join("")}</md:EntitiesDescriptor>`
  const sp =
    '<md:EntityDescriptor entityID="https://sp.example"><md:SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"/></md:EntityDescriptor>'

  it("is read from several entities, with each signing certificate once", async () => {
    const keys =
      key(keyPair.certificate) +
      key(newKeyPair.certificate, "") +
      key(keyPair.certificate) +
      key(strangers.certificate, ' use="encryption"')
    expect(await read(many(sp, many(entity(keys + redirect))))).toMatchObject({
      success: { certificates: [keyPair.certificate, newKeyPair.certificate] }
    })
  })

  it("omits keys of other types when there is a supported one", async () => {
    const elliptic = key(makeEcKeyPair("ec").certificate)
    expect(await read(entity(elliptic + key(keyPair.certificate) + redirect))).toMatchObject({
      success: { certificates: [keyPair.certificate] }
    })
    expect(await read(entity(elliptic + redirect))).toMatchObject({ failure: { _tag: "SamlMetadataInvalid" } })
  })

  const good = key(keyPair.certificate) + redirect
  it.each([
    ["empty", ""],
    ["no XML", "hello"],
    ["HTML", "<!doctype html><html></html>"],
    ["with a document type", `<!DOCTYPE x [<!ENTITY e "x">]>${entity(good)}`],
    ["too long", entity(good + " ".repeat(262_144))],
    ["of a service provider", many(sp)],
    ["of two", many(entity(good), entity(good, "https://other.example"))],
    ["without an entity ID", entity(good, "")],
    ["of SAML 1", entity(good).replace("SAML:2.0:protocol", "SAML:1.1:protocol")],
    ["without a certificate", entity(redirect)],
    ["with an invalid certificate", entity(key("AAAA") + redirect)],
    ["without an SSO URL", entity(key(keyPair.certificate))],
    ["with an SSO URL for POST only", entity(good).replace("HTTP-Redirect", "HTTP-POST")],
    ["with an SSO URL that is a script", entity(good).replace("https://idp.example/sso", "javascript:alert(1)")],
    [
      "with an SSO URL that has a password",
      entity(good).replace("https://idp.example/sso", "https://a:b@idp.example/sso")
    ]
  ])("is rejected when it is %s", async (_case, text) => {
    expect(await read(text)).toMatchObject({ failure: { _tag: "SamlMetadataInvalid" } })
  })
})

describe("a SAML certificate", () => {
  const readCertificate = (text: string) => port((saml) => saml.readCertificate(text))

  it("is read as PEM and as base64, with any line ends", async () => {
    const base64 = keyPair.certificate.replace(/-----[A-Z ]+-----|\n/g, "")
    for (const text of [keyPair.certificate, keyPair.certificate.replaceAll("\n", "\r\n"), base64, `  ${base64}\n`]) {
      // oxlint-disable-next-line no-await-in-loop -- each is read by itself
      expect(await readCertificate(text)).toMatchObject({
        success: {
          pem: keyPair.certificate,
          sha256: expect.stringMatching(/^[\da-f]{64}$/),
          subject: "CN=one",
          notBefore: new Date("2020-01-01T00:00:00Z"),
          notAfter: new Date("2049-01-01T00:00:00Z")
        }
      })
    }
  })

  it.each([
    ["empty", ""],
    ["a private key", keyPair.privateKey],
    ["two", keyPair.certificate + newKeyPair.certificate],
    ["invalid base64", "-----BEGIN CERTIFICATE-----\n???\n-----END CERTIFICATE-----"],
    ["for an elliptic curve key", makeEcKeyPair("ec").certificate],
    ["for a short key", makeKeyPair("short", 1024).certificate],
    ["endless", "A".repeat(20_000)]
  ])("is rejected when it is %s, without repeating it", async (_case, text) => {
    const result = await readCertificate(text)
    expect(result).toMatchObject({ failure: { _tag: "SamlMetadataInvalid" } })
    if (text !== "" && result._tag === "Failure") expect(result.failure.message).not.toContain(text.slice(30, 60))
  })
})

describe("a SAML request", () => {
  it("is sent by redirect, with issuer, ACS URL and ID", async () => {
    const result = await port((saml) =>
      saml.begin(
        provider,
        { ...connection, ssoUrl: "https://idp.example/sso?tenant=a%20b" },
        { id: requestId, relayState: "state&more=1", at }
      )
    )
    const address = new URL(result._tag === "Success" ? result.success : "")
    expect(address.origin + address.pathname).toBe("https://idp.example/sso")
    expect(address.searchParams.get("tenant")).toBe("a b")
    expect(address.searchParams.get("RelayState")).toBe("state&more=1")
    const xml = inflateRawSync(Buffer.from(address.searchParams.get("SAMLRequest") ?? "", "base64")).toString("utf8")
    const request = readXml(xml)
    expect(Object.fromEntries(request.attributes.map((one) => [one.local, one.value]))).toEqual({
      ID: requestId,
      Version: "2.0",
      IssueInstant: at.toISOString(),
      Destination: "https://idp.example/sso?tenant=a%20b",
      ProtocolBinding: "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST",
      AssertionConsumerServiceURL: provider.acsUrl
    })
    expect(elementsOf(request).map((one) => [one.local, ...one.children])).toEqual([
      ["Issuer", provider.entityId],
      ["NameIDPolicy"]
    ])
  })

  it("is not created for an invalid SSO URL", async () => {
    const result = await port((saml) =>
      saml.begin(provider, { ...connection, ssoUrl: "nowhere" }, { id: requestId, relayState: "s", at })
    )
    expect(result).toMatchObject({ failure: { code: "provider_invalid" } })
  })

  it("is accepted by an identity provider that read the metadata, whose response is accepted too", async () => {
    const idp = makeIdentityProvider({ entityId: idpEntityId, ssoUrl: connection.ssoUrl, keyPair })
    const ours = await port((saml) => Effect.succeed(saml.metadata(provider)))
    const begun = await port((saml) => saml.begin(provider, connection, { id: requestId, relayState: "state", at }))
    if (ours._tag === "Failure" || begun._tag === "Failure") throw new Error("nothing was begun")
    const posted = await idp.respond(ours.success, begun.success, (request) =>
      responseContent({
        inResponseTo: request.id,
        audience: request.audience,
        destination: request.acsUrl,
        recipient: request.acsUrl
      })
    )
    expect(posted.RelayState).toBe("state")
    expect(xmlOf(posted.SAMLResponse)).toContain(`InResponseTo="${requestId}"`)
    expect(await finishRaw(posted.SAMLResponse)).toMatchObject({ success: { subject: "ada@acme.example" } })
  })
})
