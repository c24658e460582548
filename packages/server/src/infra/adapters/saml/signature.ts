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

const bad = (message: string) => refuse("signature_invalid", message)
/** The child elements, which must be exactly these, in this order, all in the signature's namespace. */
const exactly = (element: XmlElement, ...locals: ReadonlyArray<string>): ReadonlyArray<XmlElement> => {
  const children = elementsOf(element)
  return children.length === locals.length &&
    children.every((child, index) => child.uri === ds && child.local === locals[index])
    ? children
    : bad(`The signature's ${element.local} has unexpected children.`)
}

const algorithmOf = (element: XmlElement | undefined, allowed: ReadonlySet<string>, part: string) => {
  const algorithm = element === undefined ? undefined : attributeOf(element, "Algorithm")
  if (algorithm === undefined || !allowed.has(algorithm))
    bad(`The signature's ${part} uses an algorithm that is not allowed: ${algorithm}.`)
}

const onlyC14n = new Set([excC14n])
const onlyEnveloped = new Set([enveloped])

/** Allows only a list of inclusive prefixes as a child; some signers write it in every transform. */
const checkStep = (element: XmlElement | undefined, allowed: ReadonlySet<string>, part: string) => {
  algorithmOf(element, allowed, part)
  const inner = element === undefined ? [] : elementsOf(element)
  // A widely used signer writes it in the namespace of the transform's algorithm.
  const isPrefixes = (one: XmlElement) =>
    one.local === "InclusiveNamespaces" && (one.uri === excC14n || allowed.has(one.uri)) && elementsOf(one).length === 0
  if (inner.length > 1 || !inner.every(isPrefixes)) {
    bad(`The signature's ${part} has unexpected children.`)
  }
}

const checkPlain = (element: XmlElement | undefined, allowed: ReadonlySet<string>, part: string) => {
  algorithmOf(element, allowed, part)
  if (element !== undefined && elementsOf(element).length > 0) bad(`The signature's ${part} must have no parameters.`)
}

const checkOne = (signature: XmlElement, signed: XmlElement) => {
  const hasKeyInfo = elementsOf(signature).length === 3
  const [info, value] = exactly(signature, "SignedInfo", "SignatureValue", ...(hasKeyInfo ? ["KeyInfo"] : []))
  if (info === undefined || !base64.test(textOf(value) ?? "")) return bad("The signature has no value.")
  const [canonicalization, method, reference] = exactly(info, "CanonicalizationMethod", "SignatureMethod", "Reference")
  checkStep(canonicalization, onlyC14n, "canonicalization")
  checkPlain(method, signatureMethods, "method")
  if (reference === undefined) return bad("The signature has no reference.")
  const id = attributeOf(signed, "ID") ?? ""
  if (id === "" || attributeOf(reference, "URI") !== `#${id}`) {
    return bad("The signature does not refer to the element that contains it.")
  }
  const [transforms, digestMethod, digest] = exactly(reference, "Transforms", "DigestMethod", "DigestValue")
  checkPlain(digestMethod, digestMethods, "digest method")
  if (transforms === undefined || !base64.test(textOf(digest) ?? "")) return bad("The signature has no digest.")
  const [first, second] = exactly(transforms, "Transform", "Transform")
  checkStep(first, onlyEnveloped, "first transform")
  checkStep(second, onlyC14n, "second transform")
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
 * Checks the position, the reference and the methods of each signature before it is verified. This rejects
 * all signature wrapping: duplicate IDs, signatures in unexpected places, nested responses and assertions.
 */
export const checkSignatures = (response: XmlElement, assertion: XmlElement): Signatures => {
  const ids = new Set<string>()
  const signed = { ofResponse: false, ofAssertion: false }
  const all: Array<Signatures["all"][number]> = []
  const isOwn = new Set(
    [response, assertion].flatMap((one) =>
      elementsOf(one).filter((child) => child.uri === ds && child.local === "Signature")
    )
  )
  for (const element of allOf(response)) {
    for (const attribute of element.attributes) {
      if (attribute.local.toLowerCase() !== "id") continue
      if (ids.has(attribute.value)) bad("Two elements have the same ID.")
      ids.add(attribute.value)
    }
    if (element.local === "Signature" && !isOwn.has(element)) bad("There is a signature in an unexpected place.")
    const isJudged = element === response || element === assertion
    if ((element.local === "Assertion" || element.local === "Response") && !isJudged) {
      bad("A response or assertion is nested within another.")
    }
  }
  for (const signature of isOwn) {
    const isOfAssertion = elementsOf(assertion).includes(signature)
    const key = isOfAssertion ? "ofAssertion" : "ofResponse"
    if (signed[key]) bad("An element is signed twice.")
    signed[key] = true
    checkOne(signature, isOfAssertion ? assertion : response)
    all.push({ signature, path: isOfAssertion ? [response, assertion] : [response] })
  }
  return signed.ofResponse || signed.ofAssertion
    ? { ...signed, all }
    : refuse("signature_missing", "Neither the response nor its assertion is signed.")
}
