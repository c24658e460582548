/** The requests of an identity provider in order, with the responses it expects, as plain data. */

/** One run: its unique name, and the IDs from earlier responses. */
export interface World {
  /** Unique for each run. */
  readonly run: string
  /** The ID that an earlier step kept under this name. */
  readonly id: (name: string) => string
}

export interface Step {
  readonly title: string
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** Relative to the base URL, with the query. */
  readonly path: (world: World) => string
  readonly body?: (world: World) => unknown
  /** The accepted statuses. */
  readonly status: ReadonlyArray<number>
  /** Members that the response body must contain, if there is one. More members are allowed. */
  readonly response?: (world: World) => unknown
  /** The name under which to keep the ID of the response. */
  readonly keep?: string
}

export interface Sequence {
  readonly provider: "okta" | "entra" | "google"
  /** Display name. */
  readonly title: string
  readonly userAgent: string
  readonly contentType: string
  readonly steps: ReadonlyArray<Step>
}

/** An expectation other than an exact value. */
export class Matcher {
  readonly description: string
  readonly matches: (value: unknown) => boolean
  constructor(description: string, matches: (value: unknown) => boolean) {
    this.description = description
    this.matches = matches
  }
  toJSON(): string {
    return `(${this.description})`
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const format = (value: unknown): string => (value === undefined ? "nothing" : (JSON.stringify(value) ?? "nothing"))

/** Lists the differences from the expected value: `active: expected false, got true`. */
export const differencesFrom = (expected: unknown, got: unknown, path = ""): ReadonlyArray<string> => {
  const at = path === "" ? "the response" : path
  if (expected instanceof Matcher) {
    return expected.matches(got) ? [] : [`${at}: expected ${expected.description}, got ${format(got)}`]
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(got)) return [`${at}: expected a list, got ${format(got)}`]
    if (got.length !== expected.length) return [`${at}: expected ${expected.length} elements, got ${got.length}`]
    return expected.flatMap((each, index) => differencesFrom(each, got[index], `${path}[${index}]`))
  }
  if (isObject(expected)) {
    if (!isObject(got)) return [`${at}: expected an object, got ${format(got)}`]
    return Object.entries(expected).flatMap(([name, each]) =>
      differencesFrom(each, got[name], path === "" ? name : `${path}.${name}`)
    )
  }
  return Object.is(expected, got) ? [] : [`${at}: expected ${format(expected)}, got ${format(got)}`]
}

export const present = new Matcher("a value", (value) => value !== undefined && value !== null && value !== "")
export const absent = new Matcher(
  "no value",
  (value) => value === undefined || value === null || (Array.isArray(value) && value.length === 0)
)
export const list = new Matcher("a list", (value) => Array.isArray(value))
export const number = new Matcher("a number", (value) => typeof value === "number")

/** Matches a list that contains an element like each of these. */
export const having = (...elements: ReadonlyArray<unknown>): Matcher =>
  new Matcher(
    `a list with ${elements.map(format).join(" and ")}`,
    (value) =>
      Array.isArray(value) &&
      elements.every((element) => value.some((each: unknown) => differencesFrom(element, each).length === 0))
  )

/** Matches a list without an element like this, or no list. */
export const lacking = (element: unknown): Matcher =>
  new Matcher(
    `a list without ${format(element)}`,
    (value) =>
      value === undefined ||
      (Array.isArray(value) && !value.some((each: unknown) => differencesFrom(element, each).length === 0))
  )

export const userSchema = "urn:ietf:params:scim:schemas:core:2.0:User"
export const groupSchema = "urn:ietf:params:scim:schemas:core:2.0:Group"
export const enterpriseSchema = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
const listSchema = "urn:ietf:params:scim:api:messages:2.0:ListResponse"
const errorSchema = "urn:ietf:params:scim:api:messages:2.0:Error"
const patchSchema = "urn:ietf:params:scim:api:messages:2.0:PatchOp"

/** A reserved domain (RFC 2606): it receives no email, and no organization can verify it. */
export const testDomain = "scim-conformance.example"
/** Prefix of the names in a run. */
export const testName = "orgplane-conformance"

export const address = ({ run }: World, who: string): string => `${testName}-${run}-${who}@${testDomain}`
export const groupName = ({ run }: World, which: string): string => `${testName}-${run} ${which}`

export const query = (parameters: Readonly<Record<string, string>>): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join("&")

export const patch = (...operations: ReadonlyArray<unknown>) => ({ schemas: [patchSchema], Operations: operations })

export const empty = { schemas: having(listSchema), totalResults: 0 }
export const listOf = (...resources: ReadonlyArray<unknown>) => ({
  schemas: having(listSchema),
  totalResults: resources.length,
  Resources: resources
})
export const failure = (status: number, scimType?: string) => ({
  schemas: having(errorSchema),
  status: String(status),
  ...(scimType === undefined ? {} : { scimType })
})

/** RFC 7644 allows either status for a change. */
export const changed = [200, 204] as const

/** The path of an object whose ID an earlier step kept under this name. */
export const pathOf = (kind: "Users" | "Groups", name: string) => (world: World) => `/${kind}/${world.id(name)}`

export const read = (title: string, path: Step["path"], response: (world: World) => unknown): Step => ({
  title,
  method: "GET",
  path,
  status: [200],
  response
})

export const remove = (title: string, path: Step["path"]): Step => ({ title, method: "DELETE", path, status: [204] })

/** The object does not exist. */
export const readMissing = (title: string, path: Step["path"]): Step => ({
  title,
  method: "GET",
  path,
  status: [404],
  response: () => failure(404)
})
