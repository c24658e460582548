import { type Attribute, complex, dateTime, reference, string } from "./attribute.ts"
import { enterpriseAttributes, userAttributes } from "./user-schema.ts"

export type ResourceType = "User" | "Group"

export interface ScimSchema {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly attributes: ReadonlyArray<Attribute>
}

export const userSchema: ScimSchema = {
  id: "urn:ietf:params:scim:schemas:core:2.0:User",
  name: "User",
  description: "A person of the directory.",
  attributes: userAttributes
}

export const enterpriseSchema: ScimSchema = {
  id: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User",
  name: "EnterpriseUser",
  description: "What a company says of a person.",
  attributes: enterpriseAttributes
}

export const groupSchema: ScimSchema = {
  id: "urn:ietf:params:scim:schemas:core:2.0:Group",
  name: "Group",
  description: "A group of the directory, which is a team here.",
  attributes: [
    string("displayName", "The group's name; unique in the directory, whatever its case.", {
      required: true,
      uniqueness: "server"
    }),
    complex(
      "members",
      "Users of the same directory. Groups are no members.",
      [
        string("value", "The user's id.", { caseExact: true, mutability: "immutable" }),
        reference("$ref", "Where the user is.", ["User"], { mutability: "immutable" }),
        string("display", "The user's displayName, or else userName.", { mutability: "readOnly" }),
        string("type", "Always User.", { canonicalValues: ["User"], mutability: "immutable" })
      ],
      { multiValued: true }
    )
  ]
}

export const externalId = string("externalId", "What the directory knows the resource by.", { caseExact: true })

/** RFC 7643 §3.1: every resource has these; the discovery documents do not show them. */
export const commonAttributes: ReadonlyArray<Attribute> = [
  reference("schemas", "The schemas that the resource is of.", ["uri"], { multiValued: true, returned: "always" }),
  string("id", "What we know the resource by.", {
    caseExact: true,
    mutability: "readOnly",
    returned: "always",
    uniqueness: "server"
  }),
  externalId,
  complex(
    "meta",
    "About the resource.",
    [
      string("resourceType", "User or Group.", { caseExact: true, mutability: "readOnly" }),
      dateTime("created", "When it was made.", { mutability: "readOnly" }),
      dateTime("lastModified", "When it last changed.", { mutability: "readOnly" }),
      reference("location", "Where it is.", ["uri"], { mutability: "readOnly" }),
      string("version", "Its version, as the ETag.", { caseExact: true, mutability: "readOnly" })
    ],
    { mutability: "readOnly" }
  )
]

interface Kind {
  readonly core: ScimSchema
  readonly extensions: ReadonlyArray<ScimSchema>
  readonly endpoint: string
  readonly description: string
}

export const resourceTypes: Readonly<Record<ResourceType, Kind>> = {
  User: { core: userSchema, extensions: [enterpriseSchema], endpoint: "/Users", description: "People" },
  Group: { core: groupSchema, extensions: [], endpoint: "/Groups", description: "Groups, which are teams" }
}

/** Where an attribute stands in a resource. */
export interface Place {
  /** The extension's URN when it does not stand at the top. */
  readonly extension: string | undefined
  readonly attribute: Attribute
  readonly sub: Attribute | undefined
}

const byName = new WeakMap<ReadonlyArray<Attribute>, ReadonlyMap<string, Attribute>>()

const named = (attributes: ReadonlyArray<Attribute> | undefined, name: string): Attribute | undefined => {
  if (attributes === undefined) return undefined
  let index = byName.get(attributes)
  if (index === undefined) {
    index = new Map(attributes.map((attribute) => [attribute.name.toLowerCase(), attribute]))
    byName.set(attributes, index)
  }
  return index.get(name.toLowerCase())
}
export { named as attributeNamed }

/** An attribute's name as it was written: the schema before it, the sub-attribute behind it. */
export interface Name {
  readonly schema: string | undefined
  readonly attribute: string
  readonly sub: string | undefined
}

const isSame = (left: string, right: string) => left.toLowerCase() === right.toLowerCase()

export const extensionNamed = (type: ResourceType, urn: string): ScimSchema | undefined =>
  resourceTypes[type].extensions.find(({ id }) => isSame(id, urn))

/** Of the resource type; undefined when it has none of that name. */
const attributeOf = (type: ResourceType, { schema, attribute }: Name) => {
  const { core, extensions } = resourceTypes[type]
  if (schema !== undefined && !isSame(schema, core.id)) {
    const extension = extensionNamed(type, schema)
    const found = named(extension?.attributes, attribute)
    return found === undefined ? undefined : { extension: extension?.id, attribute: found }
  }
  const found = named(core.attributes, attribute) ?? named(commonAttributes, attribute)
  if (found !== undefined) return { extension: undefined, attribute: found }
  // Entra asks for `manager` without its schema.
  if (schema === undefined) {
    for (const extension of extensions) {
      const inside = named(extension.attributes, attribute)
      if (inside !== undefined) return { extension: extension.id, attribute: inside }
    }
  }
  return undefined
}

export const placeOf = (type: ResourceType, name: Name): Place | undefined => {
  const found = attributeOf(type, name)
  if (found === undefined || name.sub === undefined) return found && { ...found, sub: undefined }
  const sub = named(found.attribute.subAttributes, name.sub)
  return sub && { ...found, sub }
}

export const spell = ({ schema, attribute, sub }: Name): string =>
  `${schema === undefined ? "" : `${schema}:`}${attribute}${sub === undefined ? "" : `.${sub}`}`
