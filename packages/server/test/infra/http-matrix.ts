/** Every operation, kind of caller and kind of ID: derived from the contract, so that new operations are included. */
import { afterAll, beforeEach, describe, expect, it } from "vitest"
import {
  addMember,
  type TestResponse,
  makeControlPlane,
  makeScimToken,
  makeWorkspace,
  mintSession,
  runSql,
  signIn,
  signInByEmail
} from "../harness.ts"
import {
  expectedOf,
  bodyObjects,
  type Caller,
  makeWorld,
  publicStatuses,
  refusalOf,
  type Verdict,
  verdictOn
} from "./http-callers.ts"
import {
  bodyOf,
  callAs,
  changes,
  type Credential,
  forgetLimits,
  isPublic,
  kindOf,
  makeThings,
  missing,
  namedInBody,
  namedInQuery,
  type Operation,
  operations,
  sent,
  someEmail,
  type Things,
  withAt,
  idsIn
} from "./http-world.ts"
import { keepLooks } from "../agents/mcp-look.ts"
import { needed, nothingOfOurs, places, subjects, toldElsewhere } from "./http-references.ts"
import { rowDigests } from "./row-digests.ts"

const malformed = [
  "x",
  "plg_01h455vb4pex5vsknk084sn02",
  "PLG_01h455vb4pex5vsknk084sn02q",
  "\u0000",
  "..%2f",
  "a/b",
  "é"
]

const wordOf = ({ body, status }: TestResponse): Verdict => [status, String(body?.reason ?? body?.error ?? "")]

/** The status of errors in SCIM's format. */
const scimWord = ({ body, headers }: TestResponse): string =>
  headers.get("content-type") === "application/scim+json" ? String(body.status) : "not said in SCIM"

/** SCIM errors have no codes of orgplane: they are distinguished by status only. */
const saidAs = (operation: Operation, [status, word]: Verdict): Verdict => [
  status,
  operation.access.kind === "scim" ? "" : word
]

/** Without members that differ between requests, and without the IDs that were sent. */
const comparableOf = ({ headers, status, text }: TestResponse, ids: ReadonlyArray<string | undefined> = []) => {
  const rest = [...headers].filter(([name]) => name !== "x-request-id" && !name.startsWith("ratelimit"))
  const bare = ids.reduce<string>((text, id) => (id === undefined ? text : text.replaceAll(id, "<id>")), text)
  return JSON.stringify([status, bare, rest])
}

const detailsOf = ({ body }: TestResponse) =>
  (body.details as ReadonlyArray<{ readonly path: unknown }>).map(({ path }) => path)

/** One invalid query parameter. */
const badQuery = (operation: Operation): Readonly<Record<string, string>> | undefined => {
  // SCIM treats an empty parameter as absent.
  if (operation.access.kind === "scim") return undefined
  const [member] = operation.query.toSorted((a, b) => Number(b.name === "limit") - Number(a.name === "limit"))
  if (member === undefined) return undefined
  return { [member.name]: member.kind === "string" ? "" : "nonsense" }
}

/**
 * The tests of one share of the operations; each file has one, so that they run side by side. `least` is the
 * minimum number of requests they send.
 */
export const matrix = async (share: number, of: number, least: number) => {
  const plane = await makeControlPlane({ workers: false })
  const world = await makeWorld(plane)
  await keepLooks(plane)
  const chunk = Math.ceil(operations.length / of)
  const mine = operations.slice(share * chunk, (share + 1) * chunk)
  const began = sent.count

  beforeEach(() => forgetLimits(plane))
  afterAll(() => {
    console.info(`The matrix, part ${share + 1} of ${of}: ${mine.length} operations, ${sent.count - began} requests.`)
  })

  /** IDs of others for each path parameter. */
  const casesOf = (operation: Operation, caller: Caller) =>
    idsIn(operation).flatMap(({ type }) => {
      const other = (id: string | undefined) => ({ ...caller.things, [type]: id ?? missing(type) })
      const isPart = kindOf(type).child === true && caller.things === world.own
      // A platform administrator has access to all of them.
      const isNobodys = operation.access.kind === "platform" && caller.isPlatformAdmin === true
      return [
        ...(isNobodys ? [] : [{ name: `another organization's ${type}`, type, ids: other(caller.others[type]) }]),
        { name: `a ${type} that never was`, type, ids: other(missing(type)) },
        ...(isPart ? [{ name: `a ${type} of a sibling`, type, ids: other(world.sibling[type]) }] : [])
      ]
    })

  /** A credential that the operation may use up, and the IDs of objects that it may delete. */
  const spendable = async (operation: Operation, caller: Caller) => {
    const types = [
      ...idsIn(operation).map(({ type }) => type),
      ...namedInBody(operation).flatMap(({ type }) => (type === undefined ? [] : [type])),
      // An organization has one, and no path names it.
      ...(operation.group === "sso" ? ["SSOConnectionId"] : [])
    ]
    let { credential, things } = caller
    if (!changes(operation)) return { credential, things }
    if (operation.operationId === "organizations.remove") {
      return { credential: { token: (await makeWorkspace(plane)).token }, things }
    }
    const owner = caller.isProvisional === true ? world.agent : world.owner
    if (caller.kind !== "homeless") {
      const crews = caller.isProvisional === true ? undefined : world.crews
      things = {
        ...things,
        ...(await makeThings(
          plane,
          owner,
          crews,
          types.filter((type) => type in things)
        ))
      }
    }
    if (caller.kind === "directory") {
      credential = { token: (await makeScimToken(plane, world.owner, things["SCIMDirectoryId"])).token }
    }
    if (operation.access.kind === "user") {
      if (caller.kind === "homeless") {
        credential = { token: (await signInByEmail(plane, someEmail())).token }
      } else if (caller.kind === "person" && caller.person !== undefined) {
        const person = ["users.remove", "users.leaveOrganization"].includes(operation.operationId)
          ? await addMember(plane, owner, "member")
          : caller.person
        credential = { token: (await signIn(plane, person.userId, person.organizationId)).token }
        things = { ...things, SessionId: (await signIn(plane, person.userId, null)).id }
      } else if (caller.kind === "minted") {
        credential = { token: (await mintSession(plane, world.owner, world.owner.membershipId)).token }
      }
    }
    return { credential, things }
  }

  describe.each(mine.map((operation) => [operation.operationId, operation] as const))("%s", (id, operation) => {
    const as = (
      caller: Caller,
      ids: Things = caller.things,
      body: unknown = bodyOf(operation, ids, plane),
      query: Readonly<Record<string, string>> = {}
    ) => callAs(plane, caller.credential, operation, ids, body, { query })

    it("has only known references in query and body", () => {
      for (const { path, type } of [...namedInBody(operation), ...namedInQuery(operation)]) {
        const place = `${id} ${path.join(".")}`
        const isObject = bodyObjects[id]?.path.join(".") === path.join(".")
        expect([place, type !== undefined || isObject || place in nothingOfOurs]).toEqual([place, true])
      }
    })

    if (isPublic(operation)) {
      it("responds to every caller, with any credential", async () => {
        for (const token of [...Object.values(world.unauthenticated), world.owner.token]) {
          const response = await callAs(
            plane,
            token === undefined ? undefined : { token },
            operation,
            world.own,
            bodyOf(operation, world.own, plane)
          )
          expect(publicStatuses[id] ?? operation.success.map(({ status }) => status)).toContain(response.status)
        }
      })
      return
    }

    it("rejects invalid credentials, and changes nothing", async () => {
      const before = await rowDigests(plane)
      for (const [name, token] of Object.entries(world.unauthenticated)) {
        for (const body of operation.body === null ? [undefined] : [bodyOf(operation, world.own, plane), "[]"]) {
          const response = await callAs(plane, token === undefined ? undefined : { token }, operation, world.own, body)
          const problem = operation.access.kind === "scim" ? scimWord(response) : response.text
          const expected = operation.access.kind === "scim" ? "401" : '{"error":"unauthorized"}'
          expect([name, response.status, problem]).toEqual([name, 401, expected])
          expect([name, response.headers.get("www-authenticate")]).toEqual([
            name,
            token === undefined ? "Bearer" : expect.stringMatching(/^Bearer error="invalid_token"/)
          ])
        }
      }
      expect(await rowDigests(plane)).toEqual(before)
    })

    it("makes its checks in the order of the contract, also when several would fail", async () => {
      const callers = await world.callersOf(operation)
      const free = operation.plan === undefined ? undefined : await makeWorkspace(plane)
      if (free !== undefined) {
        await runSql(plane, (sql) => sql`UPDATE organizations SET plan = 'free' WHERE id = ${free.organizationId}`)
        await free.call("GET", "/v1/me")
      }
      const before = await rowDigests(plane)
      const ids = Object.fromEntries(idsIn(operation).map(({ type }) => [type, "x"]))
      const query = badQuery(operation) ?? {}
      const body = operation.body === null ? undefined : "["
      const isWrong =
        idsIn(operation).some(({ type }) => kindOf(type).plain !== true) ||
        body !== undefined ||
        Object.keys(query).length > 0
      const ask = (credential: Credential, headers: Record<string, string> = {}, address?: string) =>
        callAs(plane, credential, operation, ids, body, {
          query,
          headers,
          ...(address === undefined ? {} : { address })
        })
      const { kind } = operation.access
      const fits = { worker: world.worker, scim: world.directory, platform: world.root }
      const fit = kind in fits ? fits[kind as keyof typeof fits] : world.owner
      const owner = { token: fit.token }
      const large = body === undefined ? {} : { "content-length": String((operation.bodyBytesMax ?? 1_048_576) + 1) }
      const elsewhere = { "x-organization-id": world.outsider.organizationId }
      if (body !== undefined) {
        expect((await ask(undefined, { ...large, ...elsewhere }, world.full.address)).status).toBe(413)
      }
      expect((await ask(undefined, elsewhere, world.full.address)).status).toBe(429)
      expect((await ask(undefined, elsewhere)).status).toBe(401)
      // A valid credential is checked at this address as at any other.
      if (isWrong) expect([400, 404]).toContain((await ask(owner, elsewhere, world.full.address)).status)
      for (const caller of callers) {
        const isOfNone = operation.access.kind === "user" || operation.access.kind === "platform"
        const isLate =
          (operation.access.kind === "worker" && caller.kind !== "worker") ||
          (operation.access.kind === "scim" && caller.kind !== "directory")
        if (isOfNone || isLate || caller.person === world.outsider) continue
        const [foreign, never, nonsense] = [
          await ask(caller.credential, elsewhere),
          await ask(caller.credential, { "x-organization-id": missing("OrganizationId") }),
          await ask(caller.credential, { "x-organization-id": "x" })
        ]
        expect([caller.name, ...wordOf(foreign)]).toEqual([
          caller.name,
          ...saidAs(operation, [404, "organization_not_found"])
        ])
        expect([comparableOf(foreign), comparableOf(nonsense)]).toEqual([comparableOf(never), comparableOf(never)])
      }
      if (free !== undefined) expect((await ask({ token: free.token })).status).toBe(402)
      // Polls of the desired state have their own limit.
      const isLimited = fit === world.owner && operation.operationId !== "desiredState.get"
      if (isLimited) expect((await ask({ token: world.full.token })).status).toBe(429)
      if (isWrong) expect((await ask(owner)).status).toBe(400)
      expect(await rowDigests(plane)).toEqual(before)
    })

    it("rejects callers without permission, and changes nothing", async () => {
      const callers = await world.callersOf(operation)
      const before = await rowDigests(plane)
      for (const caller of callers) {
        const expectRefusal = async (name: string, response: Promise<TestResponse>, verdict: Verdict) => {
          const what = `${caller.name}, ${name}`
          const settledResponse = await response
          expect([what, ...wordOf(settledResponse)]).toEqual([what, ...saidAs(operation, verdict)])
          return settledResponse
        }
        const cases = casesOf(operation, caller)
        const refusal = refusalOf(operation, caller)
        if (refusal !== undefined) {
          for (const { ids, name } of [{ name: "its own", ids: caller.things }, ...cases]) {
            await expectRefusal(name, as(caller, ids), refusal)
          }
          // Other errors are not reported.
          if (operation.body !== null) await expectRefusal("a bad body", as(caller, caller.things, "[]"), refusal)
          continue
        }

        // Path, query and body are validated before existence is revealed.
        const nothing = {
          ...caller.things,
          ...Object.fromEntries(idsIn(operation).map(({ type }) => [type, missing(type)]))
        }
        if (operation.body !== null) {
          await expectRefusal("a bad body", as(caller, nothing, "[]"), [400, "invalid_request"])
        }
        const query = badQuery(operation)
        if (query !== undefined) {
          const response = as(caller, nothing, undefined, query)
          const { body } = operation
          if (body === null) await expectRefusal("a bad query", response, [400, "invalid_request"])
        }
        for (const [index, { name, type }] of idsIn(operation).entries()) {
          if (kindOf(type).plain === true) continue
          const bad = malformed[(index + caller.name.length) % malformed.length] ?? ""
          const response = await as(caller, { ...nothing, [type]: bad }, bodyOf(operation, caller.things, plane))
          expect([caller.name, response.status]).toEqual([caller.name, 400])
          // Some of them are not valid in a path.
          if (response.body.details[0].path.length > 1) expect(detailsOf(response)).toEqual([["path", name]])
        }

        // Objects of others and objects that never existed have identical responses.
        const same = new Map<string, string>()
        for (const { ids, name, type } of cases) {
          const verdict = verdictOn(operation, caller, ids)
          if (verdict === undefined) throw new Error(`${caller.name} would be served with ${name}.`)
          const response = await expectRefusal(name, as(caller, ids, bodyOf(operation, caller.things, plane)), verdict)
          const first = same.get(type) ?? comparableOf(response, [ids[type]])
          same.set(type, first)
          expect([name, comparableOf(response, [ids[type]])]).toEqual([name, first])
        }
        const named = bodyObjects[id]
        if (named !== undefined) {
          const bodies = [caller.others[named.type], missing(named.type)].map((other) => [
            other,
            withAt(bodyOf(operation, caller.things, plane), named.path, other, [])
          ])
          const responses: Array<string> = []
          for (const [other, body] of bodies) {
            const response = as(caller, caller.things, body)
            responses.push(
              comparableOf(await expectRefusal(String(other), response, [404, named.error]), [String(other)])
            )
          }
          expect(new Set(responses).size).toBe(1)
        }
        const verdict = verdictOn(operation, caller, caller.things)
        if (verdict !== undefined) await expectRefusal("its own", as(caller), verdict)
      }
      expect(await rowDigests(plane)).toEqual(before)
    })

    const inBody = namedInBody(operation).filter(({ type }) => type !== undefined)
    if (inBody.length > 0) {
      it("accepts no ID of another organization in its body, and writes nothing", async () => {
        const callers = await world.callersOf(operation)
        const declared = operation.body?.members.map(({ name }) => name) ?? []
        const before = await rowDigests(plane)
        for (const caller of callers) {
          if (refusalOf(operation, caller) !== undefined) continue
          if (verdictOn(operation, caller, caller.things) !== undefined) continue
          const succeeds = expectedOf(operation, caller).some(
            (response) => typeof response === "number" && response < 300
          )
          for (const { path, type = "" } of inBody) {
            const place = `${id} ${path.join(".")}`
            const base = bodyOf(operation, caller.things, plane)
            const bad = await as(caller, caller.things, withAt(base, path, "x", declared, caller.things))
            expect([place, bad.status]).toEqual([place, 400])
            if (place in toldElsewhere || !succeeds) continue
            const isHidden = kindOf(type).seenBy === "grant" && caller.level(kindOf(type).group ?? "") === "none"
            const ids = [caller.others[type], missing(type), ...(isHidden ? [caller.things[type]] : [])]
            const permission = needed[place]
            const responses: Array<string> = []
            for (const other of ids) {
              const response = await as(caller, caller.things, withAt(base, path, other, declared, caller.things))
              const what = `${caller.name}, ${place}`
              if (permission !== undefined && !caller.holds(permission)) {
                expect([what, ...wordOf(response)]).toEqual([what, 403, "permission_required"])
              } else {
                expect([what, ...wordOf(response)]).toEqual([what, 400, "invalid_request"])
                expect(detailsOf(response)).toEqual([["body", ...path]])
              }
              responses.push(comparableOf(response, [other]))
            }
            expect(new Set(responses).size).toBe(1)
          }
        }
        expect(await rowDigests(plane)).toEqual(before)
      })
    }

    const inQuery = namedInQuery(operation).filter(({ type }) => type !== undefined)
    if (inQuery.length > 0) {
      it("finds the organization's objects by IDs in its query, and none of others", async () => {
        for (const caller of await world.callersOf(operation)) {
          if (refusalOf(operation, caller) !== undefined) continue
          if (verdictOn(operation, caller, caller.things) !== undefined) continue
          for (const { path, type = "" } of inQuery) {
            const [name = ""] = path.map(String)
            const ask = (value: string | undefined) =>
              as(caller, caller.things, undefined, { [name]: value ?? missing(type) })
            const bad = await ask("x")
            expect([caller.name, bad.status, detailsOf(bad)]).toEqual([caller.name, 400, [["query", name]]])
            const [foreign, never] = [await ask(caller.others[type]), await ask(missing(type))]
            const isPlace = places.has(`${id} ${name}`)
            const isSubject = subjects.has(`${id} ${name}`)
            expect([caller.name, never.status]).toEqual([caller.name, isPlace ? 400 : isSubject ? 404 : 200])
            expect([caller.name, comparableOf(foreign)]).toEqual([caller.name, comparableOf(never)])
            if (isPlace) expect(detailsOf(foreign)).toEqual([["query", name]])
            // The metrics of a missing object are empty.
            else if (operation.paged && !isSubject) expect(foreign.body.items).toEqual([])
          }
        }
      })
    }

    it("succeeds for callers with permission", async () => {
      for (const caller of await world.callersOf(operation)) {
        if (caller.person === world.outsider) continue
        if (refusalOf(operation, caller) !== undefined) continue
        // Personal objects are tested with their owners below.
        const isPersonal = idsIn(operation).some(({ type }) => kindOf(type).seenBy === "self")
        const isTheirs = isPersonal && caller.kind === "person"
        if (!isTheirs && verdictOn(operation, caller, caller.things) !== undefined) continue
        const isMissing = idsIn(operation).some(({ type }) => caller.things[type] === undefined)
        if (isMissing) continue
        const { credential, things } = await spendable(operation, caller)
        const response = await callAs(plane, credential, operation, things, bodyOf(operation, things, plane))
        const fine = expectedOf(operation, caller)
        const [status, word] = wordOf(response)
        expect(
          fine.includes(status) || fine.includes(word),
          `${caller.name}: ${operation.method} ${operation.path} ${response.status} ${response.text.slice(0, 300)}`
        ).toBe(true)
      }
    })
  })
  it("covers as many requests as documented", () => {
    expect(sent.count - began).toBeGreaterThanOrEqual(least)
  })
}
