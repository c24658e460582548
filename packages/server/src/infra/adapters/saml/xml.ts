/**
 * A strict XML parser for SAML: no document type, no entities except the five predefined ones, no processing
 * instructions, bounded in size. The parsed document is written again before any other parser sees it, so that no two
 * parsers can interpret it differently.
 */

export interface XmlAttribute {
  readonly prefix: string
  readonly local: string
  readonly uri: string
  readonly value: string
}

export interface XmlElement {
  readonly prefix: string
  readonly local: string
  readonly uri: string
  /** Namespaces declared here: prefix (empty for the default namespace) and URI. */
  readonly declarations: ReadonlyArray<readonly [prefix: string, uri: string]>
  readonly attributes: ReadonlyArray<XmlAttribute>
  readonly children: ReadonlyArray<XmlElement | string>
}

export class XmlInvalid extends Error {
  override readonly name = "XmlInvalid"
}

const depthMax = 32
/**
 * Maximum number of elements in a response. The verifier's work grows with the square of it, and is repeated for each
 * certificate.
 */
const elementsMaxUsual = 1024
/** Maximum attributes and namespace declarations of one element, and on average per allowed element. */
const attributesMax = 32
const attributesMaxEach = 4
const prefixesInScopeMax = 32

const xmlNamespace = "http://www.w3.org/XML/1998/namespace"
const xmlnsNamespace = "http://www.w3.org/2000/xmlns/"

const name = /[\p{L}_][\p{L}\p{N}\p{M}_.\-·]*/uy
const space = /[ \t\n]*/y
const declaration =
  /<\?xml[ \t\n]+version=(["'])1\.0\1(?:[ \t\n]+encoding=(["'])utf-8\2)?(?:[ \t\n]+standalone=(["'])(?:yes|no)\3)?[ \t\n]*\?>/iy
const reference = /&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#x([\da-fA-F]{1,6}));/y
// oxlint-disable-next-line no-control-regex -- these characters are not allowed in XML
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/

const named: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" }

interface Open {
  readonly element: XmlElement & { readonly children: Array<XmlElement | string> }
  readonly tag: string
  readonly scope: ReadonlyMap<string, string>
}

const invalid = (message: string): never => {
  throw new XmlInvalid(message)
}

/** Joins texts around a comment or CDATA section, which canonicalization treats as one text. */
const append = (children: Array<XmlElement | string>, text: string) => {
  const last = children.at(-1)
  if (typeof last === "string") children[children.length - 1] = last + text
  else if (text !== "") children.push(text)
}

/** Parses a document and returns its root. */
export const readXml = (source: string, elementsMax = elementsMaxUsual): XmlElement => {
  const text = source.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n")
  if (!text.isWellFormed() || forbidden.test(text)) return invalid("It contains characters that XML does not allow.")
  let at = 0
  let elements = 0
  let attributesInAll = 0
  let root: XmlElement | undefined
  const open: Array<Open> = []

  const match = (pattern: RegExp) => {
    pattern.lastIndex = at
    const result = pattern.exec(text)
    if (result !== null) at = pattern.lastIndex
    return result
  }
  const take = (expected: string) => {
    if (!text.startsWith(expected, at)) return invalid(`${expected} is missing.`)
    at += expected.length
    return expected
  }
  const until = (end: string) => {
    const endAt = text.indexOf(end, at)
    if (endAt === -1) return invalid(`${end} is missing.`)
    const between = text.slice(at, endAt)
    at = endAt + end.length
    return between
  }
  const takeName = () => match(name)?.[0] ?? invalid("A name is missing.")
  const takeQualified = (): readonly [prefix: string, local: string] => {
    const first = takeName()
    if (text[at] !== ":") return ["", first]
    at += 1
    return [first, takeName()]
  }
  const resolve = (raw: string) => {
    if (!raw.includes("&")) return raw
    let resolved = ""
    let from = 0
    for (let amp = raw.indexOf("&"); amp !== -1; amp = raw.indexOf("&", from)) {
      reference.lastIndex = amp
      const entityMatch = reference.exec(raw)
      if (entityMatch === null) return invalid("It contains an entity that is not predefined.")
      const [whole, entity, decimal, hexadecimal] = entityMatch
      const point = decimal === undefined ? Number.parseInt(hexadecimal ?? "", 16) : Number.parseInt(decimal, 10)
      const character =
        entity === undefined
          ? point <= 0x10ffff && (point < 0xd800 || point > 0xdfff)
            ? String.fromCodePoint(point)
            : invalid("It contains a reference to a character that does not exist.")
          : (named[entity] ?? "")
      if (forbidden.test(character)) return invalid("It contains a reference to a character that XML does not allow.")
      resolved += raw.slice(from, amp) + character
      from = amp + whole.length
    }
    return resolved + raw.slice(from)
  }
  const close = () => {
    const closed = open.pop()
    if (closed === undefined) return invalid("An end tag has no start tag.")
    const parent = open.at(-1)
    if (parent === undefined) root = closed.element
    else parent.element.children.push(closed.element)
    return closed
  }

  const startTag = () => {
    elements += 1
    if (elements > elementsMax) return invalid(`It has more than ${elementsMax} elements.`)
    if (open.length === depthMax) return invalid(`It is more than ${depthMax} levels deep.`)
    if (root !== undefined) return invalid("It has a second root.")
    const [prefix, local] = takeQualified()
    const declared: Array<readonly [string, string]> = []
    const raw: Array<readonly [prefix: string, local: string, value: string]> = []
    const seen = new Set<string>()
    for (;;) {
      const spaced = match(space)?.[0] !== ""
      if (text[at] === ">" || text[at] === "/" || at >= text.length) break
      if (!spaced) return invalid("Attributes must be separated by spaces.")
      const [attributePrefix, attributeLocal] = takeQualified()
      match(space)
      take("=")
      match(space)
      const quote = text[at]
      if (quote !== '"' && quote !== "'") return invalid("An attribute's value must be quoted.")
      at += 1
      const between = until(quote)
      if (between.includes("<")) return invalid("An attribute's value contains <.")
      const value = resolve(between.replace(/[\t\n]/g, " "))
      const qualified = `${attributePrefix}:${attributeLocal}`
      if (seen.has(qualified)) return invalid("An element has the same attribute twice.")
      seen.add(qualified)
      if (seen.size > attributesMax) return invalid(`An element has more than ${attributesMax} attributes.`)
      if (attributePrefix === "xmlns") {
        if (attributeLocal === "xmlns" || value === "") return invalid("A namespace declaration is invalid.")
        if ((attributeLocal === "xml") !== (value === xmlNamespace) || value === xmlnsNamespace) {
          return invalid("A namespace declaration is invalid.")
        }
        declared.push([attributeLocal, value])
      } else if (attributePrefix === "" && attributeLocal === "xmlns") {
        if (value === xmlNamespace || value === xmlnsNamespace) return invalid("A namespace declaration is invalid.")
        declared.push(["", value])
      } else {
        raw.push([attributePrefix, attributeLocal, value])
      }
    }
    attributesInAll += seen.size
    if (attributesInAll > elementsMax * attributesMaxEach) return invalid("It has too many attributes.")
    const outer = open.at(-1)?.scope ?? new Map([["xml", xmlNamespace]])
    const scope = declared.length === 0 ? outer : new Map([...outer, ...declared])
    if (scope.size > prefixesInScopeMax) return invalid(`More than ${prefixesInScopeMax} namespaces are in scope.`)
    const uriOf = (of: string) => scope.get(of) ?? invalid("A prefix is not declared.")
    const attributes = raw.map(([of, attribute, value]) => ({
      prefix: of,
      local: attribute,
      uri: of === "" ? "" : uriOf(of),
      value
    }))
    if (new Set(attributes.map((one) => `${one.uri} ${one.local}`)).size < attributes.length) {
      return invalid("An element has the same attribute twice.")
    }
    open.push({
      element: {
        prefix,
        local,
        uri: prefix === "" ? (scope.get("") ?? "") : uriOf(prefix),
        declarations: declared,
        attributes,
        children: []
      },
      tag: prefix === "" ? local : `${prefix}:${local}`,
      scope
    })
    if (text[at] === "/") {
      take("/>")
      close()
    } else {
      take(">")
    }
  }

  match(declaration)
  while (at < text.length) {
    const next = text.indexOf("<", at)
    const raw = text.slice(at, next === -1 ? text.length : next)
    if (raw !== "") {
      if (raw.includes("]]>")) return invalid("Text contains ]]>.")
      const parent = open.at(-1)
      if (parent !== undefined) append(parent.element.children, resolve(raw))
      else if (raw.trim() !== "") return invalid("There is text outside the root.")
      at += raw.length
    } else if (text.startsWith("<!--", at)) {
      at += 4
      until("--")
      take(">")
    } else if (text.startsWith("<![CDATA[", at)) {
      at += 9
      const parent = open.at(-1)
      if (parent === undefined) return invalid("There is text outside the root.")
      append(parent.element.children, until("]]>"))
    } else if (text.startsWith("<!", at)) {
      return invalid("It has a document type.")
    } else if (text.startsWith("<?", at)) {
      return invalid("It has a processing instruction.")
    } else if (text.startsWith("</", at)) {
      at += 2
      const [prefix, local] = takeQualified()
      match(space)
      take(">")
      if (close().tag !== (prefix === "" ? local : `${prefix}:${local}`))
        return invalid("Elements are not nested correctly.")
    } else {
      at += 1
      startTag()
    }
  }
  if (open.length > 0) return invalid("An element has no end tag.")
  return root ?? invalid("It is empty.")
}

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\t": "&#x9;",
  "\n": "&#xA;",
  "\r": "&#xD;"
}
export const escapeText = (text: string) => text.replace(/[&<>\r]/g, (character) => escapes[character] ?? character)
export const escapeAttribute = (text: string) =>
  text.replace(/[&<>"\t\n\r]/g, (character) => escapes[character] ?? character)

/** Writes a document in a uniform syntax with the same canonical form, so that its signatures remain valid. */
export const writeXml = (element: XmlElement): string => {
  const tag = element.prefix === "" ? element.local : `${element.prefix}:${element.local}`
  const declarations = element.declarations
    .map(([prefix, uri]) => ` xmlns${prefix === "" ? "" : `:${prefix}`}="${escapeAttribute(uri)}"`)
    .join("")
  const attributes = element.attributes
    .map((one) => ` ${one.prefix === "" ? "" : `${one.prefix}:`}${one.local}="${escapeAttribute(one.value)}"`)
    .join("")
  const inner = element.children.map((child) => (typeof child === "string" ? escapeText(child) : writeXml(child)))
  return `<${tag}${declarations}${attributes}>${inner.join("")}</${tag}>`
}

export const elementsOf = (element: XmlElement): ReadonlyArray<XmlElement> =>
  element.children.filter((child) => typeof child !== "string")

/** The children with this name. */
export const childrenOf = (element: XmlElement, uri: string, local: string): ReadonlyArray<XmlElement> =>
  elementsOf(element).filter((child) => child.local === local && child.uri === uri)

/** The value of an attribute without a namespace. */
export const attributeOf = (element: XmlElement, local: string): string | undefined =>
  element.attributes.find((one) => one.local === local && one.prefix === "")?.value

const isSpace = (character: string | undefined) =>
  character === " " || character === "\t" || character === "\n" || character === "\r"

/** Does not use a regular expression, which would take quadratic time for a long run of spaces. */
const trimmed = (text: string) => {
  let start = 0
  let end = text.length
  while (start < end && isSpace(text[start])) start += 1
  while (end > start && isSpace(text[end - 1])) end -= 1
  return text.slice(start, end)
}

/** The trimmed text of an element that contains only text. */
export const textOf = (element: XmlElement | undefined): string | undefined => {
  const texts = element?.children.filter((child) => typeof child === "string")
  return texts === undefined || texts.length < (element?.children.length ?? 0) ? undefined : trimmed(texts.join(""))
}

/** An element and all its descendants. */
export function* allOf(element: XmlElement): Generator<XmlElement> {
  yield element
  for (const child of elementsOf(element)) yield* allOf(child)
}
