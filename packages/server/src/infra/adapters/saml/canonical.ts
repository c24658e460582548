import { escapeText, type XmlElement } from "./xml.ts"

type Scope = ReadonlyMap<string, string>

const attributeEscapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  '"': "&quot;",
  "\t": "&#x9;",
  "\n": "&#xA;",
  "\r": "&#xD;"
}
const escaped = (text: string) => text.replace(/[&<"\t\n\r]/g, (character) => attributeEscapes[character] ?? character)

const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
const qualified = (prefix: string, local: string) => (prefix === "" ? local : `${prefix}:${local}`)

const within = (outer: Scope, element: XmlElement): Scope =>
  element.declarations.length === 0 ? outer : new Map([...outer, ...element.declarations])

/**
 * The exclusive canonical form (https://www.w3.org/TR/xml-exc-c14n/, without comments) of the last element of a path
 * from the root, without the child `omitted`. Prefixes in `inclusive` that are in scope are declared even if they are
 * not visibly used.
 */
export const canonical = (
  path: ReadonlyArray<XmlElement>,
  inclusive: ReadonlySet<string>,
  omitted?: XmlElement
): string => {
  const parts: Array<string> = []
  const write = (element: XmlElement, outer: Scope, written: Scope): void => {
    const scope = within(outer, element)
    const prefixes = new Set([element.prefix, ...element.attributes.map(({ prefix }) => prefix).filter(Boolean)])
    for (const prefix of inclusive) if (scope.has(prefix)) prefixes.add(prefix)
    prefixes.delete("xml")
    const declared = [...prefixes]
      .map((prefix) => [prefix, scope.get(prefix) ?? ""] as const)
      .filter(([prefix, uri]) => uri !== (written.get(prefix) ?? ""))
      .sort(([a], [b]) => order(a, b))
    const attributes = element.attributes.toSorted((a, b) => order(a.uri, b.uri) || order(a.local, b.local))
    const tag = qualified(element.prefix, element.local)
    parts.push("<", tag)
    for (const [prefix, uri] of declared)
      parts.push(prefix === "" ? " xmlns" : ` xmlns:${prefix}`, `="${escaped(uri)}"`)
    for (const { local, prefix, value } of attributes) parts.push(` ${qualified(prefix, local)}="${escaped(value)}"`)
    parts.push(">")
    const inner = declared.length === 0 ? written : new Map([...written, ...declared])
    for (const child of element.children) {
      if (typeof child === "string") parts.push(escapeText(child))
      else if (child !== omitted) write(child, scope, inner)
    }
    parts.push("</", tag, ">")
  }
  const apex = path.at(-1)
  if (apex === undefined) return ""
  const outer = path.slice(0, -1).reduce<Scope>(within, new Map())
  write(apex, outer, new Map())
  return parts.join("")
}
