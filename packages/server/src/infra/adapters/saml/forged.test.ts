/** The cost of forged responses, and that the check before the library's verifier decides as the verifier does. */
import { SAML } from "@node-saml/node-saml"
import * as fc from "fast-check"
import * as crypto from "node:crypto"
import { beforeEach, describe, expect, it, vi } from "vitest"
import { base64Of, makeKeyPair, responseXml, signXml } from "./saml.fixture.ts"
import {
  asserted,
  finish,
  newKeyPair,
  keyPair,
  provider,
  refusal,
  signed,
  strangers,
  swap,
  responseContent
} from "./sign-in.fixture.ts"
import { certificateOf, checkSignatures, type Signatures } from "./signature.ts"
import { SsoRefused } from "../../ports/sso.ts"
import { elementsOf, readXml, writeXml, type XmlElement, XmlInvalid } from "./xml.ts"

// Counted, not replaced.
vi.mock("node:crypto", { spy: true })
const library = vi.spyOn(SAML.prototype, "validatePostResponseAsync")
const digests = vi.mocked(crypto.createHash)
const signatures = vi.mocked(crypto.verify)

const others = Array.from({ length: 6 }, (_, index) => makeKeyPair(`other ${index}`).certificate)
/** As many certificates as a connection may have; the last one is the signer's. */
const eight = { certificates: [...others, newKeyPair.certificate, keyPair.certificate] }

beforeEach(() => {
  vi.clearAllMocks()
})

describe("a forged SAML response", () => {
  it("costs one digest, no signature check and no call of the library when its content was changed", async () => {
    const forged = swap(signed(), "ada@acme.example", "eve@acme.example")
    vi.clearAllMocks()
    expect(await refusal(forged, eight)).toBe("signature_invalid")
    expect(digests).toHaveBeenCalledTimes(1)
    expect(signatures).not.toHaveBeenCalled()
    expect(library).not.toHaveBeenCalled()
  })

  it("costs one digest, one check per certificate and no library call when signed by another key", async () => {
    const forged = signXml(responseXml(responseContent()), "assertion", strangers)
    vi.clearAllMocks()
    expect(await refusal(forged, eight)).toBe("signature_invalid")
    expect(digests).toHaveBeenCalledTimes(1)
    expect(signatures).toHaveBeenCalledTimes(8)
    expect(library).not.toHaveBeenCalled()
  })

  it("is distinguished from a valid one, which the library verifies once, with the matching certificate", async () => {
    const good = signed()
    vi.clearAllMocks()
    expect(await asserted(good, eight)).toMatchObject({ subject: "ada@acme.example" })
    expect(library).toHaveBeenCalledTimes(1)
  })

  it("is rejected by its structure before its signature is verified", async () => {
    expect((await finish(responseXml(responseContent({ inResponseTo: "_another" })), eight))._tag).toBe("Failure")
    expect(digests).not.toHaveBeenCalled()
    expect(library).not.toHaveBeenCalled()
  })
})

/** Characters that canonicalization treats specially, and others. */
const characters = fc.constantFrom(
  ...Array.from("aZ0é😀中' \t\n>-]"),
  "&amp;",
  "&lt;",
  "&gt;",
  "&quot;",
  "&apos;",
  "&#9;",
  "&#10;",
  "&#xA0;",
  "&#x1F600;",
  "\u0301",
  "\r\n"
)
const text = fc.array(characters, { maxLength: 12 }).map((parts) => parts.join("").replaceAll("]]>", "]]&gt;"))
const value = text.map((raw) => raw.replaceAll('"', "&quot;"))
const attributes = fc
  .uniqueArray(fc.tuple(fc.constantFrom("b", "a", "x:a", "y:a", "x:b", "xml:lang", "Z"), value), {
    selector: ([name]) => name,
    maxLength: 5
  })
  .map((all) => all.map(([name, one]) => ` ${name}="${one}"`).join(""))
const declarations = fc
  .subarray([
    'xmlns:x="urn:1"',
    'xmlns:x="urn:3"',
    'xmlns:y="urn:2"',
    'xmlns:y="urn:4"',
    'xmlns="urn:d"',
    'xmlns=""',
    'xmlns:z="urn:5"'
  ])
  .map((all) => {
    const seen = new Set<string>()
    return all
      .filter((one) => {
        const name = one.split("=")[0] ?? ""
        return !seen.has(name) && seen.add(name)
      })
      .map((one) => ` ${one}`)
      .join("")
  })

const { node } = fc.letrec<{ node: string; element: string }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    text,
    text.map((raw) => `<!--${raw.replaceAll("-", "")}-->`),
    fc.constantFrom("<![CDATA[a<b>&amp;]]>", "<![CDATA[]]>", "<![CDATA[ \n]]>"),
    tie("element")
  ),
  element: fc
    .tuple(
      fc.constantFrom("e", "x:e", "y:f"),
      declarations,
      attributes,
      fc.array(tie("node"), { maxLength: 4 }),
      fc.boolean()
    )
    .map(([name, declared, own, children, isAttributeFirst]) => {
      const head = isAttributeFirst ? `${own}${declared}` : `${declared}${own}`
      return children.length === 0 ? `<${name}${head}/>` : `<${name}${head}>${children.join("")}</${name}>`
    })
}))
const content = fc
  .array(node, { maxLength: 4 })
  .map((nodes) => `<x:w xmlns:x="urn:1" xmlns:y="urn:2">${nodes.join("")}</x:w>`)

/** Changes to a signed document by an attacker, a proxy or another serializer. */
const change = fc.oneof(
  fc.constant((xml: string) => xml),
  fc
    .tuple(
      fc.nat(),
      fc.constantFrom(" ", "\n", "a", "<!-- c -->", "&#9;", "<e/>", "&amp;", ' q="1"', ' xmlns:q="urn:q"')
    )
    .map(
      ([at, what]) =>
        (xml: string) =>
          `${xml.slice(0, at % xml.length)}${what}${xml.slice(at % xml.length)}`
    ),
  fc.nat().map((at) => (xml: string) => `${xml.slice(0, at % xml.length)}${xml.slice((at % xml.length) + 1)}`),
  fc
    .constantFrom(
      ["urn:1", "urn:9"],
      ["<saml:Attribute ", '<saml:Attribute xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" '],
      ["&#9;", "\t"],
      ["&gt;", ">"],
      ["\n", " "],
      ["/>", "></e>"],
      ["xs:string", "xs:str"],
      ["Version=", "  Version="],
      ["><", ">\n<"]
    )
    .map(
      ([from = "", to = ""]) =>
        (xml: string) =>
          xml.replace(from, () => to)
    )
)

class Verifier extends SAML {
  signed: string | undefined
  protected override processValidlySignedAssertionAsync(xml: string) {
    this.signed = xml
    return Promise.resolve({ profile: { issuer: "", nameID: "", nameIDFormat: "" }, loggedOut: false })
  }
}
/** The library's own decision. */
const isAcceptedByLibrary = async (response: XmlElement, signatures: Signatures) => {
  const verifier = new Verifier({
    callbackUrl: provider.acsUrl,
    issuer: provider.entityId,
    idpCert: keyPair.certificate,
    wantAuthnResponseSigned: signatures.ofResponse,
    wantAssertionsSigned: signatures.ofAssertion
  })
  await verifier.validatePostResponseAsync({ SAMLResponse: base64Of(writeXml(response)) }).catch(() => undefined)
  return verifier.signed !== undefined
}
/** Undefined for a document that is rejected before its signatures are verified. */
const read = (xml: string): { readonly response: XmlElement; readonly signatures: Signatures } | undefined => {
  try {
    const response = readXml(xml.trim())
    const assertion = elementsOf(response).find(({ local }) => local === "Assertion")
    return assertion === undefined ? undefined : { response, signatures: checkSignatures(response, assertion) }
  } catch (cause) {
    if (cause instanceof XmlInvalid || cause instanceof SsoRefused) return undefined
    throw cause
  }
}

describe("the check of digests and signatures", () => {
  it("decides like the library for responses signed by samlify and for modified ones", async () => {
    const seen = { accepted: 0, refused: 0 }
    await fc.assert(
      fc.asyncProperty(
        content,
        value,
        fc.constantFrom("assertion" as const, "response" as const, "both" as const),
        fc.constantFrom("ds", ""),
        change,
        async (inner, name, what, prefix, changed) => {
          const plain = responseXml(responseContent({ attributes: { n: [inner, name.replaceAll("&", "&amp;")] } }))
          const once = signXml(plain, what === "response" ? "response" : "assertion", keyPair, { prefix })
          const original = what === "both" ? signXml(once, "response", keyPair, { prefix }) : once
          const document = changed(original)
          const parsed = read(document)
          if (parsed === undefined) {
            expect(document).not.toBe(original)
            return
          }
          const ours = certificateOf(parsed.signatures, [strangers.certificate, keyPair.certificate])
          const isAccepted = await isAcceptedByLibrary(parsed.response, parsed.signatures)
          expect({ document, isAccepted: ours === keyPair.certificate }).toEqual({ document, isAccepted })
          if (document === original) expect({ document, isAccepted }).toEqual({ document, isAccepted: true })
          seen[isAccepted ? "accepted" : "refused"] += 1
        }
      ),
      { numRuns: 200 }
    )
    expect(seen.accepted).toBeGreaterThan(20)
    expect(seen.refused).toBeGreaterThan(10)
  }, 120_000)
})
