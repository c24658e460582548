import type { Attribute } from "./attribute.ts"
import {
  enterpriseSchema,
  groupSchema,
  resourceTypes,
  type ResourceType,
  type ScimSchema,
  userSchema
} from "./schemas.ts"
import type { JsonObject } from "./json.ts"

/** RFC 7643 §7: an attribute as `/Schemas` returns it. */
const attributeDocument = ({ subAttributes, ...attribute }: Attribute): JsonObject => {
  const { canonicalValues, caseExact, referenceTypes, uniqueness, ...rest } = attribute
  return {
    ...rest,
    ...(attribute.type === "complex" ? {} : { caseExact, uniqueness }),
    ...(canonicalValues === undefined ? {} : { canonicalValues }),
    ...(referenceTypes === undefined ? {} : { referenceTypes }),
    ...(subAttributes === undefined ? {} : { subAttributes: subAttributes.map(attributeDocument) })
  }
}

const schemaDocument = ({ attributes, description, id, name }: ScimSchema, baseUrl: string): JsonObject => ({
  schemas: ["urn:ietf:params:scim:schemas:core:2.0:Schema"],
  id,
  name,
  description,
  attributes: attributes.map(attributeDocument),
  meta: { resourceType: "Schema", location: `${baseUrl}/Schemas/${id}` }
})

const resourceTypeDocument = (type: ResourceType, baseUrl: string): JsonObject => {
  const { core, description, endpoint, extensions } = resourceTypes[type]
  return {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"],
    id: type,
    name: type,
    description,
    endpoint,
    schema: core.id,
    schemaExtensions: extensions.map(({ id }) => ({ schema: id, required: false })),
    meta: { resourceType: "ResourceType", location: `${baseUrl}/ResourceTypes/${type}` }
  }
}

/** The response of `/Schemas`. */
export const schemaDocuments = (baseUrl: string): ReadonlyArray<JsonObject & { readonly id: string }> =>
  [userSchema, enterpriseSchema, groupSchema].map((schema) => ({ ...schemaDocument(schema, baseUrl), id: schema.id }))

/** The response of `/ResourceTypes`. */
export const resourceTypeDocuments = (baseUrl: string): ReadonlyArray<JsonObject & { readonly id: string }> =>
  (["User", "Group"] as const).map((type) => ({ ...resourceTypeDocument(type, baseUrl), id: type }))
