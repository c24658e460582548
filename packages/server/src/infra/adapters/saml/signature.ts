import { constants, createHash, verify } from "node:crypto"
import { canonical } from "./canonical.ts"
import { ds, excC14n } from "./names.ts"
import { refuse } from "./refuse.ts"
import { allOf, attributeOf, elementsOf, textOf, type XmlElement } from "./xml.ts"

const signatureMethods = new Set([
  "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
  "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512",
  "http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1"
])
const digestMethods = new Set(["http://www.w3.org/2001/04/xmlenc#sha256", "http://www.w3.org/2001/04/xmlenc#sha512"])
const enveloped = `${ds}enveloped-signature`
const base64 = /^[A-Za-z\d+/=\s]+$/

const bad = (why: string) => refuse("signature_invalid", why)

/** The children, which have to be these and in this order, all of the signature's namespace. */
const exactly = (element: XmlElement, ...locals: ReadonlyArray<string>): ReadonlyArray<XmlElement> => {
  const children = elementsOf(element)
  return children.length === locals.length &&
    children.every((child, index) => child.uri === ds && child.local === locals[index])
    ? children
    : bad(`The signature's ${element.local} is not as it has to be.`)
}

const algorithmOf = (element: XmlElement | undefined, allowed: ReadonlySet<string>, what: string) => {
  const algorithm = element === undefined ? undefined : attributeOf(element, "Algorithm")
  if (algorithm === undefined || !allowed.has(algorithm)) bad(`The signature's ${what} is not accepted: ${algorithm}.`)
}

const onlyC14n = new Set([excC14n])
const onlyEnveloped = new Set([enveloped])

/** With nothing below but the prefixes that the canonical form is to include; some write them on every transform. */
const judgeStep = (element: XmlElement | undefined, allowed: ReadonlySet<string>, what: string) => {
  algorithmOf(element, allowed, what)
  const inner = element === undefined ? [] : elementsOf(element)
  // A signer that is widely used names it by the transform's own algorithm.
  const isPrefixes = (one: XmlElement) =>
    one.local === "InclusiveNamespaces" && (one.uri === excC14n || allowed.has(one.uri)) && elementsOf(one).length === 0
  if (inner.length > 1 || !inner.every(isPrefixes)) {
    bad(`The signature's ${what} is not as it has to be.`)
  }
}

const judgePlain = (element: XmlElement | undefined, allowed: ReadonlySet<string>, what: string) => {
  algorithmOf(element, allowed, what)
  if (element !== undefined && elementsOf(element).length > 0) bad(`The signature's ${what} takes no parameters.`)
}

const judgeOne = (signature: XmlElement, signed: XmlElement) => {
  const hasKeyInfo = elementsOf(signature).length === 3
  const [info, value] = exactly(signature, "SignedInfo", "SignatureValue", ...(hasKeyInfo ? ["KeyInfo"] : []))
  if (info === undefined || !base64.test(textOf(value) ?? "")) return bad("The signature has no value.")
  const [canonicalization, method, reference] = exactly(info, "CanonicalizationMethod", "SignatureMethod", "Reference")
  judgeStep(canonicalization, onlyC14n, "canonicalization")
  judgePlain(method, signatureMethods, "method")
  if (reference === undefined) return bad("The signature has no reference.")
  const id = attributeOf(signed, "ID") ?? ""
  if (id === "" || attributeOf(reference, "URI") !== `#${id}`) {
    return bad("The signature is of something else than where it stands.")
  }
  const [transforms, digestMethod, digest] = exactly(reference, "Transforms", "DigestMethod", "DigestValue")
  judgePlain(digestMethod, digestMethods, "digest method")
  if (transforms === undefined || !base64.test(textOf(digest) ?? "")) return bad("The signature has no digest.")
  const [first, second] = exactly(transforms, "Transform", "Transform")
  judgeStep(first, onlyEnveloped, "first transform")
  judgeStep(second, onlyC14n, "second transform")
}

export interface Signatures {
  readonly ofResponse: boolean
  readonly ofAssertion: boolean
  /** Each signature with the path from the root to the signed element. */
  readonly all: ReadonlyArray<{ readonly signature: XmlElement; readonly path: ReadonlyArray<XmlElement> }>
}

/** The inclusive prefixes of a canonicalization or transform. */
const inclusiveOf = (step: XmlElement | undefined): ReadonlySet<string> => {
  const named = step === undefined ? undefined : elementsOf(step)[0]
  const list = named === undefined ? "" : (attributeOf(named, "PrefixList") ?? "")
  return new Set(
    list
      .split(/\s/)
      .filter((prefix) => prefix !== "")
      .map((prefix) => (prefix === "#default" ? "" : prefix))
  )
}

const hashOf = (method: string | undefined) => (method?.includes("sha512") === true ? "sha512" : "sha256")

/**
 * The first certificate that verifies every signature; undefined when there is none. Each signed part is canonicalized
 * once, regardless of the number of certificates: a forged response is rejected in a few milliseconds, and the
 * library's verifier, which reads the document repeatedly, only sees valid ones.
 */
export const certificateOf = (signatures: Signatures, certificates: ReadonlyArray<string>): string | undefined => {
  const checks: Array<(certificate: string) => boolean> = []
  for (const { path, signature } of signatures.all) {
    const [info, value] = elementsOf(signature)
    if (info === undefined) return undefined
    const [canonicalization, method, reference] = elementsOf(info)
    const [transforms, digestMethod, digest] = reference === undefined ? [] : elementsOf(reference)
    const [, transform] = transforms === undefined ? [] : elementsOf(transforms)
    const algorithm = digestMethod === undefined ? undefined : attributeOf(digestMethod, "Algorithm")
    const actual = createHash(hashOf(algorithm))
      .update(canonical(path, inclusiveOf(transform), signature))
      .digest("base64")
    if (actual !== (textOf(digest) ?? "").replace(/\s/g, "")) return undefined
    const signed = Buffer.from(canonical([...path, signature, info], inclusiveOf(canonicalization)))
    const bytes = Buffer.from(textOf(value) ?? "", "base64")
    const signatureMethod = method === undefined ? "" : (attributeOf(method, "Algorithm") ?? "")
    const isPss = signatureMethod.endsWith("MGF1")
    checks.push((key) => {
      try {
        return verify(
          hashOf(signatureMethod),
          signed,
          isPss
            ? { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO }
            : { key, padding: constants.RSA_PKCS1_PADDING },
          bytes
        )
      } catch {
        return false
      }
    })
  }
  return certificates.find((certificate) => checks.every((holds) => holds(certificate)))
}

/**
 * Judges where signatures stand, of what they are and by which methods; not whether they hold. All that wrapping needs is
 * refused here already: identifiers that stand twice, signatures in other places, responses and assertions in others.
 */
export const judgeSignatures = (response: XmlElement, assertion: XmlElement): Signatures => {
  const ids = new Set<string>()
  const found = { ofResponse: false, ofAssertion: false }
  const all: Array<Signatures["all"][number]> = []
  const isOwn = new Set(
    [response, assertion].flatMap((one) =>
      elementsOf(one).filter((child) => child.uri === ds && child.local === "Signature")
    )
  )
  for (const element of allOf(response)) {
    for (const attribute of element.attributes) {
      if (attribute.local.toLowerCase() !== "id") continue
      if (ids.has(attribute.value)) bad("Two elements have one identifier.")
      ids.add(attribute.value)
    }
    if (element.local === "Signature" && !isOwn.has(element)) bad("A signature stands where none belongs.")
    const isJudged = element === response || element === assertion
    if ((element.local === "Assertion" || element.local === "Response") && !isJudged) {
      bad("A response or assertion stands within another.")
    }
  }
  for (const signature of isOwn) {
    const isOfAssertion = elementsOf(assertion).includes(signature)
    const key = isOfAssertion ? "ofAssertion" : "ofResponse"
    if (found[key]) bad("It is signed twice.")
    found[key] = true
    judgeOne(signature, isOfAssertion ? assertion : response)
    all.push({ signature, path: isOfAssertion ? [response, assertion] : [response] })
  }
  return found.ofResponse || found.ofAssertion
    ? { ...found, all }
    : refuse("signature_missing", "Neither the response nor its assertion is signed.")
}
