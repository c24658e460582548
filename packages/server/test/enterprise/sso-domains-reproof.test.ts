import type { Domain } from "@orgplane/schema/sso-domains"
import type { Id } from "@orgplane/schema/shared/ids"
import * as Effect from "effect/Effect"
import { afterAll, describe, expect, it } from "vitest"
import { DomainReproof } from "../../src/enterprise/domains/reproof.ts"
import { personOfEmail } from "../../src/identity/users/verified-domains.ts"
import { failing, NameServer, texts, type Zone } from "../../src/infra/outbound/fixtures/name-server.ts"
import { SqlDatabase } from "../../src/infra/sql/client.ts"
import { organizationTransaction } from "../../src/infra/sql/organization-scope.ts"
import { engine, makeControlPlane, makeWorkspace, runSql, type Workspace, withServices } from "../harness.ts"

const names = new NameServer()
await names.start()
afterAll(() => names.close())
const plane = await makeControlPlane({ workers: false, dnsServers: names.options.dnsServers ?? [] })

let domainCount = 0
const someDomain = () => `daily-${(domainCount += 1)}.example`
const zoneOf = (domain: string) => `_orgplane-verification.${domain}`

const domainOf = async (owner: Workspace, { id }: Domain): Promise<Domain> =>
  (await owner.call("GET", `/v1/sso/domains/${id}`)).body.domain

const addDomain = async (owner: Workspace, domain = someDomain()): Promise<Domain> => {
  const added = (await owner.call("POST", "/v1/sso/domains", { domain })).body.domain
  names.zones.set(zoneOf(domain), texts([added.verification.value]))
  return added
}
const verify = (owner: Workspace) => owner.call("POST", "/v1/sso/verify-domain")

/** An organization with a verified domain. */
const makeVerified = async () => {
  const owner = await makeWorkspace(plane)
  const domain = await addDomain(owner)
  expect((await verify(owner)).status).toBe(204)
  return { owner, domain }
}

/** Advances time for one domain: its next check is due, and failures are older. */
const later = ({ id }: Domain, hours = 0) =>
  runSql(
    plane,
    (sql) => sql`UPDATE domains SET next_check_at = now() - interval '1 second',
        failing_since = failing_since - ${hours}::int * interval '1 hour'
      WHERE id = ${id}`
  )
const round = () =>
  withServices(
    plane,
    Effect.flatMap(DomainReproof, (reproof) => reproof.round)
  )
const recheck = async (domain: Domain, zone: Zone, hours = 0) => {
  names.zones.set(zoneOf(domain.domain), zone)
  await later(domain, hours)
  await round()
}
/** The audit events of a domain by the system, oldest first. */
const systemEventsOf = async (owner: Workspace, { id }: Domain) =>
  (await owner.call("GET", `/v1/audit-events?targetId=${id}`)).body.items
    .toReversed()
    .filter(({ actorKind }: { actorKind: string }) => actorKind === "system")
    .map(({ action, after }: { action: string; after: unknown }) => [action, after])
/** Whether a new user with an email address is admitted. */
const letsIn = ({ organizationId }: Workspace, email: string) =>
  withServices(
    plane,
    Effect.gen(function* () {
      const sql = yield* SqlDatabase
      const fenced = yield* organizationTransaction
      const id = organizationId as Id<"org">
      return (yield* fenced(id, personOfEmail(sql, id, email))) !== undefined
    })
  )

const isSomebodyWaiting = async () => {
  const [row] = await runSql(
    plane,
    (sql) => sql<{ exists: boolean }>`SELECT EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted) AS exists`
  )
  return row?.exists === true
}

const none = failing("NXDOMAIN")
const servfail = failing("SERVFAIL")

describe("the daily verification of a domain", () => {
  it("keeps a domain with its record verified, without an audit event", async () => {
    const { domain, owner } = await makeVerified()
    const before = await domainOf(owner, domain)
    names.queries.length = 0
    await round()
    expect(names.queries).toEqual([])
    await later(domain)
    expect(await round()).toBe(1)
    const after = await domainOf(owner, domain)
    expect(after).toMatchObject({ status: "verified", failure: null, verifiedAt: before.verifiedAt })
    expect(after.lastCheckedAt).not.toBe(before.lastCheckedAt)
    expect(await systemEventsOf(owner, domain)).toEqual([])
    // Until tomorrow.
    expect(await round()).toBe(0)
    const [next] = await runSql(
      plane,
      (sql) => sql<{ hours: number }>`SELECT ceil(extract(epoch FROM next_check_at - now()) / 3600)::int AS hours
        FROM domains WHERE id = ${domain.id}`
    )
    expect([23, 24]).toContain(next?.hours)
  })

  it.each([
    ["missing", none, "record_missing"],
    ["another", texts(["orgplane-verification=other"]), "record_mismatch"]
  ] as const)("and lapses when its record is %s at two checks a day apart", async (_, zone, failure) => {
    const { domain, owner } = await makeVerified()
    const email = `ann@${domain.domain}`
    await recheck(domain, zone)
    const failed = await domainOf(owner, domain)
    expect(failed).toMatchObject({ status: "verified", failure, failingSince: expect.any(String) })
    expect(await letsIn(owner, email)).toBe(true)
    await recheck(domain, zone, 23)
    expect(await domainOf(owner, domain)).toMatchObject({ status: "verified", failure })
    await recheck(domain, zone, 2)
    expect(await domainOf(owner, domain)).toMatchObject({
      status: "lapsed",
      failure,
      verifiedAt: failed.verifiedAt,
      failingSince: expect.any(String)
    })
    expect(await letsIn(owner, email)).toBe(false)
    expect(await systemEventsOf(owner, domain)).toEqual([
      ["domain.fail", { failure }],
      ["domain.lapse", { failure }]
    ])
    // No further check until someone requests it.
    await later(domain)
    expect(await round()).toBe(0)
    names.zones.set(zoneOf(domain.domain), texts([domain.verification.value]))
    expect((await verify(owner)).status).toBe(204)
    expect(await domainOf(owner, domain)).toMatchObject({ status: "verified", failure: null, failingSince: null })
    expect(await letsIn(owner, email)).toBe(true)
  })

  it("checks a failing domain several times during the grace day, and at its end", async () => {
    const { domain } = await makeVerified()
    await recheck(domain, none)
    const due = async () => {
      const [row] = await runSql(
        plane,
        (sql) => sql<{ soon: boolean; at_end: boolean }>`SELECT next_check_at < now() + interval '5 hours' AS soon,
            next_check_at = failing_since + interval '24 hours' AS at_end FROM domains WHERE id = ${domain.id}`
      )
      return row
    }
    expect(await due()).toEqual({ soon: true, at_end: false })
    await recheck(domain, none, 22)
    expect(await due()).toEqual({ soon: true, at_end: true })
  })

  it("starts a new grace day when the record was back in between", async () => {
    const { domain, owner } = await makeVerified()
    await recheck(domain, none)
    await recheck(domain, texts([domain.verification.value]), 20)
    expect(await domainOf(owner, domain)).toMatchObject({ status: "verified", failure: null, failingSince: null })
    await recheck(domain, none, 20)
    await recheck(domain, none, 20)
    expect(await domainOf(owner, domain)).toMatchObject({ status: "verified", failure: "record_missing" })
    expect(await systemEventsOf(owner, domain)).toEqual([
      ["domain.fail", { failure: "record_missing" }],
      ["domain.recover", { failure: null }],
      ["domain.fail", { failure: "record_missing" }]
    ])
  })

  it("never lapses a domain because name servers do not respond", async () => {
    const { domain, owner } = await makeVerified()
    for (const hours of [0, 48, 2400]) await recheck(domain, servfail, hours)
    expect(await domainOf(owner, domain)).toMatchObject({
      status: "verified",
      failure: "dns_unavailable",
      failingSince: null
    })
    expect(await letsIn(owner, `ann@${domain.domain}`)).toBe(true)
    expect(await systemEventsOf(owner, domain)).toEqual([])
    // An unavailable name server neither starts nor ends a grace day.
    await recheck(domain, none)
    await recheck(domain, servfail, 30)
    expect(await domainOf(owner, domain)).toMatchObject({ status: "verified", failure: "dns_unavailable" })
    await recheck(domain, none)
    expect(await domainOf(owner, domain)).toMatchObject({ status: "lapsed", failure: "record_missing" })
  })

  it("does not restore a domain that is removed during the check", async () => {
    const { domain, owner } = await makeVerified()
    const lookupStarted = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    names.zones.set(zoneOf(domain.domain), async (question) => {
      lookupStarted.resolve()
      await released.promise
      return none(question)
    })
    await later(domain)
    const looking = round()
    await lookupStarted.promise
    expect((await owner.call("DELETE", `/v1/sso/domains/${domain.id}`)).status).toBe(204)
    const again = await addDomain(owner, domain.domain)
    expect((await verify(owner)).status).toBe(204)
    released.resolve()
    await looking
    expect((await owner.call("GET", `/v1/sso/domains/${domain.id}`)).status).toBe(404)
    expect(await domainOf(owner, again)).toMatchObject({ status: "verified", failure: null, failingSince: null })
    expect([await systemEventsOf(owner, domain), await systemEventsOf(owner, again)]).toEqual([[], []])
  })

  it("keeps a verified domain from others, and releases a lapsed one", async () => {
    const { domain, owner } = await makeVerified()
    const other = await makeWorkspace(plane)
    const theirs = await addDomain(other, domain.domain)
    const refused = await verify(other)
    expect([refused.status, refused.body.details[0].code]).toEqual([400, "domain_taken"])
    await recheck(domain, texts([theirs.verification.value]))
    expect((await verify(other)).body.details[0].code).toBe("domain_taken")
    await recheck(domain, texts([theirs.verification.value]), 24)
    expect((await domainOf(owner, domain)).status).toBe("lapsed")
    expect((await verify(other)).status).toBe(204)
    expect([await letsIn(owner, `ann@${domain.domain}`), await letsIn(other, `ann@${domain.domain}`)]).toEqual([
      false,
      true
    ])
    // The record of the first organization returns too late.
    names.zones.set(zoneOf(domain.domain), texts([domain.verification.value], [theirs.verification.value]))
    expect((await verify(owner)).body.details[0].code).toBe("domain_taken")
    expect(await domainOf(owner, domain)).toMatchObject({ status: "lapsed", failure: "domain_taken" })
  })

  it("is done once by one of several processes, in limited batches", async () => {
    const owner = await makeWorkspace(plane)
    const own = [await addDomain(owner), await addDomain(owner), await addDomain(owner), await addDomain(owner)]
    expect((await verify(owner)).status).toBe(204)
    // More than one batch.
    const others = await makeWorkspace(plane)
    await runSql(
      plane,
      (
        sql
      ) => sql`INSERT INTO domains (organization_id, id, domain, status, token, verified_at, next_check_at, created_at,
          updated_at)
        SELECT ${others.organizationId}, 'dom_' || lpad(n::text, 26, '0'), 'many-' || n || '.example', 'verified', 'x', now(),
          now() - interval '1 hour', now(), now()
        FROM generate_series(1, 70) AS n`
    )
    for (const domain of own) await later(domain)
    names.queries.length = 0
    const [first, second] = await Promise.all([round(), round()])
    expect([first, second].toSorted((a, b) => b - a)).toEqual([50, 24])
    expect(await round()).toBe(0)
    const lookups = names.queries.filter((name) => name.includes("_orgplane-verification."))
    expect([lookups.length, new Set(lookups).size]).toEqual([74, 74])
    expect((await owner.call("GET", "/v1/sso/domains")).body.items).toMatchObject(
      own.map(() => ({ status: "verified", failure: null }))
    )
  })
})

describe("the organization of an email address", () => {
  it("is the one that has verified exactly its domain, in any spelling", async () => {
    const owner = await makeWorkspace(plane)
    const idn = await addDomain(owner, "zürich.example")
    names.zones.set(zoneOf("xn--zrich-kva.example"), texts([idn.verification.value]))
    expect((await verify(owner)).status).toBe(204)
    const { domain } = await addDomain(owner)
    expect(await letsIn(owner, "ann@Zürich.example")).toBe(true)
    expect(await letsIn(owner, "ann@xn--zrich-kva.example")).toBe(true)
    for (const address of [
      `ann@${domain}`,
      "ann@mail.xn--zrich-kva.example",
      "ann@example",
      "ann@xn--zrich-kva.example.evil.example",
      "ann@xn--zrich-kva.example/x",
      "ann@evil.example@zurich.example"
    ]) {
      expect([address, await letsIn(owner, address)]).toEqual([address, false])
    }
    expect(await letsIn(await makeWorkspace(plane), "ann@zürich.example")).toBe(false)
  })

  it("is locked until the transaction ends: the domain is removed afterwards", async () => {
    const { domain, owner } = await makeVerified()
    const id = owner.organizationId as Id<"org">
    const read = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const order: Array<string> = []
    const letting = withServices(
      plane,
      Effect.gen(function* () {
        const sql = yield* SqlDatabase
        const fenced = yield* organizationTransaction
        yield* fenced(
          id,
          Effect.gen(function* () {
            yield* personOfEmail(sql, id, `bob@${domain.domain}`)
            read.resolve()
            yield* Effect.promise(() => goOn.promise)
            order.push("let in")
          })
        )
      })
    )
    await read.promise
    const removing = owner.call("DELETE", `/v1/sso/domains/${domain.id}`).then(({ status }) => order.push(`${status}`))
    // The embedded database runs transactions one after another anyway.
    if (engine === "postgres") while (order.length === 0 && !(await isSomebodyWaiting())) continue
    goOn.resolve()
    await Promise.all([letting, removing])
    expect(order).toEqual(["let in", "204"])
  })
})
