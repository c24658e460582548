/**
 * Rows as JSON text, written by hand: only texts that people enter are escaped. The rows are arrays in the order of the
 * statement's columns; times and JSON are texts as PostgreSQL sends them.
 */

const quote = JSON.stringify
const orNull = (text: string | null) => (text === null ? "null" : `"${text}"`)
const quoteOrNull = (text: string | null) => (text === null ? "null" : quote(text))

/** `2026-01-31 12:00:00.123456+00` as `2026-01-31T12:00:00.123Z`; trailing zeros of the fraction are missing. */
const iso = (text: string): string => {
  if (text.length >= 26) return `${text.slice(0, 10)}T${text.slice(11, 23)}Z`
  const millis = text.length === 22 ? ".000" : text.slice(19, -3).padEnd(4, "0")
  return `${text.slice(0, 10)}T${text.slice(11, 19)}${millis}Z`
}
const isoOrNull = (text: string | null) => (text === null ? "null" : `"${iso(text)}"`)

export type PluginCells = readonly [
  id: string,
  organizationId: string,
  name: string,
  description: string | null,
  manifest: string | null,
  createdBy: string | null,
  createdAt: string,
  updatedAt: string,
  archivedAt: string | null,
  deletedAt: string | null,
  memberCount: number,
  marketplaces: string,
  ownLevel: number
]

const extensionJson = (text: string) => {
  const manifest = JSON.parse(text) as { readonly id: string; readonly name: string; readonly description: string }
  const { description, id, name } = manifest
  return `{"id":${quote(id)},"name":${quote(name)},"description":${quote(description)},"manifest":${text}}`
}

export const pluginJson = (row: PluginCells) =>
  `{"id":"${row[0]}","organizationId":"${row[1]}","name":${quote(row[2])},"description":${quoteOrNull(row[3])},` +
  `"createdByOrgMembershipId":${orNull(row[5])},"createdAt":"${iso(row[6])}","updatedAt":"${iso(row[7])}",` +
  `"archivedAt":${isoOrNull(row[8])},"deletedAt":${isoOrNull(row[9])},"memberCount":${row[10]},` +
  `"marketplaces":${row[11]},"pendingReleaseId":null,"extension":${row[4] === null ? "null" : extensionJson(row[4])}}`

export type MappingCells = readonly [
  id: string,
  instanceId: string,
  targetId: string,
  kind: string,
  selector: string,
  objectType: string,
  pluginId: string | null,
  autoAddToPlugin: boolean,
  remoteId: string | null,
  config: string | null,
  createdAt: string,
  updatedAt: string
]

export const mappingJson = (row: MappingCells) =>
  `{"id":"${row[0]}","connectorInstanceId":"${row[1]}","connectorTargetId":"${row[2]}","connectorType":"codehost",` +
  `"remoteId":${quoteOrNull(row[8])},"mappingKind":"${row[3]}","selector":${quote(row[4])},"objectType":"${row[5]}",` +
  `"pluginId":${orNull(row[6])},"autoAddToPlugin":${row[7]},"mappingConfigJson":${row[9]},` +
  `"createdAt":"${iso(row[10])}","updatedAt":"${iso(row[11])}"}`

export type LibraryCells = readonly [
  id: string,
  kind: string,
  name: string,
  throughKind: string,
  throughId: string | null
]

export const entryJson = (row: LibraryCells) =>
  `{"id":"${row[0]}","kind":"${row[1]}","name":${quote(row[2])},"through":{"kind":"${row[3]}","id":${orNull(row[4])}}}`

export type AuditCells = readonly [
  id: string,
  organizationId: string,
  sequence: string | null,
  action: string,
  actorKind: string,
  actorId: string | null,
  targetId: string | null,
  requestId: string | null,
  address: string | null,
  userAgent: string | null,
  before: string | null,
  after: string | null,
  createdAt: string
]

export const eventJson = (row: AuditCells) =>
  `{"id":"${row[0]}","organizationId":"${row[1]}","sequence":${row[2]},"action":"${row[3]}","actorKind":"${row[4]}",` +
  `"actorId":${orNull(row[5])},"targetId":${orNull(row[6])},"requestId":${quoteOrNull(row[7])},` +
  `"address":${quoteOrNull(row[8])},"userAgent":${quoteOrNull(row[9])},"before":${row[10]},"after":${row[11]},` +
  `"createdAt":"${iso(row[12])}"}`

export type UserCells = readonly [
  id: string,
  email: string | null,
  emailVerified: boolean,
  name: string | null,
  createdAt: string,
  updatedAt: string
]

export const userJson = (row: UserCells) =>
  `{"id":"${row[0]}","email":${quoteOrNull(row[1])},"emailVerified":${row[2]},"name":${quoteOrNull(row[3])},` +
  `"createdAt":"${iso(row[4])}","updatedAt":"${iso(row[5])}","isPlatformAdministrator":false}`

export type OrganizationCells = readonly [
  membershipId: string,
  role: string,
  id: string,
  name: string,
  plan: string,
  provisionalUntil: string | null,
  createdAt: string,
  updatedAt: string
]

export const organizationJson = (row: OrganizationCells, selectedId: string | null) =>
  `{"organization":{"id":"${row[2]}","name":${quote(row[3])},"plan":"${row[4]}","provisional":${row[5] !== null},` +
  `"provisionalExpiresAt":${isoOrNull(row[5])},"createdAt":"${iso(row[6])}","updatedAt":"${iso(row[7])}"},` +
  `"orgMembershipId":"${row[0]}","role":${quote(row[1])},"active":${row[2] === selectedId}}`

/** Expects up to one row more than the limit. The extra row means that there is a next page. */
export const pageJson = <Row extends readonly [id: string, ...rest: ReadonlyArray<unknown>]>(
  rows: ReadonlyArray<Row>,
  limit: number,
  toJson: (row: Row) => string
): string => {
  const hasNext = rows.length > limit
  const last = hasNext ? limit : rows.length
  let items = ""
  for (let i = 0; i < last; i++) items += i === 0 ? toJson(rows[i] as Row) : `,${toJson(rows[i] as Row)}`
  const cursor = hasNext ? `"${Buffer.from((rows[limit - 1] as Row)[0]).toString("base64url")}"` : "null"
  return `{"items":[${items}],"nextCursor":${cursor}}`
}
