import { describe, expect, it } from "vitest"
import { base64Of, encryptXml, escaped, responseXml, signXml } from "./saml.fixture.ts"
import {
  provider,
  idpEntityId,
  papers,
  newPapers,
  requestId,
  after,
  formats,
  tell,
  finishRaw,
  finish,
  asserted,
  refusal,
  signed,
  responseSigned,
  swap
} from "./sign-in.fixture.ts"

describe("a response that is good", () => {
  it("names the subject, the address and how long the assertion could be used", async () => {
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
    ["the assertion alone is signed", () => signed()],
    ["the response alone is signed", () => responseSigned()],
    ["both are signed", () => signXml(signed(), "response", papers)],
    [
      "it is signed by SHA-512",
      () =>
        signXml(responseXml(tell()), "assertion", papers, {
          algorithm: "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512"
        })
    ],
    [
      "it has a declaration, a byte order mark and space around it",
      () => `\ufeff<?xml version="1.0" encoding="UTF-8"?>\r\n${signed()}\n`
    ],
    [
      "it is written with line ends of another machine",
      () => signXml(swap(responseXml(tell()), /></g, ">\n<"), "assertion", papers).replaceAll("\n", "\r\n")
    ],
    [
      "a comment stands outside of what is signed",
      () => swap(signed(), "<samlp:Status>", "<!-- hello --><samlp:Status>")
    ],
    [
      "the response says no Destination and no Issuer",
      () => swap(swap(signed(), / Destination="[^"]*"/, ""), /<saml:Issuer>[^<]*<\/saml:Issuer>/, "")
    ]
  ])("is taken when %s", async (_case, make) => {
    expect(await asserted(make())).toMatchObject({ subject: "ada@acme.example", assertionId: "_assertion" })
  })

  it("is read whatever prefixes it uses", async () => {
    const xml = responseXml(tell())
      .replaceAll("saml:", "a:")
      .replaceAll("xmlns:saml=", "xmlns:a=")
      .replaceAll("samlp:", "b:")
      .replaceAll("xmlns:samlp=", "xmlns:b=")
    expect(await asserted(signXml(xml, "assertion", papers))).toMatchObject({ subject: "ada@acme.example" })
  })

  it("is read with namespaces that no prefix names, as AD FS and Entra write it", async () => {
    const xml = responseXml(tell())
      .replace(' xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"', "")
      .replace("<saml:Assertion", '<saml:Assertion xmlns="urn:oasis:names:tc:SAML:2.0:assertion"')
      .replace("<saml:Issuer>", '<saml:Issuer xmlns="urn:oasis:names:tc:SAML:2.0:assertion">')
      .replaceAll(/(<\/?)saml:/g, "$1")
    expect(await asserted(signXml(xml, "assertion", papers, { prefix: "" }))).toMatchObject({
      subject: "ada@acme.example"
    })
    expect(await asserted(signXml(xml, "response", papers, { prefix: "" }))).toMatchObject({
      subject: "ada@acme.example"
    })
  })

  it("is taken by any of the certificates that are kept, and by none that was taken away", async () => {
    const byNew = signXml(responseXml(tell()), "assertion", newPapers)
    const rolling = { certificates: [papers.certificate, newPapers.certificate] }
    expect(await asserted(signed(), rolling)).toMatchObject({ subject: "ada@acme.example" })
    expect(await asserted(byNew, rolling)).toMatchObject({ subject: "ada@acme.example" })
    expect(await refusal(signed(), { certificates: [newPapers.certificate] })).toBe("signature_invalid")
    expect(await refusal(signed(), { certificates: [] })).toBe("signature_invalid")
  })

  it("is taken by a certificate that is over: it names a key, and is trusted by being kept", async () => {
    const late = new Date("2060-01-01T00:00:00.000Z")
    const ends = { notOnOrAfter: late, confirmedUntil: late, sessionUntil: late }
    expect(await asserted(signed(ends), {}, late)).toMatchObject({ subject: "ada@acme.example" })
  })

  it("may be as long as the bound, and no longer", async () => {
    const filled = (length: number) => signed({ attributes: { filling: ["x".repeat(length)] } })
    const most = (262_144 / 4) * 3 - filled(1).length
    expect(await asserted(filled(most))).toMatchObject({ subject: "ada@acme.example" })
    expect(await refusal(filled(most + 4))).toBe("response_invalid")
  })
})

describe("whom a response names", () => {
  it.each([
    ["a persistent name", { nameId: "8f1c-22", format: formats.persistent }, "8f1c-22", null],
    [
      "an address under a persistent format",
      { nameId: "ada@acme.example", format: formats.persistent },
      "ada@acme.example",
      "ada@acme.example"
    ],
    ["a name of no said format", { nameId: "ada", format: undefined }, "ada", null],
    [
      "a name of unspecified format",
      { nameId: " ada@acme.example\n", format: formats.unspecified },
      "ada@acme.example",
      "ada@acme.example"
    ]
  ])("by %s", async (_case, changes, subject, email) => {
    expect(await asserted(signed(changes))).toMatchObject({ subject, email })
  })

  it.each([
    "email",
    "mail",
    "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress",
    "urn:oid:0.9.2342.19200300.100.1.3"
  ])("with the address of the attribute %s rather than of the name", async (attribute) => {
    const xml = signed({
      attributes: { groups: ["a", "b"], [attribute]: ["", "other@acme.example", "third@acme.example"] }
    })
    expect(await asserted(xml)).toMatchObject({ subject: "ada@acme.example", email: "other@acme.example" })
  })

  it("with the address of the attribute that is configured, and no other", async () => {
    const told = { attributes: { email: "work", name: null } }
    const xml = signed({ attributes: { email: ["no@acme.example"], work: ["yes@acme.example"] } })
    expect(await asserted(xml, told)).toMatchObject({ email: "yes@acme.example" })
    expect(await asserted(signed({ attributes: { email: ["no@acme.example"] } }), told)).toMatchObject({ email: null })
  })

  it.each([
    [{ displayName: ["Ada Lovelace"], givenName: ["A."] }, null, "Ada Lovelace"],
    [{ name: ["Ada Lovelace"] }, null, "Ada Lovelace"],
    [{ givenName: ["Ada"], sn: ["Lovelace"] }, null, "Ada Lovelace"],
    [{ "urn:oid:2.5.4.42": ["Ada"] }, null, "Ada"],
    [{ name: ["Other"], called: ["Ada &amp; Co"] }, "called", "Ada & Co"],
    [{ name: ["Other"] }, "called", null],
    [{ name: ["x".repeat(256)] }, null, null]
  ])("with the name of %j", async (attributes, name, expected) => {
    expect(await asserted(signed({ attributes }), { attributes: { email: null, name } })).toMatchObject({
      name: expected
    })
  })

  it("by a lasting attribute where the name is another each time, or not at all", async () => {
    const transient = { nameId: "_k3j4", format: formats.transient }
    const xml = signed({ ...transient, attributes: { "urn:oasis:names:tc:SAML:attribute:subject-id": ["ada@acme"] } })
    expect(await asserted(xml)).toMatchObject({ subject: "ada@acme", email: null })
    expect(await refusal(signed({ ...transient, attributes: { mail: ["ada@acme.example"] } }))).toBe("subject_missing")
  })

  it.each([
    ["empty", () => signed({ nameId: "" })],
    ["blank", () => signed({ nameId: " \n " })],
    ["absent", () => signXml(swap(responseXml(tell()), /<saml:NameID.*<\/saml:NameID>/, ""), "assertion", papers)],
    [
      "two",
      () =>
        signXml(
          swap(responseXml(tell()), "</saml:NameID>", "</saml:NameID><saml:NameID>root</saml:NameID>"),
          "assertion",
          papers
        )
    ],
    ["an element", () => signed({ nameId: "<saml:X>ada</saml:X>" })],
    ["longer than any", () => signed({ nameId: "x".repeat(513), format: formats.persistent })]
  ])("not when the name is %s", async (_case, make) => {
    expect(await refusal(make())).toBe("subject_missing")
  })

  it("by all of a name that a comment or a section stands in", async () => {
    for (const between of ["<!---->", "<!-- x -->", "<![CDATA[]]>"]) {
      const nameId = `ada@acme.example${between}.evil.example`
      // oxlint-disable-next-line no-await-in-loop -- each is judged by itself
      expect(await asserted(signed({ nameId }))).toMatchObject({
        subject: "ada@acme.example.evil.example",
        email: "ada@acme.example.evil.example"
      })
      // Put in afterwards, it is not what was signed about: the canonical form has no comments.
      const later = swap(
        signed({ nameId: "ada@acme.example.evil.example" }),
        "ada@acme.example.evil",
        `ada@acme.example${between}.evil`
      )
      // oxlint-disable-next-line no-await-in-loop -- each is judged by itself
      expect(await asserted(later)).toMatchObject({ subject: "ada@acme.example.evil.example" })
    }
  })
})

describe("a response that is not for this sign-in", () => {
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
  ] as const)("is %s for %j", async (code, changes) => {
    expect(await refusal(signed(changes))).toBe(code)
    expect(await refusal(responseSigned(changes))).toBe(code)
  })

  it.each([
    ["destination_mismatch", { destination: provider.acsUrl, recipient: "https://plane.example/other" }],
    ["response_unsolicited", { inResponseTo: "_another-request" }],
    ["issuer_mismatch", { issuer: "https://other.example/entity" }]
  ] as const)("is %s though what stands around the assertion says otherwise", async (code, changes) => {
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
  ] as const)("is %s by what stands around the assertion alone: %s", async (code, from, to) => {
    expect(await refusal(swap(signed(), from, to))).toBe(code)
  })

  it("is unsolicited when it names no request at all", async () => {
    const without = (xml: string) => xml.replaceAll(/ InResponseTo="[^"]*"/g, "")
    expect(await refusal(signXml(without(responseXml(tell())), "assertion", papers))).toBe("response_unsolicited")
    const inner = swap(without(responseXml(tell())), 'Version="2.0"', `Version="2.0" InResponseTo="${requestId}"`)
    expect(await refusal(signXml(inner, "assertion", papers))).toBe("response_unsolicited")
  })

  it("needs one audience of each restriction to be us", async () => {
    const ours = `<saml:Audience>${escaped(provider.entityId)}</saml:Audience>`
    const with_ = (audiences: string) => signXml(swap(responseXml(tell()), ours, audiences), "assertion", papers)
    const other = "<saml:Audience>https://other.example</saml:Audience>"
    const apart = "</saml:AudienceRestriction><saml:AudienceRestriction>"
    expect(await asserted(with_(other + ours))).toMatchObject({ subject: "ada@acme.example" })
    expect(await refusal(with_(ours + apart + other))).toBe("audience_mismatch")
    const none = swap(responseXml(tell()), /<saml:AudienceRestriction>.*<\/saml:AudienceRestriction>/, "")
    expect(await refusal(signXml(none, "assertion", papers))).toBe("audience_mismatch")
  })
})

describe("time", () => {
  it.each([
    ["conditions", { notOnOrAfter: after(0) }],
    ["confirmation", { confirmedUntil: after(0) }],
    ["session", { sessionUntil: after(0) }]
  ])("is over a minute after the end of the %s", async (_case, changes) => {
    const xml = signed(changes)
    expect(await asserted(xml, {}, after(59.999))).toMatchObject({ subject: "ada@acme.example" })
    expect(await refusal(xml, {}, after(60))).toBe("expired")
  })

  it("begins a minute before the conditions say", async () => {
    const xml = signed({ notBefore: after(60) })
    expect(await asserted(xml)).toMatchObject({ subject: "ada@acme.example" })
    expect(await refusal(xml, {}, after(-0.001))).toBe("not_yet_valid")
  })

  it("ends for use again when the earlier end is over, with the minute", async () => {
    const xml = signed({ notOnOrAfter: after(500), confirmedUntil: after(20) })
    expect((await asserted(xml)).usableUntil).toEqual(after(80))
  })

  it.each([
    ["without a zone", "2031-05-06T07:10:00", true],
    ["in another zone", "2031-05-06T09:10:00+02:00", true],
    ["with a finer fraction", "2031-05-06T07:10:00.1234567Z", true],
    ["as a day", "2031-05-07", false],
    ["in words", "tomorrow", false],
    ["empty", "", false]
  ])("may be written %s", async (_case, text, isGood) => {
    const xml = signXml(swap(responseXml(tell()), after(300).toISOString(), text), "assertion", papers)
    expect(await refusal(xml)).toEqual(
      isGood ? expect.objectContaining({ subject: "ada@acme.example" }) : "response_invalid"
    )
  })
})

describe("a response that is not whole", () => {
  const changed = (from: string | RegExp, to: string) => () =>
    signXml(swap(responseXml(tell()), from, to), "assertion", papers)

  it.each([
    ["has no status", changed(/<samlp:Status>.*<\/samlp:Status>/, "")],
    ["has no conditions", changed(/<saml:Conditions.*<\/saml:Conditions>/, "")],
    ["has conditions without end", changed(/ NotOnOrAfter="[^"]*">/, ">")],
    ["has a confirmation without end", changed(/Data NotOnOrAfter="[^"]*"/, "Data")],
    [
      "has two conditions",
      changed(
        "<saml:AuthnStatement",
        `<saml:Conditions NotOnOrAfter="${after(900).toISOString()}"/><saml:AuthnStatement`
      )
    ],
    [
      "has a condition of its own",
      changed("<saml:AudienceRestriction>", "<saml:Condition xsi:type='x'/><saml:AudienceRestriction>")
    ],
    ["has no confirmation", changed(/<saml:SubjectConfirmation .*<\/saml:SubjectConfirmation>/, "")],
    ["is confirmed by a key's holder", changed("cm:bearer", "cm:holder-of-key")],
    ["tells of no authentication", changed(/<saml:AuthnStatement.*<\/saml:AuthnStatement>/, "")],
    ["has no subject", changed(/<saml:Subject>.*<\/saml:Subject>/, "")],
    ["is of another version", changed(/Version="2.0"/, 'Version="1.1"')],
    ["is another thing", () => responseXml(tell()).replaceAll("samlp:Response", "samlp:ArtifactResponse")],
    ["is of another namespace", () => responseXml(tell()).replaceAll("SAML:2.0:protocol", "SAML:3.0:protocol")],
    ["has an assertion of another namespace", changed('ID="_assertion"', 'ID="_assertion" xmlns:saml="urn:other"')],
    ["has no assertion", () => swap(responseXml(tell()), /<saml:Assertion.*<\/saml:Assertion>/, "")]
  ])("is response_invalid when it %s", async (_case, make) => {
    expect(await refusal(make())).toBe("response_invalid")
  })

  it("has two assertions: refused, whichever is signed", async () => {
    const second =
      responseXml(tell({ assertionId: "_second", nameId: "root@acme.example" })).match(
        /<saml:Assertion.*<\/saml:Assertion>/
      )?.[0] ?? ""
    const before = swap(signed(), "<saml:Assertion", `${second}<saml:Assertion`)
    const behind = swap(signed(), "</saml:Assertion>", `</saml:Assertion>${second}`)
    const whole = signXml(swap(responseXml(tell()), "<saml:Assertion", `${second}<saml:Assertion`), "response", papers)
    for (const xml of [before, behind, whole]) {
      // oxlint-disable-next-line no-await-in-loop -- each is judged by itself
      expect(await refusal(xml)).toBe("response_invalid")
    }
  })

  it("says that the person was refused, with the status", async () => {
    const failed = swap(
      swap(responseXml(tell()), /<saml:Assertion.*<\/saml:Assertion>/, ""),
      /<samlp:StatusCode[^>]*>/,
      '<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Responder"><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:AuthnFailed"/></samlp:StatusCode>'
    )
    expect(await finish(failed)).toMatchObject({
      failure: {
        code: "access_denied",
        message: expect.stringContaining("status:Responder / urn:oasis:names:tc:SAML:2.0:status:AuthnFailed")
      }
    })
    // With an assertion beside it just so.
    expect(await refusal(swap(signed(), "status:Success", "status:Requester"))).toBe("access_denied")
  })

  it.each([
    ["nothing", ""],
    ["no base64", "<samlp:Response/>"],
    ["base64 that is cut", base64Of(signed()).slice(0, -1)],
    ["base64 of the other alphabet", "-_-_"],
    ["bytes that are no text", Buffer.from([0xff, 0xfe, 0x3c, 0x00]).toString("base64")],
    ["no XML", base64Of("hello")],
    ["XML that is cut", base64Of(signed().slice(0, -3))],
    ["two documents", base64Of(signed() + signed())],
    ["text behind it", base64Of(`${signed()}x`)],
    ["an undeclared prefix", base64Of("<samlp:Response/>")],
    ["a longer one than any", base64Of(`<a>${"x".repeat(300_000)}</a>`)]
  ])("is response_invalid when it is %s", async (_case, samlResponse) => {
    expect(await finishRaw(samlResponse)).toMatchObject({ failure: { code: "response_invalid" } })
  })

  it("is encrypted: said as such", async () => {
    expect(await refusal(await encryptXml(responseXml(tell()), papers, newPapers))).toBe("assertion_encrypted")
    expect(await refusal(signXml(await encryptXml(responseXml(tell()), papers, newPapers), "response", papers))).toBe(
      "assertion_encrypted"
    )
    const subject = swap(responseXml(tell()), /<saml:NameID.*<\/saml:NameID>/, "<saml:EncryptedID/>")
    expect(await refusal(signXml(subject, "assertion", papers))).toBe("assertion_encrypted")
  })
})

describe("documents made to be costly, or to reach out", () => {
  const bomb = `<!DOCTYPE r [<!ENTITY a "${"x".repeat(50)}"><!ENTITY b "${"&a;".repeat(50)}"><!ENTITY c "${"&b;".repeat(50)}">]>`
  it.each([
    ["entities within entities", () => `${bomb}${swap(signed(), "ada@", "&c;@")}`],
    ["an external entity", () => `<!DOCTYPE r SYSTEM "file:///etc/passwd">${signed()}`],
    ["a document type alone", () => `<!DOCTYPE r>${signed()}`],
    ["an entity that is nowhere said", () => swap(signed(), "ada@", "&ada;@")],
    ["a processing instruction", () => swap(signed(), "<samlp:Status>", "<?x y?><samlp:Status>")],
    [
      "a deep nest",
      () => swap(signed(), "<samlp:Status>", `${"<a>".repeat(10_000)}${"</a>".repeat(10_000)}<samlp:Status>`)
    ],
    ["elements without number", () => swap(signed(), "<samlp:Status>", `${"<a/>".repeat(10_000)}<samlp:Status>`)],
    [
      "attributes without number",
      () =>
        swap(
          signed(),
          "<samlp:Status>",
          `<a ${Array.from({ length: 5000 }, (_, index) => `a${index}=""`).join(" ")}/><samlp:Status>`
        )
    ],
    [
      "namespaces without number",
      () =>
        swap(
          signed(),
          "<samlp:Status>",
          `${Array.from({ length: 30 }, (_, index) => `<a xmlns:a${index}="u" xmlns:b${index}="u" xmlns:c${index}="u">`).join("")}${"</a>".repeat(30)}<samlp:Status>`
        )
    ],
    ["one attribute twice", () => swap(signed(), 'ID="_response"', 'ID="_response" ID="_other"')],
    [
      "one attribute twice by two prefixes",
      () => swap(signed(), "<samlp:Status>", '<a xmlns:p="u" xmlns:q="u" p:z="" q:z=""/><samlp:Status>')
    ],
    ["a character that XML has not", () => swap(signed(), "ada@", "ada&#0;@")]
  ])("%s are refused", async (_case, make) => {
    expect(await refusal(make())).toBe("response_invalid")
  })
})
