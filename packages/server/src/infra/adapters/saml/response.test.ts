import { describe, expect, it } from "vitest"
import { base64Of, encryptXml, escaped, responseXml, signXml } from "./saml.fixture.ts"
import {
  provider,
  idpEntityId,
  keyPair,
  newKeyPair,
  requestId,
  after,
  formats,
  responseContent,
  finishRaw,
  finish,
  asserted,
  refusal,
  signed,
  responseSigned,
  swap
} from "./sign-in.fixture.ts"

describe("a valid SAML response", () => {
  it("returns the subject, the email address and the time until which it can be replayed", async () => {
    expect(await asserted(signed())).toEqual({
      subject: "ada@acme.example",
      email: "ada@acme.example",
      emailVerified: null,
      name: null,
      assertionId: "_assertion",
      usableUntil: after(360)
    })
  })

  it.each([
    ["only the assertion is signed", () => signed()],
    ["only the response is signed", () => responseSigned()],
    ["both are signed", () => signXml(signed(), "response", keyPair)],
    [
      "it is signed with SHA-512",
      () =>
        signXml(responseXml(responseContent()), "assertion", keyPair, {
          algorithm: "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512"
        })
    ],
    [
      "it has an XML declaration, a byte order mark and surrounding space",
      () => `\ufeff<?xml version="1.0" encoding="UTF-8"?>\r\n${signed()}\n`
    ],
    [
      "it has other line ends",
      () => signXml(swap(responseXml(responseContent()), /></g, ">\n<"), "assertion", keyPair).replaceAll("\n", "\r\n")
    ],
    ["a comment is outside the signed part", () => swap(signed(), "<samlp:Status>", "<!-- hello --><samlp:Status>")],
    [
      "the response has no Destination and no Issuer",
      () => swap(swap(signed(), / Destination="[^"]*"/, ""), /<saml:Issuer>[^<]*<\/saml:Issuer>/, "")
    ]
  ])("is accepted when %s", async (_case, make) => {
    expect(await asserted(make())).toMatchObject({ subject: "ada@acme.example", assertionId: "_assertion" })
  })

  it("is read with any namespace prefixes", async () => {
    const xml = responseXml(responseContent())
      .replaceAll("saml:", "a:")
      .replaceAll("xmlns:saml=", "xmlns:a=")
      .replaceAll("samlp:", "b:")
      .replaceAll("xmlns:samlp=", "xmlns:b=")
    expect(await asserted(signXml(xml, "assertion", keyPair))).toMatchObject({ subject: "ada@acme.example" })
  })

  it("is read with a default namespace, as AD FS and Entra write it", async () => {
    const xml = responseXml(responseContent())
      .replace(' xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"', "")
      .replace("<saml:Assertion", '<saml:Assertion xmlns="urn:oasis:names:tc:SAML:2.0:assertion"')
      .replace("<saml:Issuer>", '<saml:Issuer xmlns="urn:oasis:names:tc:SAML:2.0:assertion">')
      .replaceAll(/(<\/?)saml:/g, "$1")
    expect(await asserted(signXml(xml, "assertion", keyPair, { prefix: "" }))).toMatchObject({
      subject: "ada@acme.example"
    })
    expect(await asserted(signXml(xml, "response", keyPair, { prefix: "" }))).toMatchObject({
      subject: "ada@acme.example"
    })
  })

  it("is accepted with any of the current certificates, and with no removed one", async () => {
    const byNew = signXml(responseXml(responseContent()), "assertion", newKeyPair)
    const rolling = { certificates: [keyPair.certificate, newKeyPair.certificate] }
    expect(await asserted(signed(), rolling)).toMatchObject({ subject: "ada@acme.example" })
    expect(await asserted(byNew, rolling)).toMatchObject({ subject: "ada@acme.example" })
    expect(await refusal(signed(), { certificates: [newKeyPair.certificate] })).toBe("signature_invalid")
    expect(await refusal(signed(), { certificates: [] })).toBe("signature_invalid")
  })

  it("is accepted with an expired certificate, because only its key is trusted", async () => {
    const late = new Date("2060-01-01T00:00:00.000Z")
    const ends = { notOnOrAfter: late, confirmedUntil: late, sessionUntil: late }
    expect(await asserted(signed(ends), {}, late)).toMatchObject({ subject: "ada@acme.example" })
  })

  it("may be as long as the limit, and no longer", async () => {
    const filled = (length: number) => signed({ attributes: { filling: ["x".repeat(length)] } })
    const most = (262_144 / 4) * 3 - filled(1).length
    expect(await asserted(filled(most))).toMatchObject({ subject: "ada@acme.example" })
    expect(await refusal(filled(most + 4))).toBe("response_invalid")
  })
})

describe("the person in a SAML response", () => {
  it.each([
    ["a persistent NameID", { nameId: "8f1c-22", format: formats.persistent }, "8f1c-22", null],
    [
      "an email address with the persistent format",
      { nameId: "ada@acme.example", format: formats.persistent },
      "ada@acme.example",
      "ada@acme.example"
    ],
    ["a NameID without a format", { nameId: "ada", format: undefined }, "ada", null],
    [
      "a NameID with the unspecified format",
      { nameId: " ada@acme.example\n", format: formats.unspecified },
      "ada@acme.example",
      "ada@acme.example"
    ]
  ])("is read from %s", async (_case, changes, subject, email) => {
    expect(await asserted(signed(changes))).toMatchObject({ subject, email })
  })

  it.each([
    "email",
    "mail",
    "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress",
    "urn:oid:0.9.2342.19200300.100.1.3"
  ])("has the email address of the attribute %s rather than the NameID", async (attribute) => {
    const xml = signed({
      attributes: { groups: ["a", "b"], [attribute]: ["", "other@acme.example", "third@acme.example"] }
    })
    expect(await asserted(xml)).toMatchObject({ subject: "ada@acme.example", email: "other@acme.example" })
  })

  it("has the email address of the configured attribute only", async () => {
    const configured = { attributes: { email: "work", name: null } }
    const xml = signed({ attributes: { email: ["no@acme.example"], work: ["yes@acme.example"] } })
    expect(await asserted(xml, configured)).toMatchObject({ email: "yes@acme.example" })
    expect(await asserted(signed({ attributes: { email: ["no@acme.example"] } }), configured)).toMatchObject({
      email: null
    })
  })

  it.each([
    [{ displayName: ["Ada Lovelace"], givenName: ["A."] }, null, "Ada Lovelace"],
    [{ name: ["Ada Lovelace"] }, null, "Ada Lovelace"],
    [{ givenName: ["Ada"], sn: ["Lovelace"] }, null, "Ada Lovelace"],
    [{ "urn:oid:2.5.4.42": ["Ada"] }, null, "Ada"],
    [{ name: ["Other"], called: ["Ada &amp; Co"] }, "called", "Ada & Co"],
    [{ name: ["Other"] }, "called", null],
    [{ name: ["x".repeat(256)] }, null, null]
  ])("has a name from %j", async (attributes, name, expected) => {
    expect(await asserted(signed({ attributes }), { attributes: { email: null, name } })).toMatchObject({
      name: expected
    })
  })

  it("has the stable ID of an attribute when the NameID is transient, or is rejected", async () => {
    const transient = { nameId: "_k3j4", format: formats.transient }
    const xml = signed({ ...transient, attributes: { "urn:oasis:names:tc:SAML:attribute:subject-id": ["ada@acme"] } })
    expect(await asserted(xml)).toMatchObject({ subject: "ada@acme", email: null })
    expect(await refusal(signed({ ...transient, attributes: { mail: ["ada@acme.example"] } }))).toBe("subject_missing")
  })

  it.each([
    ["empty", () => signed({ nameId: "" })],
    ["blank", () => signed({ nameId: " \n " })],
    [
      "absent",
      () => signXml(swap(responseXml(responseContent()), /<saml:NameID.*<\/saml:NameID>/, ""), "assertion", keyPair)
    ],
    [
      "two",
      () =>
        signXml(
          swap(responseXml(responseContent()), "</saml:NameID>", "</saml:NameID><saml:NameID>root</saml:NameID>"),
          "assertion",
          keyPair
        )
    ],
    ["an element", () => signed({ nameId: "<saml:X>ada</saml:X>" })],
    ["too long", () => signed({ nameId: "x".repeat(513), format: formats.persistent })]
  ])("is rejected when the NameID is %s", async (_case, make) => {
    expect(await refusal(make())).toBe("subject_missing")
  })

  it("has a complete NameID when it contains a comment or a CDATA section", async () => {
    for (const between of ["<!---->", "<!-- x -->", "<![CDATA[]]>"]) {
      const nameId = `ada@acme.example${between}.evil.example`
      // oxlint-disable-next-line no-await-in-loop -- each is checked individually
      expect(await asserted(signed({ nameId }))).toMatchObject({
        subject: "ada@acme.example.evil.example",
        email: "ada@acme.example.evil.example"
      })
      // Inserted afterwards, it is not signed: the canonical form has no comments.
      const later = swap(
        signed({ nameId: "ada@acme.example.evil.example" }),
        "ada@acme.example.evil",
        `ada@acme.example${between}.evil`
      )
      // oxlint-disable-next-line no-await-in-loop -- each is checked individually
      expect(await asserted(later)).toMatchObject({ subject: "ada@acme.example.evil.example" })
    }
  })
})

describe("a SAML response for another sign-in", () => {
  it.each([
    ["destination_mismatch", { destination: "https://plane.example/v1/sso/saml/sso_2/acs" }],
    ["destination_mismatch", { destination: "" }],
    ["destination_mismatch", { destination: `${provider.acsUrl}/` }],
    ["destination_mismatch", { recipient: "https://plane.example/v1/sso/saml/sso_2/acs" }],
    ["audience_mismatch", { audience: "https://plane.example/v1/sso/saml/sso_2/metadata" }],
    ["audience_mismatch", { audience: "" }],
    ["response_unsolicited", { inResponseTo: "_another-request" }],
    ["response_unsolicited", { inResponseTo: "" }],
    ["issuer_mismatch", { issuer: "https://idp.example/entity2" }],
    ["issuer_mismatch", { issuer: "https://IDP.example/entity" }]
  ] as const)("is rejected with %s for %j", async (code, changes) => {
    expect(await refusal(signed(changes))).toBe(code)
    expect(await refusal(responseSigned(changes))).toBe(code)
  })

  it.each([
    ["destination_mismatch", { destination: provider.acsUrl, recipient: "https://plane.example/other" }],
    ["response_unsolicited", { inResponseTo: "_another-request" }],
    ["issuer_mismatch", { issuer: "https://other.example/entity" }]
  ] as const)("is rejected with %s even when the response around the assertion is correct", async (code, changes) => {
    const xml = signed(changes)
    const around = xml
      .replace('InResponseTo="_another-request"', `InResponseTo="${requestId}"`)
      .replace("<saml:Issuer>https://other.example/entity</saml:Issuer>", `<saml:Issuer>${idpEntityId}</saml:Issuer>`)
    expect(await refusal(around)).toBe(code)
  })

  it.each([
    ["response_unsolicited", / InResponseTo="[^"]*"/, ' InResponseTo="_another-request"'],
    ["response_unsolicited", / InResponseTo="[^"]*"/, ""],
    ["destination_mismatch", / Destination="[^"]*"/, ' Destination="https://plane.example/other"'],
    ["issuer_mismatch", /<saml:Issuer>[^<]*/, "<saml:Issuer>https://other.example/entity"]
  ] as const)("is rejected with %s because of the response around the assertion: %s", async (code, from, to) => {
    expect(await refusal(swap(signed(), from, to))).toBe(code)
  })

  it("is rejected as unsolicited when it names no request", async () => {
    const without = (xml: string) => xml.replaceAll(/ InResponseTo="[^"]*"/g, "")
    expect(await refusal(signXml(without(responseXml(responseContent())), "assertion", keyPair))).toBe(
      "response_unsolicited"
    )
    const inner = swap(
      without(responseXml(responseContent())),
      'Version="2.0"',
      `Version="2.0" InResponseTo="${requestId}"`
    )
    expect(await refusal(signXml(inner, "assertion", keyPair))).toBe("response_unsolicited")
  })

  it("must have this service provider's audience in each restriction", async () => {
    const ours = `<saml:Audience>${escaped(provider.entityId)}</saml:Audience>`
    const with_ = (audiences: string) =>
      signXml(swap(responseXml(responseContent()), ours, audiences), "assertion", keyPair)
    const other = "<saml:Audience>https://other.example</saml:Audience>"
    const apart = "</saml:AudienceRestriction><saml:AudienceRestriction>"
    expect(await asserted(with_(other + ours))).toMatchObject({ subject: "ada@acme.example" })
    expect(await refusal(with_(ours + apart + other))).toBe("audience_mismatch")
    const none = swap(responseXml(responseContent()), /<saml:AudienceRestriction>.*<\/saml:AudienceRestriction>/, "")
    expect(await refusal(signXml(none, "assertion", keyPair))).toBe("audience_mismatch")
  })
})

describe("the validity period of a SAML response", () => {
  it.each([
    ["conditions", { notOnOrAfter: after(0) }],
    ["confirmation", { confirmedUntil: after(0) }],
    ["session", { sessionUntil: after(0) }]
  ])("ends a minute after the end of the %s", async (_case, changes) => {
    const xml = signed(changes)
    expect(await asserted(xml, {}, after(59.999))).toMatchObject({ subject: "ada@acme.example" })
    expect(await refusal(xml, {}, after(60))).toBe("expired")
  })

  it("starts a minute before the start of the conditions", async () => {
    const xml = signed({ notBefore: after(60) })
    expect(await asserted(xml)).toMatchObject({ subject: "ada@acme.example" })
    expect(await refusal(xml, {}, after(-0.001))).toBe("not_yet_valid")
  })

  it("determines how long a replay must be prevented: until the earlier end plus a minute", async () => {
    const xml = signed({ notOnOrAfter: after(500), confirmedUntil: after(20) })
    expect((await asserted(xml)).usableUntil).toEqual(after(80))
  })

  it.each([
    ["without a zone", "2031-05-06T07:10:00", true],
    ["in another zone", "2031-05-06T09:10:00+02:00", true],
    ["with a finer fraction", "2031-05-06T07:10:00.1234567Z", true],
    ["as a day", "2031-05-07", false],
    ["as text", "tomorrow", false],
    ["empty", "", false]
  ])("has times that may be written %s", async (_case, text, isGood) => {
    const xml = signXml(swap(responseXml(responseContent()), after(300).toISOString(), text), "assertion", keyPair)
    expect(await refusal(xml)).toEqual(
      isGood ? expect.objectContaining({ subject: "ada@acme.example" }) : "response_invalid"
    )
  })
})

describe("an incomplete SAML response", () => {
  const changed = (from: string | RegExp, to: string) => () =>
    signXml(swap(responseXml(responseContent()), from, to), "assertion", keyPair)

  it.each([
    ["has no status", changed(/<samlp:Status>.*<\/samlp:Status>/, "")],
    ["has no conditions", changed(/<saml:Conditions.*<\/saml:Conditions>/, "")],
    ["has conditions without an end", changed(/ NotOnOrAfter="[^"]*">/, ">")],
    ["has a confirmation without an end", changed(/Data NotOnOrAfter="[^"]*"/, "Data")],
    [
      "has two conditions",
      changed(
        "<saml:AuthnStatement",
        `<saml:Conditions NotOnOrAfter="${after(900).toISOString()}"/><saml:AuthnStatement`
      )
    ],
    [
      "has an unknown condition",
      changed("<saml:AudienceRestriction>", "<saml:Condition xsi:type='x'/><saml:AudienceRestriction>")
    ],
    ["has no confirmation", changed(/<saml:SubjectConfirmation .*<\/saml:SubjectConfirmation>/, "")],
    ["is confirmed by holder-of-key", changed("cm:bearer", "cm:holder-of-key")],
    ["has no authentication statement", changed(/<saml:AuthnStatement.*<\/saml:AuthnStatement>/, "")],
    ["has no subject", changed(/<saml:Subject>.*<\/saml:Subject>/, "")],
    ["is of another version", changed(/Version="2.0"/, 'Version="1.1"')],
    ["is another message", () => responseXml(responseContent()).replaceAll("samlp:Response", "samlp:ArtifactResponse")],
    [
      "is of another namespace",
      () => responseXml(responseContent()).replaceAll("SAML:2.0:protocol", "SAML:3.0:protocol")
    ],
    ["has an assertion of another namespace", changed('ID="_assertion"', 'ID="_assertion" xmlns:saml="urn:other"')],
    ["has no assertion", () => swap(responseXml(responseContent()), /<saml:Assertion.*<\/saml:Assertion>/, "")]
  ])("is rejected as response_invalid when it %s", async (_case, make) => {
    expect(await refusal(make())).toBe("response_invalid")
  })

  it("is rejected with two assertions, whichever is signed", async () => {
    const second =
      responseXml(responseContent({ assertionId: "_second", nameId: "root@acme.example" })).match(
        /<saml:Assertion.*<\/saml:Assertion>/
      )?.[0] ?? ""
    const before = swap(signed(), "<saml:Assertion", `${second}<saml:Assertion`)
    const behind = swap(signed(), "</saml:Assertion>", `</saml:Assertion>${second}`)
    const whole = signXml(
      swap(responseXml(responseContent()), "<saml:Assertion", `${second}<saml:Assertion`),
      "response",
      keyPair
    )
    for (const xml of [before, behind, whole]) {
      // oxlint-disable-next-line no-await-in-loop -- each is checked individually
      expect(await refusal(xml)).toBe("response_invalid")
    }
  })

  it("reports the status when the identity provider denied access", async () => {
    const failed = swap(
      swap(responseXml(responseContent()), /<saml:Assertion.*<\/saml:Assertion>/, ""),
      /<samlp:StatusCode[^>]*>/,
      '<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Responder"><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:AuthnFailed"/></samlp:StatusCode>'
    )
    expect(await finish(failed)).toMatchObject({
      failure: {
        code: "access_denied",
        message: expect.stringContaining("status:Responder / urn:oasis:names:tc:SAML:2.0:status:AuthnFailed")
      }
    })
    // Even with an assertion in it.
    expect(await refusal(swap(signed(), "status:Success", "status:Requester"))).toBe("access_denied")
  })

  it.each([
    ["nothing", ""],
    ["not base64", "<samlp:Response/>"],
    ["truncated base64", base64Of(signed()).slice(0, -1)],
    ["base64url", "-_-_"],
    ["not UTF-8", Buffer.from([0xff, 0xfe, 0x3c, 0x00]).toString("base64")],
    ["no XML", base64Of("hello")],
    ["truncated XML", base64Of(signed().slice(0, -3))],
    ["two documents", base64Of(signed() + signed())],
    ["followed by text", base64Of(`${signed()}x`)],
    ["XML with an undeclared prefix", base64Of("<samlp:Response/>")],
    ["too long", base64Of(`<a>${"x".repeat(300_000)}</a>`)]
  ])("is rejected as response_invalid when it is %s", async (_case, samlResponse) => {
    expect(await finishRaw(samlResponse)).toMatchObject({ failure: { code: "response_invalid" } })
  })

  it("is rejected as encrypted when the assertion is encrypted", async () => {
    expect(await refusal(await encryptXml(responseXml(responseContent()), keyPair, newKeyPair))).toBe(
      "assertion_encrypted"
    )
    expect(
      await refusal(signXml(await encryptXml(responseXml(responseContent()), keyPair, newKeyPair), "response", keyPair))
    ).toBe("assertion_encrypted")
    const subject = swap(responseXml(responseContent()), /<saml:NameID.*<\/saml:NameID>/, "<saml:EncryptedID/>")
    expect(await refusal(signXml(subject, "assertion", keyPair))).toBe("assertion_encrypted")
  })
})

describe("a SAML document made to be expensive, or to read files", () => {
  const bomb = `<!DOCTYPE r [<!ENTITY a "${"x".repeat(50)}"><!ENTITY b "${"&a;".repeat(50)}"><!ENTITY c "${"&b;".repeat(50)}">]>`
  it.each([
    ["nested entities", () => `${bomb}${swap(signed(), "ada@", "&c;@")}`],
    ["an external entity", () => `<!DOCTYPE r SYSTEM "file:///etc/passwd">${signed()}`],
    ["a document type only", () => `<!DOCTYPE r>${signed()}`],
    ["an undefined entity", () => swap(signed(), "ada@", "&ada;@")],
    ["a processing instruction", () => swap(signed(), "<samlp:Status>", "<?x y?><samlp:Status>")],
    [
      "a deep nest",
      () => swap(signed(), "<samlp:Status>", `${"<a>".repeat(10_000)}${"</a>".repeat(10_000)}<samlp:Status>`)
    ],
    ["too many elements", () => swap(signed(), "<samlp:Status>", `${"<a/>".repeat(10_000)}<samlp:Status>`)],
    [
      "too many attributes",
      () =>
        swap(
          signed(),
          "<samlp:Status>",
          `<a ${Array.from({ length: 5000 }, (_, index) => `a${index}=""`).join(" ")}/><samlp:Status>`
        )
    ],
    [
      "too many namespaces",
      () =>
        swap(
          signed(),
          "<samlp:Status>",
          `${Array.from({ length: 30 }, (_, index) => `<a xmlns:a${index}="u" xmlns:b${index}="u" xmlns:c${index}="u">`).join("")}${"</a>".repeat(30)}<samlp:Status>`
        )
    ],
    ["a duplicate attribute", () => swap(signed(), 'ID="_response"', 'ID="_response" ID="_other"')],
    [
      "a duplicate attribute with two prefixes",
      () => swap(signed(), "<samlp:Status>", '<a xmlns:p="u" xmlns:q="u" p:z="" q:z=""/><samlp:Status>')
    ],
    ["a character that XML does not allow", () => swap(signed(), "ada@", "ada&#0;@")]
  ])("is rejected with %s", async (_case, make) => {
    expect(await refusal(make())).toBe("response_invalid")
  })
})
