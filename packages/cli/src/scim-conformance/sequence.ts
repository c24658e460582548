/** What an identity provider sends, one request after another, and what it expects of each answer. Plain data. */

/** One run: its names, and what answers said before. */
export interface World {
  /** Unlike that of any other run. */
  readonly run: string
  /** Of what a step made and kept under this name. */
  readonly id: (name: string) => string
}

export interface Step {
  readonly title: string
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** Below the base URL, with the query. */
  readonly path: (world: World) => string
  readonly body?: (world: World) => unknown
  /** Any of them is right. */
  readonly status: ReadonlyArray<number>
  /** What the answer has to hold, where it has a body: it may hold more. */
  readonly answer?: (world: World) => unknown
  /** The name under which the id of the answer is kept. */
  readonly keep?: string
}

export interface Sequence {
  readonly provider: "okta" | "entra" | "google"
  /** As people call it. */
  readonly title: string
  readonly userAgent: string
  readonly contentType: string
  readonly steps: ReadonlyArray<Step>
}

/** An expectation that no plain value says. */
export class Matcher {
  readonly says: string
  readonly fits: (value: unknown) => boolean
  constructor(says: string, fits: (value: unknown) => boolean) {
    this.says = says
    this.fits = fits
  }
  toJSON(): string {
    return `(${this.says})`
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const told = (value: unknown): string => (value === undefined ? "nothing" : (JSON.stringify(value) ?? "nothing"))

/** Each place where a value is not what is expected: `active: expected false, got true`. */
export const faultsOf = (expected: unknown, got: unknown, path = ""): ReadonlyArray<string> => {
  const at = path === "" ? "the answer" : path
  if (expected instanceof Matcher) {
    return expected.fits(got) ? [] : [`${at}: expected ${expected.says}, got ${told(got)}`]
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(got)) return [`${at}: expected a list, got ${told(got)}`]
    if (got.length !== expected.length) return [`${at}: expected ${expected.length} elements, got ${got.length}`]
    return expected.flatMap((each, index) => faultsOf(each, got[index], `${path}[${index}]`))
  }
  if (isObject(expected)) {
    if (!isObject(got)) return [`${at}: expected an object, got ${told(got)}`]
    return Object.entries(expected).flatMap(([name, each]) =>
      faultsOf(each, got[name], path === "" ? name : `${path}.${name}`)
    )
  }
  return Object.is(expected, got) ? [] : [`${at}: expected ${told(expected)}, got ${told(got)}`]
}

export const present = new Matcher("something", (value) => value !== undefined && value !== null && value !== "")
export const absent = new Matcher(
  "nothing",
  (value) => value === undefined || value === null || (Array.isArray(value) && value.length === 0)
)
export const list = new Matcher("a list", (value) => Array.isArray(value))
export const number = new Matcher("a number", (value) => typeof value === "number")

/** A list with an element like each of these, whatever else is in it. */
export const having = (...elements: ReadonlyArray<unknown>): Matcher =>
  new Matcher(
    `a list with ${elements.map(told).join(" and ")}`,
    (value) =>
      Array.isArray(value) &&
      elements.every((element) => value.some((each: unknown) => faultsOf(element, each).length === 0))
  )

/** A list, or nothing, without an element like this. */
export const lacking = (element: unknown): Matcher =>
  new Matcher(
    `a list without ${told(element)}`,
    (value) =>
      value === undefined ||
      (Array.isArray(value) && !value.some((each: unknown) => faultsOf(element, each).length === 0))
  )

export const userSchema = "urn:ietf:params:scim:schemas:core:2.0:User"
export const groupSchema = "urn:ietf:params:scim:schemas:core:2.0:Group"
export const enterpriseSchema = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
const listSchema = "urn:ietf:params:scim:api:messages:2.0:ListResponse"
const errorSchema = "urn:ietf:params:scim:api:messages:2.0:Error"
const patchSchema = "urn:ietf:params:scim:api:messages:2.0:PatchOp"

/** No mail is ever sent there, and no organization can prove that it owns it: RFC 2606. */
export const testDomain = "scim-conformance.example"
/** What every name of a run begins with. */
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

/** RFC 7644 lets a change answer either. */
export const changed = [200, 204] as const
