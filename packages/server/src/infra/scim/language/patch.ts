import type { Attribute } from "./attribute.ts"
import { refuse, ScimFault } from "./fault.ts"
import { isList, isRecord, type Json, type JsonObject, listOf } from "./json.ts"
import { MembersDraft, type MembersChange, namedByFilter, readMemberIds } from "./members.ts"
import { parsePath } from "./parser.ts"
import { perform, type Verb } from "./patch-values.ts"
import type { Normalised } from "./resource.ts"
import { extensionNamed, placeOf, type ResourceType, resourceTypes, spell } from "./schemas.ts"
import { settle } from "./settle.ts"
import type { Filter, Path } from "./syntax.ts"

export const patchUrn = "urn:ietf:params:scim:api:messages:2.0:PatchOp"
/** In one request. */
export const operationsMax = 1000
/** Values that its operations look at and bring, once for every comparison: some hundred times what providers need. */
export const looksMax = 50_000

export interface Patched extends Normalised {
  /** Of a group, when an operation is about members. */
  readonly members: MembersChange | undefined
}

interface Operation {
  readonly verb: Verb
  readonly path: string | undefined
  /** Undefined when there is none. */
  readonly value: Json | undefined
}

const memberOf = (object: JsonObject, wanted: string): Json | undefined =>
  Object.entries(object).find(([name]) => name.toLowerCase() === wanted)?.[1]

const verbs: Readonly<Record<string, Verb>> = { add: "add", replace: "replace", remove: "remove" }

const readOperation = (input: Json): Operation => {
  if (!isRecord(input)) throw refuse("invalidSyntax", "An operation is to be an object.")
  const op = memberOf(input, "op")
  // Entra says Add.
  const word = typeof op === "string" ? op.toLowerCase() : ""
  const verb = Object.hasOwn(verbs, word) ? verbs[word] : undefined
  if (verb === undefined) throw refuse("invalidSyntax", "op is to be add, replace or remove.")
  const path = memberOf(input, "path") ?? undefined
  if (path !== undefined && typeof path !== "string") throw refuse("invalidPath", "path is to be a text.")
  const value = memberOf(input, "value")
  if (verb === "remove" && (path === undefined || path === "")) throw refuse("noTarget", "remove needs a path.")
  if (verb !== "remove" && value === undefined) throw refuse("invalidValue", `${verb} needs a value.`)
  return { verb, path: path === "" ? undefined : path, value }
}

const readOperations = (body: unknown): ReadonlyArray<Operation> => {
  const input = body as Json | undefined
  if (!isRecord(input)) throw refuse("invalidSyntax", "The body is to be a JSON object.")
  const schemas = memberOf(input, "schemas")
  const wanted = patchUrn.toLowerCase()
  if (!isList(schemas) || !schemas.some((schema) => typeof schema === "string" && schema.toLowerCase() === wanted)) {
    throw refuse("invalidSyntax", `schemas is to name ${patchUrn}.`)
  }
  const operations = memberOf(input, "operations")
  if (!isList(operations) || operations.length === 0) {
    throw refuse("invalidSyntax", "Operations is to be a list of at least one operation.")
  }
  if (operations.length > operationsMax) {
    throw new ScimFault({ status: 413, detail: `More than ${operationsMax} operations at once.` })
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

  /** No path: every member of the value is an operation of its own, and its name may be a path (Entra). */
  #everywhere(verb: Verb, value: Json | undefined, extension?: string): void {
    if (!isRecord(value)) throw refuse("invalidValue", `${verb} without a path needs an object.`)
    for (const [name, one] of Object.entries(value)) {
      const text = extension === undefined ? name : `${extension}:${name}`
      const path = understood(text)
      if (path !== undefined) this.#atPath(verb, path, one, text, false)
    }
  }

  /**
   * What a path names must be there and ours to change. A member of a value without a path may be anything: Okta sends a
   * group's id along.
   */
  #atPath(verb: Verb, path: Path, value: Json | undefined, where: string, isStrict: boolean): void {
    if (path.kind === "schema") return this.#atSchema(verb, path.schema, value, isStrict)
    const place = placeOf(this.#type, path.name)
    if (place === undefined) {
      if (!isStrict) return
      throw refuse("invalidPath", `There is no attribute ${spell(path.name)}.`)
    }
    const { attribute, extension, sub } = place
    if (attribute.name === "schemas") return
    if (attribute.name === "members") return this.#atMembers(verb, path, value)
    if (attribute.mutability === "readOnly") {
      if (!isStrict) return
      throw refuse("mutability", `${spell(path.name)} cannot be changed.`)
    }
    const present = this.#home(extension)[attribute.name]
    this.#count(path.filter, present, value)
    const after = perform({ verb, attribute, sub, filter: path.filter, value, where }, present)
    if (after === undefined) this.#mayGo(verb, attribute)
    // A password is judged like any text, and goes no further.
    this.#set(extension, attribute.name, attribute.returned === "never" ? undefined : after)
  }

  #mayGo(verb: Verb, { name, required }: Attribute): void {
    if (required && verb === "remove") throw refuse("mutability", `${name} is required: it cannot be removed.`)
    if (required) throw refuse("invalidValue", `${name} is required.`)
    if (name === "active") throw refuse("invalidValue", "active is to be true or false.")
  }

  #count(filter: Filter | undefined, present: Json | undefined, value: Json | undefined): void {
    this.#looks +=
      (1 + (filter === undefined ? 0 : comparisons(filter))) * listOf(present).length + listOf(value).length
    if (this.#looks > looksMax) {
      throw new ScimFault({
        status: 413,
        detail: "The operations look at too many values; send them in several requests."
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
      throw refuse("invalidPath", `A ${this.#type} has no ${schema}.`)
    }
    if (verb === "remove" || value === null) delete this.#object[extension.id]
    else this.#everywhere(verb, value, extension.id)
  }

  #atMembers(verb: Verb, { filter, name }: AttributePath, value: Json | undefined): void {
    if (name.sub !== undefined) throw refuse("mutability", "What is said of a member cannot be changed.")
    if (filter !== undefined) {
      if (verb !== "remove") throw refuse("mutability", "A member is added or removed, and not changed.")
      return this.members.remove(namedByFilter(filter))
    }
    if (verb === "add") this.members.add(readMemberIds(value ?? null))
    else if (verb === "replace") this.members.replace(readMemberIds(value ?? null))
    // Entra names in `value` whom it takes out; who names nobody takes out all.
    else if (value === undefined || value === null) this.members.replace([])
    else this.members.remove(readMemberIds(value))
  }
}

const understood = (text: string): Path | undefined => {
  try {
    return parsePath(text)
  } catch (fault) {
    if (fault instanceof ScimFault) return undefined
    throw fault
  }
}

/**
 * RFC 7644 §3.5.2: operations in their order, all or none. A group's resource has no members: what is to become of those
 * comes out as ids.
 */
export const applyPatch = (type: ResourceType, resource: JsonObject, body: unknown): Patched => {
  const operations = readOperations(body)
  const draft = new Draft(type, resource)
  for (const operation of operations) draft.apply(operation)
  return { ...settle(type, draft.object), members: draft.members.change }
}
