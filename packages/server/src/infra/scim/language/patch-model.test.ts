import fc from "fast-check"
import { scimPatch } from "scim-patch"
import { describe, expect, it } from "vitest"
import type { JsonObject } from "./json.ts"
import { normalize } from "./normalize.ts"
import { applyPatch, patchUrn } from "./patch.ts"
import { userSchema } from "./schemas.ts"
import { ScimFault } from "./fault.ts"

/*
 * Compares PATCH with a simple model that has no paths: both apply random operations to one attribute of each type.
 */

type Mail = { value?: string; type?: string; display?: string; primary?: boolean }
interface State {
  title?: string
  name?: { givenName?: string; familyName?: string }
  emails: Array<Mail & { since?: number }>
}
interface Op {
  readonly op: "add" | "replace" | "remove"
  readonly on: "title" | "name" | "emails"
  readonly filter: { readonly sub: "type" | "value"; readonly is: string } | undefined
  readonly sub: string | undefined
  readonly value: unknown
}

const low = (text: string | undefined) => text?.toLowerCase()
class Refused extends Error {}

let clock = 0
const becomes = (mail: Mail & { since?: number }, change: Mail) => {
  if (change.primary === true && mail.primary !== true) mail.since = ++clock
  Object.assign(mail, change)
}

/** Equal values are merged; of the primary ones the newest remains. */
const tidy = (state: State) => {
  const emails: State["emails"] = []
  for (const mail of state.emails) {
    const same = emails.find((one) => low(one.value) === low(mail.value) && low(one.type) === low(mail.type))
    if (same === undefined) emails.push(mail)
    else Object.assign(same, mail)
  }
  const newest = Math.max(...emails.map(({ primary, since = 0 }) => (primary === true ? since : -1)))
  for (const mail of emails) if (mail.primary === true && (mail.since ?? 0) < newest) mail.primary = false
  state.emails = emails
}

const plusMail = (state: State, mail: Mail) => {
  const same = state.emails.find((one) => low(one.value) === low(mail.value) && low(one.type) === low(mail.type))
  if (same === undefined) {
    const fresh = {}
    becomes(fresh, mail)
    state.emails.push(fresh)
  } else {
    // A repeated one is the newest.
    if (mail.primary === true) same.since = ++clock
    becomes(same, mail)
  }
}

const model = (state: State, { filter, on, op, sub, value }: Op) => {
  if (on === "title") {
    if (op === "remove") delete state.title
    else state.title = value as string
    return
  }
  if (on === "name") {
    const name = state.name ?? {}
    if (sub !== undefined) {
      if (op === "remove") delete name[sub as "givenName"]
      else name[sub as "givenName"] = value as string
      state.name = name
    } else if (op === "remove") delete state.name
    else state.name = { ...name, ...(value as object) }
    return
  }
  const hits =
    filter === undefined ? state.emails : state.emails.filter((mail) => low(mail[filter.sub]) === low(filter.is))
  if (op === "remove") {
    if (sub === undefined) state.emails = state.emails.filter((mail) => !hits.includes(mail))
    else for (const mail of hits) delete mail[sub as "value"]
  } else if (sub !== undefined) {
    if (hits.length > 0) for (const mail of hits) becomes(mail, { [sub]: value })
    else plusMail(state, { ...(filter === undefined ? {} : { [filter.sub]: filter.is }), [sub]: value })
  } else if (filter === undefined) {
    if (op === "replace") state.emails = []
    for (const mail of value as Array<Mail>) plusMail(state, mail)
  } else if (hits.length > 0) {
    for (const mail of hits) {
      if (op === "add") becomes(mail, value as Mail)
      else {
        const wasPrimary = mail.primary === true
        const { since = 0 } = mail
        for (const member of Object.keys(mail)) delete mail[member as "value"]
        becomes(mail, value as Mail)
        if (wasPrimary && mail.primary === true) mail.since = since
      }
    }
  } else if (op === "add") plusMail(state, { [filter.sub]: filter.is, ...(value as Mail) })
  else throw new Refused()
  tidy(state)
}

const texts = fc.constantFrom("a", "A", "b", "c", "Work", "work", "home")
const mails = fc
  .record({ value: texts, type: texts, display: texts, primary: fc.boolean() }, { requiredKeys: ["value"] })
  .map((mail): Mail => ({ ...mail }))
const verbs = fc.constantFrom("add" as const, "replace" as const, "remove" as const)
const filters = fc.option(fc.record({ sub: fc.constantFrom("type" as const, "value" as const), is: texts }), {
  nil: undefined
})

const operations: fc.Arbitrary<Op> = fc.oneof(
  fc.record({
    op: verbs,
    on: fc.constant("title" as const),
    filter: fc.constant(undefined),
    sub: fc.constant(undefined),
    value: texts
  }),
  fc.record({
    op: verbs,
    on: fc.constant("name" as const),
    filter: fc.constant(undefined),
    sub: fc.constantFrom("givenName", "familyName"),
    value: texts
  }),
  fc.record({
    op: verbs,
    on: fc.constant("name" as const),
    filter: fc.constant(undefined),
    sub: fc.constant(undefined),
    value: fc.record({ givenName: texts, familyName: texts }, { requiredKeys: ["givenName"] })
  }),
  fc.record({
    op: verbs,
    on: fc.constant("emails" as const),
    filter: filters,
    sub: fc.constantFrom("value", "type", "display"),
    value: texts
  }),
  fc.record({
    op: verbs,
    on: fc.constant("emails" as const),
    filter: filters,
    sub: fc.constant("primary"),
    value: fc.boolean()
  }),
  filters.chain((filter) =>
    fc.record({
      op: verbs,
      on: fc.constant("emails" as const),
      filter: fc.constant(filter),
      sub: fc.constant(undefined),
      value: filter === undefined ? fc.array(mails, { minLength: 1, maxLength: 3 }) : mails
    })
  )
)

const pathOf = ({ filter, on, sub }: Op) =>
  `${on}${filter === undefined ? "" : `[${filter.sub} eq ${JSON.stringify(filter.is)}]`}${sub === undefined ? "" : `.${sub}`}`
const asOperation = (op: Op) => ({
  op: op.op,
  path: pathOf(op),
  ...(op.op === "remove" ? {} : { value: op.value })
})

const start = (emails: ReadonlyArray<Mail>): JsonObject =>
  normalize("User", { schemas: [userSchema.id], userName: "u", title: "t", emails }, { kind: "create" }).resource

const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown

const modeled = (resource: JsonObject, ops: ReadonlyArray<Op>) => {
  const { emails, name, title, ...rest } = structuredClone(resource) as unknown as Partial<State> & JsonObject
  const state: State = {
    emails: emails ?? [],
    ...(title === undefined ? {} : { title }),
    ...(name === undefined ? {} : { name })
  }
  try {
    for (const op of ops) model(state, op)
  } catch (refused) {
    if (refused instanceof Refused) return "refused"
    throw refused
  }
  state.emails = state.emails.filter(({ value }) => value !== undefined)
  return plain({
    ...rest,
    ...(state.title === undefined ? {} : { title: state.title }),
    ...(state.name === undefined || Object.keys(state.name).length === 0 ? {} : { name: state.name }),
    ...(state.emails.length === 0 ? {} : { emails: state.emails.map((mail) => ({ ...mail, since: undefined })) })
  })
}

const ours = (resource: JsonObject, ops: ReadonlyArray<Op>) => {
  const before = plain(resource)
  try {
    return plain(applyPatch("User", resource, { schemas: [patchUrn], Operations: ops.map(asOperation) }).resource)
  } catch (fault) {
    if (fault instanceof ScimFault && fault.scimType === "noTarget") return "refused"
    throw fault
  } finally {
    expect(resource).toEqual(before)
  }
}

describe("SCIM PATCH compared with a simple model", () => {
  it("has the same result for random operations in any order", () => {
    fc.assert(
      fc.property(
        fc.array(mails, { maxLength: 3 }),
        fc.array(operations, { minLength: 1, maxLength: 6 }),
        (emails, ops) => {
          const resource = start(emails)
          expect(ours(resource, ops)).toEqual(modeled(resource, ops))
        }
      ),
      { numRuns: 5000 }
    )
  })
  it("has the same result in one request or in many", () => {
    fc.assert(
      fc.property(
        fc.array(mails, { maxLength: 3 }),
        fc.array(operations, { minLength: 1, maxLength: 6 }),
        (emails, ops) => {
          const resource = start(emails)
          const once = ours(resource, ops)
          // A value that loses its value is dropped at the end of its request.
          if (once === "refused" || ops.some(({ op, sub }) => sub !== undefined && op === "remove")) return
          if (ops.some(({ sub, value }) => sub !== undefined && sub !== "value" && value !== undefined)) return
          let step: unknown = resource
          for (const op of ops) {
            step = ours(step as JsonObject, [op])
            if (step === "refused") return
          }
          expect(step).toEqual(once)
        }
      ),
      { numRuns: 2000 }
    )
  })
})

describe("SCIM PATCH compared with scim-patch", () => {
  const own = (op: Op) =>
    // Differences: case-insensitivity, merged values, added sub-attributes of missing values, one primary value.
    op.sub !== "primary" && !(op.on === "emails" && op.filter === undefined && op.sub !== undefined)
  const distinct = fc.uniqueArray(
    fc.record({ value: fc.constantFrom("a", "b", "c", "d"), type: fc.constantFrom("work", "home", "other") }),
    { selector: ({ type }) => type, maxLength: 3 }
  )
  it("has the same result where both follow the RFC", () => {
    let compared = 0
    fc.assert(
      fc.property(distinct, operations.filter(own), (emails, op) => {
        const resource = start(emails)
        const isThere =
          op.filter === undefined || emails.some((mail) => mail[op.filter?.sub ?? "type"] === op.filter?.is)
        if (!isThere || (op.on === "emails" && op.sub === undefined && op.op !== "remove")) return
        const result = ours(resource, [op])
        const theirs = scimPatch({ ...structuredClone(resource), meta: {} } as never, [asOperation(op)] as never, {
          mutateDocument: false
        }) as unknown as JsonObject
        const { meta: _, ...rest } = theirs
        compared++
        expect(normalize("User", rest, { kind: "create" }).resource).toEqual(result)
      }),
      { numRuns: 3000 }
    )
    expect(compared).toBeGreaterThan(500)
  })
})
