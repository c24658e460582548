import { refuse, ScimFault } from "./fault.ts"
import { isList, isRecord, type Json, type JsonObject } from "./json.ts"
import { parsePath } from "./parser.ts"
import {
  attributeNamed,
  commonAttributes,
  extensionNamed,
  placeOf,
  type ResourceType,
  resourceTypes
} from "./schemas.ts"

/** Attributes and sub-attributes by name; those of an extension are below its URN. */
type Tree = ReadonlyMap<string, Tree | "whole">

/** The attributes of a resource that a response contains (RFC 7644 §3.9). */
export type Selection =
  | { readonly kind: "default" }
  | { readonly kind: "only"; readonly tree: Tree }
  | { readonly kind: "without"; readonly tree: Tree }

const namesMax = 200

const split = (given: string | ReadonlyArray<string> | undefined): ReadonlyArray<string> =>
  (typeof given === "string" ? [given] : (given ?? []))
    .flatMap((text) => text.split(","))
    .map((name) => name.trim())
    .filter((name) => name !== "")

const placesOf = (type: ResourceType, text: string): ReadonlyArray<ReadonlyArray<string>> => {
  let path
  try {
    path = parsePath(text)
  } catch (fault) {
    if (fault instanceof ScimFault) return []
    throw fault
  }
  if (path.kind === "schema") {
    const { core } = resourceTypes[type]
    if (path.schema.toLowerCase() === core.id.toLowerCase()) return core.attributes.map(({ name }) => [name])
    const extension = extensionNamed(type, path.schema)
    return extension === undefined ? [] : [[extension.id]]
  }
  const place = path.filter === undefined ? placeOf(type, path.name) : undefined
  return place === undefined
    ? []
    : [[place.extension, place.attribute.name, place.sub?.name].filter((name) => name !== undefined)]
}

const treeOf = (type: ResourceType, names: ReadonlyArray<string>): Tree => {
  const root = new Map<string, Tree | "whole">()
  for (const steps of names.flatMap((name) => placesOf(type, name))) {
    let tree = root
    for (const [index, step] of steps.entries()) {
      const there = tree.get(step)
      if (there === "whole") break
      if (index === steps.length - 1) tree.set(step, "whole")
      else {
        const next = new Map(there)
        tree.set(step, next)
        tree = next
      }
    }
  }
  return root
}

/** The two lists are mutually exclusive; unknown names are ignored. */
export const parseSelection = (
  type: ResourceType,
  query: {
    readonly attributes?: string | ReadonlyArray<string> | undefined
    readonly excludedAttributes?: string | ReadonlyArray<string> | undefined
  }
): Selection => {
  const only = split(query.attributes)
  const without = split(query.excludedAttributes)
  if (only.length > 0 && without.length > 0) {
    throw refuse("invalidValue", "attributes and excludedAttributes cannot be used together.")
  }
  if (only.length + without.length > namesMax)
    throw refuse("invalidValue", `At most ${namesMax} attributes can be listed.`)
  if (only.length > 0) return { kind: "only", tree: treeOf(type, only) }
  return without.length > 0 ? { kind: "without", tree: treeOf(type, without) } : { kind: "default" }
}

/** Whether a response contains an attribute. Groups and members require another query. */
export const wants = (selection: Selection, attribute: "groups" | "members"): boolean => {
  const selected = selection.kind === "default" ? undefined : selection.tree.get(attribute)
  return selection.kind === "only" ? selected !== undefined : selected !== "whole"
}

const only = (tree: Tree, value: Json): Json | undefined => {
  if (isList(value)) {
    const elements = value.flatMap((one) => only(tree, one) ?? [])
    return elements.length === 0 ? undefined : elements
  }
  if (!isRecord(value)) return value
  const members = Object.entries(value).flatMap(([name, member]): ReadonlyArray<readonly [string, Json]> => {
    const below = tree.get(name)
    const part = below === undefined ? undefined : below === "whole" ? member : only(below, member)
    return part === undefined ? [] : [[name, part]]
  })
  return members.length === 0 ? undefined : Object.fromEntries(members)
}

const less = (tree: Tree, value: Json): Json | undefined => {
  if (isList(value)) {
    const elements = value.flatMap((one) => less(tree, one) ?? [])
    return elements.length === 0 ? undefined : elements
  }
  if (!isRecord(value)) return value
  const members = Object.entries(value).flatMap(([name, member]): ReadonlyArray<readonly [string, Json]> => {
    const below = tree.get(name)
    const part = below === undefined ? member : below === "whole" ? undefined : less(below, member)
    return part === undefined ? [] : [[name, part]]
  })
  return members.length === 0 ? undefined : Object.fromEntries(members)
}

const isAlways = (type: ResourceType, name: string): boolean =>
  attributeNamed([...commonAttributes, ...resourceTypes[type].core.attributes], name)?.returned === "always"

/** The selected attributes, and those that are always returned. */
export const project = (type: ResourceType, wire: JsonObject, selection: Selection): JsonObject => {
  if (selection.kind === "default") return wire
  const { kind, tree } = selection
  const chosen = kind === "only" ? only(tree, wire) : less(tree, wire)
  const projection = isRecord(chosen) ? chosen : {}
  return Object.fromEntries(
    Object.entries(wire).flatMap(([name, value]): ReadonlyArray<readonly [string, Json]> => {
      const part = isAlways(type, name) ? value : projection[name]
      return part === undefined ? [] : [[name, part]]
    })
  )
}
