/** Finds the IDs of objects that the command line names: `plugins get "Incident review"`, `--member ada@acme.example`. */
import type { Connection } from "./connection.ts"
import { exit } from "./exit-code.ts"
import { describeFailure, Failure, usage } from "./failure.ts"
import type { FlagValue, OperationInvocation } from "./invocation.ts"
import { grantedObjects, labelOf, type Listing, listingOf } from "./listings.ts"
import { escapeControls } from "./output/escape.ts"
import { listAt, textAt } from "./output/value.ts"

const pageMax = 100
/** A list without a search is read up to here. */
const pagesMax = 10

const rowsOf = async (connection: Connection, { noun, path, query, searchable }: Listing, name: string) => {
  const rows: Array<unknown> = []
  let cursor: string | undefined
  for (let page = 0; page < pagesMax; page += 1) {
    const body = await connection.send({
      method: "GET",
      path,
      query: {
        ...query,
        limit: String(pageMax),
        ...(searchable ? { q: name } : {}),
        ...(cursor === undefined ? {} : { cursor })
      },
      body: undefined
    })
    rows.push(...listAt(body, "items"))
    const next = textAt(body, "nextCursor")
    if (next === undefined || next === cursor) return rows
    cursor = next
  }
  // Another object of the same name could be among those that were not read.
  throw usage(`Cannot find the ${noun} '${escapeControls(name)}' by name, because the list is too long. Use the ID.`)
}

const namedRows = async (connection: Connection, list: Listing, name: string): Promise<ReadonlyArray<unknown>> =>
  (await rowsOf(connection, list, name)).filter(
    (row) => list.includes(row) && textAt(row, list.nameMember)?.toLowerCase() === name.toLowerCase()
  )

const ambiguous = (noun: string, name: string, rows: ReadonlyArray<unknown>) =>
  usage(
    [
      `The ${noun} name '${escapeControls(name)}' is ambiguous: ${rows.length} objects have it. Use an ID:`,
      ...rows.slice(0, 5).map((row) => `  ${textAt(row, "id") ?? ""}  ${escapeControls(labelOf(row))}`)
    ].join("\n")
  )

const idOf = async (connection: Connection, list: Listing, name: string): Promise<string> => {
  const rows = await namedRows(connection, list, name)
  const [first, ...others] = rows
  const property = list.nameMember === "email" ? "has the email address" : "is named"
  if (first === undefined) {
    throw new Failure(exit.notFound, `No ${list.noun} ${property} '${escapeControls(name)}'. Run '${list.command}'.`)
  }
  if (others.length > 0) throw ambiguous(list.noun, name, rows)
  const id = textAt(first, "id")
  if (id === undefined) throw new Failure(exit.failure, `The ${list.noun} '${escapeControls(name)}' has no ID.`)
  return id
}

/** A value that has the form of an ID of any kind. */
const isId = (value: string) => /^[a-z]{2,4}_\w+$/u.test(value)

const wholeId = /^[a-z]{2,4}_[0-7][0-9a-hjkmnp-tv-z]{25}$/u

/** The ID of an object of any kind that grants give access to. */
const objectIdOf = async (connection: Connection, name: string): Promise<string> => {
  const lists = Object.values(grantedObjects)
  // A whole ID of another kind is no name.
  if (name === "" || wholeId.test(name) || lists.some(({ prefix }) => name.startsWith(`${prefix}_`))) return name
  const rows: Array<unknown> = []
  for (const list of lists) {
    try {
      rows.push(...(await namedRows(connection, list, name)))
    } catch (error) {
      // The other kinds of objects are still listed.
      if (describeFailure(error).exitCode !== exit.refused) throw error
    }
  }
  const [first, ...others] = rows
  const id = textAt(first, "id")
  if (id === undefined) {
    const nouns = lists.map(({ noun }) => noun).join(", ")
    throw new Failure(exit.notFound, `No object is named '${escapeControls(name)}' among: ${nouns}. Use the ID.`)
  }
  if (others.length > 0) throw ambiguous("object", name, rows)
  return id
}

/** Finds the IDs of names. Each different name costs one request. */
export interface NameResolver {
  /** The ID that a value of a member identifies, or the value if it is not a name. */
  readonly idOf: (operationId: string, member: string, value: string) => Promise<string>
}

export const nameResolver = (connection: Connection): NameResolver => {
  const lookups = new Map<string, Promise<string>>()
  return {
    idOf: async (operationId, member, value) => {
      const list = listingOf(operationId, member)
      if (list === undefined || value === "" || value.startsWith(`${list.prefix}_`) || list.words.includes(value))
        return value
      const key = `${list.noun} ${value}`
      const pending = lookups.get(key) ?? idOf(connection, list, value)
      lookups.set(key, pending)
      return pending
    }
  }
}

/** Refuses a filter that is a name: the server would find nothing. */
const checkFilter = (flag: string, value: FlagValue | undefined, hint: string): void => {
  if (typeof value !== "string" || isId(value) || /^suite-[ab]$/u.test(value)) return
  throw usage(`--${flag} must be an ID, got '${escapeControls(value)}'. ${hint}`)
}

/** The filters of the audit log. Actors and targets can be objects of any kind, even removed ones, so they have no name. */
export const checkAuditFilters = (values: Readonly<Record<string, FlagValue | undefined>>): void => {
  if (values["member"] !== undefined && values["actor-id"] !== undefined)
    throw usage("--member cannot be combined with --actor-id.")
  checkFilter("actor-id", values["actor-id"], "For a member, use --member with the email address.")
  checkFilter("target-id", values["target-id"], "Print the ID of an object with 'orgplane <group> get <name> -q'.")
}

/** Replaces names by IDs in the arguments and flags of a command. */
export const resolveNames = async (
  connection: Connection,
  invocation: OperationInvocation
): Promise<OperationInvocation> => {
  const { args, ids, operation, values } = invocation
  if (operation.id.startsWith("audit.")) checkAuditFilters(values)
  const resolver = nameResolver(connection)
  const resolved = (member: string, value: string) => resolver.idOf(operation.id, member, value)
  const valueOf = async (member: string, value: FlagValue): Promise<FlagValue> => {
    if (typeof value === "string") return resolved(member, value)
    if (typeof value !== "object") return value
    const items: Array<string | number> = []
    for (const item of value) items.push(typeof item === "string" ? await resolved(member, item) : item)
    return items
  }
  const newIds: Array<string> = []
  for (const [index, value] of ids.entries()) newIds.push(await resolved(operation.ids[index]?.member ?? "", value))
  const newArgs: Array<string> = []
  for (const [index, value] of args.entries()) {
    newArgs.push(operation.arguments?.[index]?.object === true ? await objectIdOf(connection, value) : value)
  }
  const newValues: Record<string, FlagValue> = {}
  for (const [name, value] of Object.entries(values)) {
    const flag = operation.flags.find((each) => each.name === name)
    newValues[name] = await valueOf(flag?.names ?? flag?.member ?? "", value)
  }
  return { ...invocation, ids: newIds, args: newArgs, values: newValues }
}
