import { createHmac, createPublicKey } from "node:crypto"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { responseXml, rsaSha256, signXml } from "./saml.fixture.ts"
import {
  keyPair,
  strangers,
  after,
  formats,
  responseContent,
  finish,
  asserted,
  refusal,
  signed,
  responseSigned,
  swap
} from "./sign-in.fixture.ts"
import { readXml, writeXml } from "./xml.ts"

describe("SAML signatures", () => {
  it("are reported as missing", async () => {
    expect(await refusal(responseXml(responseContent()))).toBe("signature_missing")
  })

  const evil = "root@acme.example"
  it.each([
    ["the NameID", (xml: string) => swap(xml, ">ada@acme.example<", `>${evil}<`)],
    ["the NameID's format", (xml: string) => swap(xml, formats.email, formats.persistent)],
    ["an attribute", (xml: string) => swap(xml, ">Ada<", ">Root<")],
    ["an attribute's name", (xml: string) => swap(xml, 'Name="givenName"', 'Name="email"')],
    [
      "the audience",
      (xml: string) =>
        swap(xml, "<saml:Audience>", "<saml:Audience>https://other.example</saml:Audience><saml:Audience>")
    ],
    [
      "the assertion's end",
      (xml: string) => swap(xml, /NotOnOrAfter="[^"]*">/, `NotOnOrAfter="${after(9000).toISOString()}">`)
    ],
    [
      "the assertion's ID",
      (xml: string) => xml.replaceAll('"_assertion"', '"_assertion2"').replace("#_assertion", "#_assertion2")
    ],
    ["the digest", (xml: string) => swap(xml, /<ds:DigestValue>..../, "<ds:DigestValue>AAAA")],
    ["the signature's value", (xml: string) => swap(xml, /<ds:SignatureValue>..../, "<ds:SignatureValue>AAAA")],
    [
      "the digest, with a comment in it",
      (xml: string) =>
        swap(swap(xml, ">ada@acme.example<", `>${evil}<`), "<ds:DigestValue>", "<ds:DigestValue><!--AAAA-->")
    ]
  ] as ReadonlyArray<[string, (xml: string) => string]>)("do not hold when %s was changed", async (_case, change) => {
    expect(await refusal(change(signed({ attributes: { givenName: ["Ada"] } })))).toBe("signature_invalid")
    expect(await refusal(change(signXml(signed({ attributes: { givenName: ["Ada"] } }), "response", keyPair)))).toBe(
      "signature_invalid"
    )
  })

  it("are invalid when a signed response was changed around a signed assertion", async () => {
    const xml = signXml(signed(), "response", keyPair)
    expect(await refusal(swap(xml, /IssueInstant="[^"]*"/, `IssueInstant="${after(1).toISOString()}"`))).toBe(
      "signature_invalid"
    )
  })

  it("are invalid when made with another key, whatever certificate is attached", async () => {
    expect(await refusal(signXml(responseXml(responseContent()), "assertion", strangers))).toBe("signature_invalid")
    const pretended = { privateKey: strangers.privateKey, certificate: keyPair.certificate }
    expect(await refusal(signXml(responseXml(responseContent()), "assertion", pretended))).toBe("signature_invalid")
    // A valid one does not make up for an invalid one.
    expect(await refusal(signXml(signed(), "response", strangers))).toBe("signature_invalid")
    const inner = signXml(responseXml(responseContent()), "assertion", strangers)
    expect(await refusal(signXml(inner, "response", keyPair))).toBe("signature_invalid")
  })

  it("are rejected with weak algorithms, even when valid", async () => {
    const sha1 = signXml(responseXml(responseContent()), "assertion", keyPair, {
      algorithm: "http://www.w3.org/2000/09/xmldsig#rsa-sha1"
    })
    expect(await finish(sha1)).toMatchObject({
      failure: { code: "signature_invalid", message: expect.stringContaining("rsa-sha1") }
    })
    const digest = swap(signed(), "http://www.w3.org/2001/04/xmlenc#sha256", "http://www.w3.org/2000/09/xmldsig#sha1")
    expect(await finish(digest)).toMatchObject({
      failure: {
        code: "signature_invalid",
        message: expect.stringContaining("digest method uses an algorithm that is not allowed")
      }
    })
  })

  it("are rejected with a shared secret", async () => {
    for (const hash of ["sha1", "sha256"]) {
      const method =
        hash === "sha1"
          ? "http://www.w3.org/2000/09/xmldsig#hmac-sha1"
          : "http://www.w3.org/2001/04/xmldsig-more#hmac-sha256"
      const xml = signed({ nameId: "root@acme.example" }).replace(rsaSha256, method)
      const info = /<ds:SignedInfo>.*<\/ds:SignedInfo>/s.exec(xml)?.[0] ?? ""
      const canonical = writeXml(
        readXml(info.replace("<ds:SignedInfo>", '<ds:SignedInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#">'))
      )
      for (const secret of [
        keyPair.certificate,
        createPublicKey(keyPair.certificate).export({ format: "pem", type: "spki" })
      ]) {
        const value = createHmac(hash, secret).update(canonical).digest("base64")
        // oxlint-disable-next-line no-await-in-loop -- each is checked individually
        expect(await refusal(swap(xml, /<ds:SignatureValue>[^<]*/, `<ds:SignatureValue>${value}`))).toBe(
          "signature_invalid"
        )
      }
    }
  })

  const enveloped = "http://www.w3.org/2000/09/xmldsig#enveloped-signature"
  const excC14n = "http://www.w3.org/2001/10/xml-exc-c14n#"
  it.each([
    ["inclusive canonicalization", [enveloped, "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"]],
    ["comments", [enveloped, `${excC14n}WithComments`]],
    ["only canonicalization", [excC14n]],
    ["no canonicalization", [enveloped]],
    ["reversed order", [excC14n, enveloped]],
    ["an additional one", [enveloped, excC14n, excC14n]]
  ])("are rejected with %s as transforms", async (_case, transforms) => {
    expect(await finish(signXml(responseXml(responseContent()), "assertion", keyPair, { transforms }))).toMatchObject({
      failure: { code: "signature_invalid", message: expect.stringMatching(/ransform/) }
    })
  })

  it.each([
    [
      "XSLT",
      '<ds:Transform Algorithm="http://www.w3.org/TR/1999/REC-xslt-19991116"><xsl:stylesheet xmlns:xsl="http://www.w3.org/1999/XSL/Transform"/></ds:Transform>'
    ],
    [
      "XPath",
      '<ds:Transform Algorithm="http://www.w3.org/TR/1999/REC-xpath-19991116"><ds:XPath>not(self::saml:NameID)</ds:XPath></ds:Transform>'
    ],
    ["base64", '<ds:Transform Algorithm="http://www.w3.org/2000/09/xmldsig#base64"/>']
  ])("are rejected with %s as a transform", async (_case, transform) => {
    const in_ = (from: string | RegExp) => swap(signed(), from, transform)
    expect(await refusal(in_(/<ds:Transform Algorithm="[^"]*exc-c14n#"\/>/))).toBe("signature_invalid")
    expect(await refusal(in_(/<ds:Transform Algorithm="[^"]*enveloped-signature"\/>/))).toBe("signature_invalid")
  })

  it.each([
    [
      "two SignedInfo",
      (xml: string) => {
        const info = /<ds:SignedInfo>.*<\/ds:SignedInfo>/s.exec(xml)?.[0] ?? ""
        return swap(xml, info, info + info)
      }
    ],
    [
      "two references",
      (xml: string) => {
        const reference = /<ds:Reference .*<\/ds:Reference>/s.exec(xml)?.[0] ?? ""
        return swap(xml, reference, reference + reference)
      }
    ],
    [
      "two digests",
      (xml: string) => {
        const digest = /<ds:DigestValue>.*<\/ds:DigestValue>/s.exec(xml)?.[0] ?? ""
        return swap(xml, digest, digest + digest)
      }
    ],
    ["no reference to an element", (xml: string) => swap(xml, /URI="[^"]*"/, 'URI=""')],
    ["a reference by XPointer", (xml: string) => swap(xml, 'URI="#_assertion"', `URI="#xpointer(id('_assertion'))"`)],
    ["a reference elsewhere", (xml: string) => swap(xml, 'URI="#_assertion"', 'URI="https://evil.example/a.xml"')],
    ["an Object element", (xml: string) => swap(xml, "</ds:Signature>", "<ds:Object/></ds:Signature>")],
    [
      "a truncated method",
      (xml: string) =>
        swap(
          xml,
          /<ds:SignatureMethod ([^>]*)\/>/,
          `<ds:SignatureMethod Algorithm="${rsaSha256}"><ds:HMACOutputLength>8</ds:HMACOutputLength></ds:SignatureMethod>`
        )
    ],
    [
      "two signatures",
      (xml: string) => {
        const signature = /<ds:Signature .*<\/ds:Signature>/s.exec(xml)?.[0] ?? ""
        return swap(xml, signature, signature + signature)
      }
    ],
    ["a duplicate ID", (xml: string) => swap(xml, "<samlp:Status>", '<samlp:Status ID="_assertion">')],
    ["a duplicate ID in another case", (xml: string) => swap(xml, "<samlp:Status>", '<samlp:Status Id="_assertion">')],
    ["no ID", (xml: string) => swap(xml, ' ID="_assertion"', "")]
  ])("are rejected with %s", async (_case, change) => {
    expect(await refusal(change(signed()))).toBe("signature_invalid")
  })
})

describe("SAML signature wrapping", () => {
  const evil = "root@acme.example"
  const own = signed()
  const signature = /<ds:Signature .*<\/ds:Signature>/s.exec(own)?.[0] ?? ""
  const assertion = /<saml:Assertion.*<\/saml:Assertion>/s.exec(own)?.[0] ?? ""
  const bare = assertion.replace(signature, "")
  const forged = bare.replace(">ada@acme.example<", `>${evil}<`)
  const renamed = forged.replace('"_assertion"', '"_evil"')
  const put = (text: string) => swap(own, assertion, text)

  const whole = responseSigned()
  const wholeSignature = /<ds:Signature .*<\/ds:Signature>/s.exec(whole)?.[0] ?? ""
  const bareWhole = whole.replace(wholeSignature, "")
  const forgedWhole = bareWhole
    .replace(">ada@acme.example<", `>${evil}<`)
    .replace('"_response"', '"_evil"')
    .replace('"_assertion"', '"_evil_assertion"')
  const withSignature = (of: string) => swap(forgedWhole, "<samlp:Status>", `${of}<samlp:Status>`)
  const inSignature = (of: string, inner: string) => swap(of, "</ds:Signature>", `${inner}</ds:Signature>`)

  it.each([
    ["1: the response within the signature", () => withSignature(inSignature(wholeSignature, bareWhole))],
    ["2: the response beside the signature", () => withSignature(bareWhole + wholeSignature)],
    ["3: the assertion behind another", () => put(renamed + assertion)],
    [
      "4: the assertion within another",
      () => put(renamed.replace("</saml:Assertion>", `${assertion}</saml:Assertion>`))
    ],
    [
      "5: the signature in another, the assertion behind",
      () => put(renamed.replace("</saml:Issuer>", `</saml:Issuer>${signature}`) + bare)
    ],
    [
      "6: the assertion within the signature in another",
      () => put(renamed.replace("</saml:Issuer>", `</saml:Issuer>${inSignature(signature, bare)}`))
    ],
    [
      "7: another with the same identifier in an extension",
      () => swap(own, "<samlp:Status>", `<samlp:Extensions>${forged}</samlp:Extensions><samlp:Status>`)
    ],
    [
      "8: the assertion in an object of the signature in another",
      () =>
        put(
          renamed.replace("</saml:Issuer>", `</saml:Issuer>${inSignature(signature, `<ds:Object>${bare}</ds:Object>`)}`)
        )
    ],
    [
      "8: the assertion in an Object of the signature in another",
      () => put(assertion.replace("</ds:Signature>", `<ds:Object>${renamed}</ds:Object></ds:Signature>`))
    ],
    ["a copy in an extension, renamed", () => put(`<samlp:Extensions>${assertion}</samlp:Extensions>${renamed}`)],
    [
      "a detached signature over a copy in the status",
      () =>
        put(renamed.replace("</saml:Issuer>", `</saml:Issuer>${signature}`)).replace(
          "<samlp:Status>",
          `<samlp:Status>${bare}`
        )
    ],
    [
      "a copy in another namespace",
      () =>
        put(`${renamed.replaceAll("saml:", "x:").replace("<x:Assertion", '<x:Assertion xmlns:x="urn:x"')}${assertion}`)
    ]
  ])("is rejected: %s", async (_case, make) => {
    const xml = make()
    expect(xml).toContain(evil)
    expect(["signature_invalid", "response_invalid", "signature_missing"]).toContain(await refusal(xml))
  })

  it("is rejected as a response within an extension", async () => {
    const inner = "<samlp:Extensions><samlp:Response/></samlp:Extensions>"
    expect(await refusal(swap(own, "<samlp:Status>", `${inner}<samlp:Status>`))).toBe("signature_invalid")
  })

  it("rejects a modified signed response, or returns the same content as before", async () => {
    const good = await asserted(own)
    const inside = own.indexOf("<saml:Assertion")
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.record({ from: fc.nat(own.length - 1), cut: fc.nat(3), put: fc.string({ maxLength: 3 }) }),
          fc.record({
            from: fc.integer({ min: inside, max: own.length - 1 }),
            cut: fc.constant(0),
            put: fc.constantFrom("<!---->", "<![CDATA[x]]>", "&#x20;", "\n", "<a/>", 'ID="_x"', evil)
          }),
          fc.record({
            from: fc.nat(own.length - 1),
            cut: fc.nat(400),
            put: fc.constantFrom("", renamed, signature, assertion)
          })
        ),
        async ({ from, cut, put: text }) => {
          const result = await finish(own.slice(0, from) + text + own.slice(from + cut))
          if (result._tag === "Success") expect(result.success).toEqual(good)
        }
      ),
      { numRuns: 400 }
    )
  })
})
