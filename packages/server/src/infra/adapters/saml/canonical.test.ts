import { SAML } from "@node-saml/node-saml"
import fc from "fast-check"
import { expect, it } from "vitest"
import { responseXml, signXml } from "./saml.fixture.ts"
import { finish, newKeyPair, keyPair, provider, responseContent } from "./sign-in.fixture.ts"
import { certificateOf, checkSignatures } from "./signature.ts"
import { elementsOf, readXml, writeXml } from "./xml.ts"

class Verifier extends SAML {
  signed: string | undefined
  protected override processValidlySignedAssertionAsync(xml: string) {
    this.signed = xml
    return Promise.resolve({ profile: { issuer: "", nameID: "", nameIDFormat: "" }, loggedOut: false })
  }
}

const plain = responseXml(
  responseContent({
    attributes: {
      "urn:oid:1 &<\"'>": [
        "<!-- c -->x &amp; y",
        "é\n\t&#xD;z",
        "<x xmlns='urn:q' b='1' a='2'><y xmlns=''/></x>",
        "<x xmlns:b='urn:a' xmlns:a='urn:b' a:k='1' b:k='2' k='3' xml:lang='de'/>"
      ]
    }
  })
)
const scoped = plain.replace(
  "<samlp:Response ",
  '<samlp:Response xmlns="urn:default" xmlns:un="urn:unused" xml:lang="en" '
)
const responses = [plain, scoped].flatMap((xml) => {
  const assertion = signXml(xml, "assertion", keyPair)
  return [assertion, signXml(xml, "response", keyPair, { prefix: "sig" }), signXml(assertion, "response", keyPair)]
})

const verifiedContent = (xml: string) => {
  try {
    const response = readXml(xml)
    const [assertion, ...others] = elementsOf(response).filter(({ local }) => local === "Assertion")
    if (assertion === undefined || others.length > 0) return undefined
    return { response, signatures: checkSignatures(response, assertion) }
  } catch {
    return undefined
  }
}

const insertions = [
  "",
  "<!--x-->",
  " ",
  "\n",
  "&#xD;",
  "<![CDATA[x]]>",
  ' xmlns:a="urn:a"',
  ' xmlns="urn:d"',
  ' xml:lang="fr"',
  "é",
  "<x/>",
  "<saml:NameID>root@acme.example</saml:NameID>",
  "ds "
]

it("accepts a modified response exactly when the library does, and returns nothing else from it", async () => {
  const original = await finish(responses[0] ?? "")
  const change = fc.record({
    xml: fc.constantFrom(...responses),
    at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
    before: fc.constantFrom(">", "<", '"', ""),
    insertion: fc.constantFrom(...insertions),
    removed: fc.constantFrom(0, 0, 0, 1)
  })
  await fc.assert(
    fc.asyncProperty(change, async ({ at, before, insertion, removed, xml }) => {
      const place = Math.max(0, xml.indexOf(before, Math.floor(at * xml.length)))
      const changed = xml.slice(0, place) + insertion + xml.slice(place + removed)
      const read = verifiedContent(changed)
      if (read === undefined) return
      const { response, signatures } = read
      const verifier = new Verifier({
        callbackUrl: provider.acsUrl,
        issuer: provider.entityId,
        idpCert: keyPair.certificate,
        wantAuthnResponseSigned: signatures.ofResponse,
        wantAssertionsSigned: signatures.ofAssertion
      })
      const SAMLResponse = Buffer.from(writeXml(response)).toString("base64")
      await verifier.validatePostResponseAsync({ SAMLResponse }).catch(() => {})
      const certificate = certificateOf(signatures, [newKeyPair.certificate, keyPair.certificate])
      expect(certificate !== undefined).toBe(verifier.signed !== undefined)
      const result = await finish(changed)
      if (result._tag === "Success") expect(result).toEqual(original)
    }),
    { numRuns: 120 }
  )
})
