/**
 * The SCIM language: attributes, filters, paths, patches, and the representation of resources. Nothing here depends on
 * requests, and only `filter-sql.ts` and `sort.ts` depend on a database.
 */
export { attemptParse, refuse, ScimFault, type ScimType } from "./fault.ts"
export { fold } from "./fold.ts"
export { isSame, type Json, type JsonObject } from "./json.ts"
export { enterpriseSchema, groupSchema, type ResourceType, resourceTypes, userSchema } from "./schemas.ts"
export type { Filter, Path } from "./syntax.ts"
export { parseFilter, parsePath } from "./parser.ts"
export { filterSql } from "./filter-sql.ts"
export { type SortOrder, sortSql } from "./sort.ts"
export { evaluate } from "./evaluate.ts"
export type { Columns, Normalized } from "./resource.ts"
export { type Mode, normalize, type NormalizedWhole } from "./normalize.ts"
export { membersInAllMax, membersMax, type MembersChange } from "./members.ts"
export { applyPatch, operationsMax, type Patched, patchUrn } from "./patch.ts"
export { parseSelection, project, type Selection, wants } from "./project.ts"
export { etag, locationOf, type Related, type Stored, toWire } from "./wire.ts"
export { resourceTypeDocuments, schemaDocuments } from "./discovery.ts"
