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
  description: "A user of the directory.",
  attributes: userAttributes
}

export const enterpriseSchema: ScimSchema = {
  id: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User",
  name: "EnterpriseUser",
  description: "Enterprise attributes of a user.",
  attributes: enterpriseAttributes
}

export const groupSchema: ScimSchema = {
  id: "urn:ietf:params:scim:schemas:core:2.0:Group",
  name: "Group",
  description: "A group of the directory, which becomes a team.",
  attributes: [
    string("displayName", "The group's name. Unique in the directory, regardless of case.", {
      required: true,
      uniqueness: "server"
    }),
    complex(
      "members",
      "Users of the same directory. Nested groups are not supported.",
      [
        string("value", "The user's ID.", { caseExact: true, mutability: "immutable" }),
        reference("$ref", "URL of the user.", ["User"], { mutability: "immutable" }),
        string("display", "The user's displayName, otherwise userName.", { mutability: "readOnly" }),
        string("type", "Always User.", { canonicalValues: ["User"], mutability: "immutable" })
      ],
      { multiValued: true }
    )
  ]
}

export const externalId = string("externalId", "The resource's ID in the directory.", { caseExact: true })
/** RFC 7643 §3.1: attributes of every resource, which the discovery documents omit. */
export const commonAttributes: ReadonlyArray<Attribute> = [
  reference("schemas", "The schemas of the resource.", ["uri"], { multiValued: true, returned: "always" }),
  string("id", "The resource's ID in orgplane.", {
    caseExact: true,
    mutability: "readOnly",
    returned: "always",
    uniqueness: "server"
  }),
  externalId,
  complex(
    "meta",
    "Metadata of the resource.",
    [
      string("resourceType", "User or Group.", { caseExact: true, mutability: "readOnly" }),
      dateTime("created", "When it was created.", { mutability: "readOnly" }),
      dateTime("lastModified", "When it was last changed.", { mutability: "readOnly" }),
      reference("location", "URL of the resource.", ["uri"], { mutability: "readOnly" }),
      string("version", "The version, as in the ETag.", { caseExact: true, mutability: "readOnly" })
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
  User: { core: userSchema, extensions: [enterpriseSchema], endpoint: "/Users", description: "Users" },
  Group: { core: groupSchema, extensions: [], endpoint: "/Groups", description: "Groups, which become teams" }
}

/** The location of an attribute in a resource. */
export interface Place {
  /** The extension's URN; undefined for core attributes. */
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

/** An attribute's name as written: with an optional schema before it and sub-attribute after it. */
export interface Name {
  readonly schema: string | undefined
  readonly attribute: string
  readonly sub: string | undefined
}

const isSame = (left: string, right: string) => left.toLowerCase() === right.toLowerCase()

export const extensionNamed = (type: ResourceType, urn: string): ScimSchema | undefined =>
  resourceTypes[type].extensions.find(({ id }) => isSame(id, urn))

/** The attribute of a resource type; undefined when it has none with this name. */
const attributeOf = (type: ResourceType, { schema, attribute }: Name) => {
  const { core, extensions } = resourceTypes[type]
  if (schema !== undefined && !isSame(schema, core.id)) {
    const extension = extensionNamed(type, schema)
    const inExtension = named(extension?.attributes, attribute)
    return inExtension === undefined ? undefined : { extension: extension?.id, attribute: inExtension }
  }
  const coreAttribute = named(core.attributes, attribute) ?? named(commonAttributes, attribute)
  if (coreAttribute !== undefined) return { extension: undefined, attribute: coreAttribute }
  // Entra uses `manager` without its schema.
  if (schema === undefined) {
    for (const extension of extensions) {
      const inside = named(extension.attributes, attribute)
      if (inside !== undefined) return { extension: extension.id, attribute: inside }
    }
  }
  return undefined
}

export const placeOf = (type: ResourceType, name: Name): Place | undefined => {
  const place = attributeOf(type, name)
  if (place === undefined || name.sub === undefined) return place && { ...place, sub: undefined }
  const sub = named(place.attribute.subAttributes, name.sub)
  return sub && { ...place, sub }
}

export const spell = ({ schema, attribute, sub }: Name): string =>
  `${schema === undefined ? "" : `${schema}:`}${attribute}${sub === undefined ? "" : `.${sub}`}`
