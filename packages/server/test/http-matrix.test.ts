/** Every operation × every kind of caller × every kind of id: made from the contract, so a new operation is in it. */
import { builtInRoles } from "@orgplane/schema/shared/permissions"
import { describe, expect, it } from "vitest"
import { makeToken } from "../src/crypto/tokens.ts"
import { type Answer, makeControlPlane, rowCounts, signIn, type Workspace } from "./harness.ts"
import {
  bodyOf,
  callAs,
  kindOf,
  makeThings,
  makeWorld,
  missing,
  operations,
  pathOf,
  type Things
} from "./http-world.ts"

const plane = await makeControlPlane({ workers: false })
const world = await makeWorld(plane)
const { foreign, own, sibling } = world

type Operation = (typeof operations)[number]
type Role = keyof typeof builtInRoles

interface Caller {
  readonly name: string
  readonly person: Workspace
  readonly role: Role
  /** What a grant lets the person do with our things: nothing, see them, everything. */
  readonly level: "none" | "viewer" | "manager"
}

const callers: ReadonlyArray<Caller> = [
  { name: "another organization's owner", person: world.outsider, role: "owner", level: "none" },
  { name: "a member without a grant", person: world.member, role: "member", level: "none" },
  { name: "a member who may see it", person: world.viewer, role: "member", level: "viewer" },
  { name: "an admin", person: world.admin, role: "admin", level: "manager" },
  { name: "an owner", person: world.owner, role: "owner", level: "manager" }
]

const ended = await signIn(plane, world.owner.userId, world.owner.organizationId)
await world.owner.client.sessions.revoke(ended.id)
const nobodies = {
  nobody: undefined,
  "a token we never gave": makeToken("ops"),
  "a token that is none": "ops_nothing",
  "a session that is over": (
    await signIn(plane, world.owner.userId, world.owner.organizationId, { lifetimeSeconds: 0 })
  ).token,
  "a session that was revoked": ended.token
}

const isPublic = ({ access }: Operation) => access.kind === "public"
const changes = ({ method }: Operation) => method !== "GET"

/** What a person is told that an operation itself finds, not the judges before it. */
const ownAnswers: Readonly<Record<string, ReadonlyArray<number>>> = {
  // Nobody here has proved an address.
  "bootstrap.acceptClaim": [403],
  // There is no repository behind these connectors.
  "connectors.setup": [400],
  "connectors.discovery": [409, 502],
  "connectors.tree": [409, 502],
  "connectors.apply": [409, 502],
  "connectors.approveSync": [409],
  "connectors.rejectSync": [409]
}

const isAllowedByRole = ({ access }: Operation, role: Role) =>
  access.kind === "permission"
    ? (builtInRoles[role] as ReadonlyArray<string>).includes(access.permission)
    : access.kind === "owner"
      ? role === "owner"
      : true

/** Ids that a path may name, and what each hole of it holds: ours, another's, nothing's. */
const cases = (
  operation: Operation
): ReadonlyArray<{ readonly name: string; readonly ids: Things; readonly at: number }> =>
  operation.pathParams.flatMap(({ type }, at) => {
    const name = kindOf(type).child === true ? `${type} of it` : type
    const other = (id: string | undefined) => ({ ...own, [type]: id ?? "" })
    return [
      { name: `another organization's ${name}`, ids: other(foreign[type]), at },
      { name: `a ${name} that never was`, ids: other(missing(type)), at },
      ...(kindOf(type).child === true ? [{ name: `a ${name} of a sibling`, ids: other(sibling[type]), at }] : [])
    ]
  })

const malformed = [
  "x",
  "plg_01h455vb4pex5vsknk084sn02",
  "PLG_01h455vb4pex5vsknk084sn02q",
  "\u0000",
  "..%2f",
  "a/b",
  "é"
]

const tokenOf = async (operation: Operation, caller: Caller): Promise<string> =>
  // What ends the caller's own session needs one to end.
  operation.access.kind === "user" && changes(operation)
    ? (await signIn(plane, caller.person.userId, caller.person.organizationId)).token
    : caller.person.token

/** Without what differs from request to request. */
const told = ({ headers, status, text }: Answer) => {
  const rest = [...headers].filter(([name]) => name !== "x-request-id")
  return JSON.stringify([status, text, rest])
}

describe.each(operations.map((operation) => [operation.operationId, operation] as const))("%s", (id, operation) => {
  const isPersonal = operation.pathParams.some(({ type }) => kindOf(type).seenBy === "self")
  const isShared = operation.pathParams.every(({ type }) => kindOf(type).seenBy === "organization")
  const fine = ownAnswers[id] ?? [200, 201, 202, 204]

  if (isPublic(operation)) {
    it("answers everybody, whatever credential they show", async () => {
      for (const token of [...Object.values(nobodies), world.owner.token]) {
        const answer = await callAs(plane, token, operation, own, bodyOf(operation, own, plane))
        expect([200, 201, 404]).toContain(answer.status)
      }
    })
    return
  }

  it("knows nobody by a credential that is not good, and changes nothing", async () => {
    const before = await rowCounts(plane)
    for (const [name, token] of Object.entries(nobodies)) {
      const answer = await callAs(plane, token, operation, own, bodyOf(operation, own, plane))
      expect([name, answer.status, answer.text]).toEqual([name, 401, '{"error":"unauthorized"}'])
      expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer/)
    }
    expect(await rowCounts(plane)).toEqual(before)
  })

  it("refuses whom it should, in the order of the contract, and changes nothing", async () => {
    const before = await rowCounts(plane)
    for (const caller of callers) {
      const token = await tokenOf(operation, caller)
      const send = (ids: Things, body = bodyOf(operation, ids, plane)) => callAs(plane, token, operation, ids, body)
      const isOutside = caller.person === world.outsider
      if (!isAllowedByRole(operation, caller.role)) {
        for (const ids of [own, ...cases(operation).map(({ ids }) => ids)]) {
          const answer = await send(ids)
          expect([caller.name, answer.status, answer.body.reason]).toEqual([caller.name, 403, "permission_required"])
        }
        continue
      }
      const first = operation.pathParams[0]
      if (operation.body !== null) {
        // Path, query and body are judged before anybody is told what there is.
        const answer = await send(
          { ...own, ...(first === undefined ? {} : { [first.type]: missing(first.type) }) },
          "[]"
        )
        expect([caller.name, answer.status, answer.body.error]).toEqual([caller.name, 400, "invalid_request"])
      }
      for (const [index, { type }] of operation.pathParams.entries()) {
        const answer = await send({
          ...own,
          [type]: malformed[(index + caller.name.length) % malformed.length] ?? ""
        })
        expect([caller.name, answer.status]).toEqual([caller.name, 400])
      }
      if (first === undefined) continue
      // What the caller is told of a thing that does not exist is what it is told of all it may not see.
      const nothing = await send({ ...own, [first.type]: missing(first.type) })
      expect([caller.name, nothing.status]).toEqual([caller.name, 404])
      const isHidden =
        isOutside || (isPersonal && caller.person !== world.owner) || (caller.level === "none" && !isShared)
      if (isHidden) expect([caller.name, told(await send(own))]).toEqual([caller.name, told(nothing)])
      const isRefused = !isHidden && !isShared && !isPersonal && caller.level === "viewer" && changes(operation)
      if (isRefused) {
        const answer = await send(own)
        expect([caller.name, answer.status, answer.body.reason]).toEqual([caller.name, 403, "grant_required"])
      }
      for (const { at, ids, name } of cases(operation)) {
        // Another organization's thing is the outsider's own.
        if (isOutside && at === 0) continue
        const answer = await send(ids)
        const what = `${caller.name}, ${name}`
        if (at === 0) expect([what, told(answer)]).toEqual([what, told(nothing)])
        else if (isHidden) expect([what, told(answer)]).toEqual([what, told(nothing)])
        else if (isRefused) expect([what, answer.status]).toEqual([what, 403])
        else {
          const child = operation.pathParams[at]?.type ?? ""
          const none = await send({ ...own, [child]: missing(child) })
          expect([what, answer.status, told(answer)]).toEqual([what, 404, told(none)])
        }
      }
    }
    // Sessions are made for those that end one.
    const { sessions: _, ...after } = await rowCounts(plane)
    const { sessions: __, ...expected } = before
    expect(after).toEqual(expected)
  })

  it("serves whom it should", async () => {
    for (const caller of callers) {
      if (!isAllowedByRole(operation, caller.role)) continue
      const needsGrant = operation.pathParams.length > 0 && !isPersonal && !isShared
      if (needsGrant && (caller.level === "none" || (caller.level === "viewer" && changes(operation)))) continue
      if (isShared && caller.person === world.outsider && operation.pathParams.length > 0) continue
      const things = changes(operation) && needsGrant ? await makeThings(plane, world.owner, world.viewer) : own
      const ids = isPersonal ? { ...things, SessionId: (await signIn(plane, caller.person.userId, null)).id } : things
      const token = await tokenOf(operation, caller)
      const answer = await callAs(plane, token, operation, ids, bodyOf(operation, ids, plane))
      expect(
        fine.includes(answer.status),
        `${caller.name}: ${operation.method} ${pathOf(operation, ids)} ${answer.status} ${answer.text}`
      ).toBe(true)
    }
  })
})
