import type { Attribute } from "./attribute.ts"
import { refuse, ScimFault } from "./fault.ts"
import { isList, isRecord, type Json, type JsonObject, listOf } from "./json.ts"
import { MembersDraft, type MembersChange, namedByFilter, readMemberIds } from "./members.ts"
import { parsePath } from "./parser.ts"
import { perform, type Verb } from "./patch-values.ts"
import type { Normalized } from "./resource.ts"
import { extensionNamed, placeOf, type ResourceType, resourceTypes, spell } from "./schemas.ts"
import { settle } from "./settle.ts"
import type { Filter, Path } from "./syntax.ts"

export const patchUrn = "urn:ietf:params:scim:api:messages:2.0:PatchOp"
/** Maximum per request. */
export const operationsMax = 1000
/** Maximum number of values read or written per request, counted for each comparison: far more than providers need. */
export const looksMax = 50_000

export interface Patched extends Normalized {
  /** The changes of a group's members, if an operation changes them. */
  readonly members: MembersChange | undefined
}

interface Operation {
  readonly verb: Verb
  readonly path: string | undefined
  /** Undefined when it is absent. */
  readonly value: Json | undefined
}

const memberOf = (object: JsonObject, wanted: string): Json | undefined =>
  Object.entries(object).find(([name]) => name.toLowerCase() === wanted)?.[1]

const verbs: Readonly<Record<string, Verb>> = { add: "add", replace: "replace", remove: "remove" }

const readOperation = (input: Json): Operation => {
  if (!isRecord(input)) throw refuse("invalidSyntax", "An operation must be an object.")
  const op = memberOf(input, "op")
  // Entra sends `Add`.
  const word = typeof op === "string" ? op.toLowerCase() : ""
  const verb = Object.hasOwn(verbs, word) ? verbs[word] : undefined
  if (verb === undefined) throw refuse("invalidSyntax", "op must be one of: add, replace, remove.")
  const path = memberOf(input, "path") ?? undefined
  if (path !== undefined && typeof path !== "string") throw refuse("invalidPath", "path must be a string.")
  const value = memberOf(input, "value")
  if (verb === "remove" && (path === undefined || path === "")) throw refuse("noTarget", "remove requires a path.")
  if (verb !== "remove" && value === undefined) throw refuse("invalidValue", `${verb} requires a value.`)
  return { verb, path: path === "" ? undefined : path, value }
}

const readOperations = (body: unknown): ReadonlyArray<Operation> => {
  const input = body as Json | undefined
  if (!isRecord(input)) throw refuse("invalidSyntax", "The body must be a JSON object.")
  const schemas = memberOf(input, "schemas")
  const wanted = patchUrn.toLowerCase()
  if (!isList(schemas) || !schemas.some((schema) => typeof schema === "string" && schema.toLowerCase() === wanted)) {
    throw refuse("invalidSyntax", `schemas must contain ${patchUrn}.`)
  }
  const operations = memberOf(input, "operations")
  if (!isList(operations) || operations.length === 0) {
    throw refuse("invalidSyntax", "Operations must be a list of at least one operation.")
  }
  if (operations.length > operationsMax) {
    throw new ScimFault({ status: 413, detail: `A request can contain at most ${operationsMax} operations.` })
  }
  return operations.map(readOperation)
}

const comparisons = (filter: Filter): number => {
  switch (filter.kind) {
    case "and":
    case "or":
      return filter.filters.reduce((sum, one) => sum + comparisons(one), 0)
    case "not":
    case "value":
      return comparisons(filter.filter)
    default:
      return 1
  }
}

type AttributePath = Extract<Path, { readonly kind: "attribute" }>

class Draft {
  readonly #type: ResourceType
  readonly #object: Record<string, Json>
  readonly members = new MembersDraft()
  #looks = 0

  constructor(type: ResourceType, resource: JsonObject) {
    this.#type = type
    this.#object = { ...resource }
  }

  get object(): JsonObject {
    return this.#object
  }

  #home(extension: string | undefined): JsonObject {
    const home = extension === undefined ? this.#object : this.#object[extension]
    return isRecord(home) ? home : {}
  }

  #set(extension: string | undefined, name: string, value: Json | undefined): void {
    const home: Record<string, Json> = extension === undefined ? this.#object : { ...this.#home(extension) }
    if (value === undefined) delete home[name]
    else home[name] = value
    if (extension !== undefined) this.#object[extension] = home
  }

  apply({ path, value, verb }: Operation): void {
    if (path !== undefined) this.#atPath(verb, parsePath(path), value, path, true)
    else this.#everywhere(verb, value)
  }

  /** Without a path, every member of the value is a separate operation, whose name may be a path (Entra). */
  #everywhere(verb: Verb, value: Json | undefined, extension?: string): void {
    if (!isRecord(value)) throw refuse("invalidValue", `${verb} without a path requires an object.`)
    for (const [name, one] of Object.entries(value)) {
      const text = extension === undefined ? name : `${extension}:${name}`
      const path = parsedPath(text)
      if (path !== undefined) this.#atPath(verb, path, one, text, false)
    }
  }

  /**
   * A path must name an attribute that exists and can be changed. In a value without a path, other members are ignored:
   * Okta also sends a group's ID.
   */
  #atPath(verb: Verb, path: Path, value: Json | undefined, where: string, isStrict: boolean): void {
    if (path.kind === "schema") return this.#atSchema(verb, path.schema, value, isStrict)
    const place = placeOf(this.#type, path.name)
    if (place === undefined) {
      if (!isStrict) return
      throw refuse("invalidPath", `The attribute ${spell(path.name)} does not exist.`)
    }
    const { attribute, extension, sub } = place
    if (attribute.name === "schemas") return
    if (attribute.name === "members") return this.#atMembers(verb, path, value)
    if (attribute.mutability === "readOnly") {
      if (!isStrict) return
      throw refuse("mutability", `The attribute ${spell(path.name)} is read-only.`)
    }
    const present = this.#home(extension)[attribute.name]
    this.#count(path.filter, present, value)
    const after = perform({ verb, attribute, sub, filter: path.filter, value, where }, present)
    if (after === undefined) this.#checkRemovable(verb, attribute)
    // A password is validated like any text, but not stored.
    this.#set(extension, attribute.name, attribute.returned === "never" ? undefined : after)
  }

  #checkRemovable(verb: Verb, { name, required }: Attribute): void {
    if (required && verb === "remove") throw refuse("mutability", `${name} is required and cannot be removed.`)
    if (required) throw refuse("invalidValue", `${name} is required.`)
    if (name === "active") throw refuse("invalidValue", "active must be true or false.")
  }

  #count(filter: Filter | undefined, present: Json | undefined, value: Json | undefined): void {
    this.#looks +=
      (1 + (filter === undefined ? 0 : comparisons(filter))) * listOf(present).length + listOf(value).length
    if (this.#looks > looksMax) {
      throw new ScimFault({
        status: 413,
        detail: "The operations read or write too many values. Send several requests."
      })
    }
  }

  #atSchema(verb: Verb, schema: string, value: Json | undefined, isStrict: boolean): void {
    const extension = extensionNamed(this.#type, schema)
    if (extension === undefined) {
      if (schema.toLowerCase() === resourceTypes[this.#type].core.id.toLowerCase() && verb !== "remove") {
        return this.#everywhere(verb, value)
      }
      if (!isStrict) return
      throw refuse("invalidPath", `A ${this.#type} does not have the schema ${schema}.`)
    }
    if (verb === "remove" || value === null) delete this.#object[extension.id]
    else this.#everywhere(verb, value, extension.id)
  }

  #atMembers(verb: Verb, { filter, name }: AttributePath, value: Json | undefined): void {
    if (name.sub !== undefined) throw refuse("mutability", "The attributes of a member are read-only.")
    if (filter !== undefined) {
      if (verb !== "remove") throw refuse("mutability", "A member can be added or removed, but not changed.")
      return this.members.remove(namedByFilter(filter))
    }
    if (verb === "add") this.members.add(readMemberIds(value ?? null))
    else if (verb === "replace") this.members.replace(readMemberIds(value ?? null))
    // Entra lists the removed members in `value`; without a list, all are removed.
    else if (value === undefined || value === null) this.members.replace([])
    else this.members.remove(readMemberIds(value))
  }
}

const parsedPath = (text: string): Path | undefined => {
  try {
    return parsePath(text)
  } catch (fault) {
    if (fault instanceof ScimFault) return undefined
    throw fault
  }
}

/**
 * RFC 7644 §3.5.2: applies all operations in order, or none. A group's resource has no members: their changes are
 * returned as IDs.
 */
export const applyPatch = (type: ResourceType, resource: JsonObject, body: unknown): Patched => {
  const operations = readOperations(body)
  const draft = new Draft(type, resource)
  for (const operation of operations) draft.apply(operation)
  return { ...settle(type, draft.object), members: draft.members.change }
}
