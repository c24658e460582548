import * as Domains from "@orgplane/schema/sso-domains"
import * as Schema from "effect/Schema"
import { afterAll, describe, expect, it } from "vitest"
import { addMember, makeControlPlane, makeWorkspace, type Person, runSql } from "../harness.ts"
import { makeProvisional } from "../infra/http-world.ts"
import { respond, failing, NameServer, texts, type Zone } from "../../src/infra/outbound/fixtures/name-server.ts"

const names = new NameServer()
await names.start()
afterAll(() => names.close())
const plane = await makeControlPlane({ workers: false, dnsServers: names.options.dnsServers ?? [] })
const missing = "dom_01h455vb4pex5vsknk084sn02q"

let domainCount = 0
const someDomain = () => `acme-${String((domainCount += 1)).padStart(4, "0")}.example`
const nameOf = (domain: string) => `_orgplane-verification.${domain}`

const addDomain = async (owner: Person, domain = someDomain()): Promise<Domains.Domain> => {
  const added = await owner.call("POST", "/v1/sso/domains", { domain })
  expect([added.status, added.text]).toEqual([201, expect.any(String)])
  return added.body.domain
}
const domainOf = async (owner: Person, id: string): Promise<Domains.Domain> =>
  (await owner.call("GET", `/v1/sso/domains/${id}`)).body.domain
const verify = (person: Person) => person.call("POST", "/v1/sso/verify-domain")
const publish = ({ domain, verification }: Domains.Domain, ...more: ReadonlyArray<ReadonlyArray<string>>) =>
  names.zones.set(nameOf(domain), texts([verification.value], ...more))
const verified = async (owner: Person, domain?: string) => {
  const added = await addDomain(owner, domain)
  publish(added)
  expect((await verify(owner)).status).toBe(204)
  return added
}
/** The failure of each domain. */
const codes = (response: Awaited<ReturnType<typeof verify>>): unknown => [
  response.status,
  ...(response.body?.details ?? []).map(({ code, path }: { code: string; path: Array<string> }) => [...path, code])
]

/** A DNS response that the test delays. */
const held = (zone: Zone) => {
  const { promise: lookupStarted, resolve: isAsked } = Promise.withResolvers<void>()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const blockedZone: Zone = async (question) => {
    isAsked()
    await released
    return zone(question)
  }
  return { zone: blockedZone, lookupStarted, release: () => release() }
}

describe("POST /v1/sso/domains", () => {
  it("returns the DNS record to create", async () => {
    const owner = await makeWorkspace(plane)
    const { body, status } = await owner.call("POST", "/v1/sso/domains", { domain: " Bücher.Example. " })
    expect(status).toBe(201)
    expect(Schema.decodeUnknownSync(Domains.Domain)(body.domain)).toMatchObject({
      organizationId: owner.organizationId,
      domain: "xn--bcher-kva.example",
      status: "pending",
      verification: {
        type: "TXT",
        name: "_orgplane-verification.xn--bcher-kva.example",
        value: expect.stringMatching(/^orgplane-verification=[\w-]{43}$/)
      },
      verifiedAt: null,
      lastCheckedAt: null,
      failure: null,
      failingSince: null
    })
    expect(await domainOf(owner, body.domain.id)).toEqual(body.domain)
  })

  it.each(["", "acme", "*.acme.com", "https://acme.com", "192.0.2.1", "co.uk", "github.io", "gmail.com", "acme.com/x"])(
    "returns 400 for %j, which no organization can own",
    async (domain) => {
      const owner = await makeWorkspace(plane)
      const refused = await owner.call("POST", "/v1/sso/domains", { domain })
      expect([refused.status, refused.body.details[0].path]).toEqual([400, ["body", "domain"]])
      expect((await owner.call("GET", "/v1/sso/domains")).body.items).toEqual([])
    }
  )

  it("returns 409 for an existing domain in any spelling, also concurrently", async () => {
    const owner = await makeWorkspace(plane)
    const responses = await Promise.all(
      ["straße.example", "STRASSE.example", "strasse.example.", "straSSe.example"].map((domain) =>
        owner.call("POST", "/v1/sso/domains", { domain })
      )
    )
    // The sharp s is a distinct letter.
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 201, 409, 409])
    expect(responses.find(({ status }) => status === 409)?.body.error).toBe("domain_exists")
  })

  it("assigns the same domain to two organizations with different tokens", async () => {
    const domain = someDomain()
    const [one, other] = [
      await addDomain(await makeWorkspace(plane), domain),
      await addDomain(await makeWorkspace(plane), domain)
    ]
    expect(one.verification.name).toBe(other.verification.name)
    expect(one.verification.value).not.toBe(other.verification.value)
  })

  it("returns 409 beyond 50 domains, also concurrently", async () => {
    const owner = await makeWorkspace(plane)
    for (let count = 0; count < 46; count++) await addDomain(owner)
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => owner.call("POST", "/v1/sso/domains", { domain: someDomain() }))
    )
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 201, 409, 409, 409, 409])
    expect(responses.find(({ status }) => status === 409)?.body.error).toBe("quota_exceeded")
    const [{ id }] = (await owner.call("GET", "/v1/sso/domains?limit=1")).body.items
    expect((await owner.call("DELETE", `/v1/sso/domains/${id}`)).status).toBe(204)
    await addDomain(owner)
  })

  it("returns 403 for an unclaimed workspace", async () => {
    const agent = await makeProvisional(plane)
    const refused = await agent.call("POST", "/v1/sso/domains", { domain: someDomain() })
    expect([refused.status, refused.body.reason]).toEqual([403, "provisional_organization"])
    expect((await agent.call("POST", "/v1/sso/verify-domain")).body.error).toBe("organization_not_found")
  })

  it("returns 402 without the plan and 403 without the permission", async () => {
    const owner = await makeWorkspace(plane)
    const member = await addMember(plane, owner, "member")
    const refused = await member.call("POST", "/v1/sso/domains", { domain: someDomain() })
    expect([refused.status, refused.body.reason]).toEqual([403, "permission_required"])
    await runSql(plane, (sql) => sql`UPDATE organizations SET plan = 'free' WHERE id = ${owner.organizationId}`)
    // The plan is cached for some seconds: use a session that is not cached yet.
    const late = await addMember(plane, owner, "owner")
    for (const path of ["/v1/sso/domains", "/v1/sso/verify-domain"]) {
      const unpaid = await late.call("POST", path, { domain: someDomain() })
      expect([unpaid.status, unpaid.body.error, unpaid.body.feature]).toEqual([402, "enterprise_plan_required", "sso"])
    }
  })
})

describe("the domains of an organization", () => {
  it("are listed newest first, without those of others", async () => {
    const [owner, other] = [await makeWorkspace(plane), await makeWorkspace(plane)]
    const ids = []
    for (let count = 0; count < 3; count++) ids.unshift((await addDomain(owner)).id)
    const foreign = await addDomain(other)
    const first = await owner.call("GET", "/v1/sso/domains?limit=2")
    const second = await owner.call("GET", `/v1/sso/domains?limit=2&cursor=${first.body.nextCursor}`)
    expect([...first.body.items, ...second.body.items].map(({ id }: Domains.Domain) => id)).toEqual(ids)
    expect(second.body.nextCursor).toBeNull()
    const removed = await addDomain(owner)
    await owner.call("DELETE", `/v1/sso/domains/${removed.id}`)
    for (const method of ["GET", "DELETE"]) {
      const responses = await Promise.all(
        [foreign.id, removed.id, missing].map((id) => owner.call(method, `/v1/sso/domains/${id}`))
      )
      expect(new Set(responses.map(({ text }) => text)).size).toBe(1)
      expect([responses[0]?.status, responses[0]?.body.error]).toEqual([404, "domain_not_found"])
      expect((await owner.call(method, "/v1/sso/domains/dom_x")).status).toBe(400)
    }
    expect(await domainOf(other, foreign.id)).toEqual(foreign)
  })

  it("can be verified by others after removal, and get a new token when they return", async () => {
    const [owner, other] = [await makeWorkspace(plane), await makeWorkspace(plane)]
    const added = await verified(owner)
    expect((await owner.call("DELETE", `/v1/sso/domains/${added.id}`)).status).toBe(204)
    const theirs = await addDomain(other, added.domain)
    publish(theirs, [added.verification.value])
    expect((await verify(other)).status).toBe(204)
    const again = await addDomain(owner, added.domain)
    expect(again.verification.value).not.toBe(added.verification.value)
    expect(codes(await verify(owner))).toEqual([400, ["domains", added.domain, "record_mismatch"]])
  })

  it("can be verified by others after the organization is deleted", async () => {
    const [owner, other] = [await makeWorkspace(plane), await makeWorkspace(plane)]
    const { domain } = await verified(owner)
    expect((await owner.call("DELETE", "/v1/organization")).status).toBe(204)
    expect((await verified(other, domain)).domain).toBe(domain)
  })

  it("are in the organization's export without their tokens", async () => {
    const owner = await makeWorkspace(plane)
    const added = await verified(owner)
    const { text } = await owner.call("GET", "/v1/organization/export")
    const items = text.split("\n").filter((line) => line.includes('"kind":"domain"'))
    expect(items.map((line) => JSON.parse(line).item)).toMatchObject([
      { id: added.id, domain: added.domain, status: "verified", createdByOrgMembershipId: owner.membershipId }
    ])
    expect(text).not.toContain(added.verification.value)
  })
})

describe("POST /v1/sso/verify-domain", () => {
  it("returns 404 for an organization without domains and connection, and 204 when nothing is unverified", async () => {
    const owner = await makeWorkspace(plane)
    const refused = await verify(owner)
    expect([refused.status, refused.body]).toEqual([404, { error: "organization_not_found" }])
    await runSql(
      plane,
      (sql) => sql`INSERT INTO sso_connections (organization_id, id, protocol, config_json, jit_enabled, jit_role,
          created_at, updated_at)
        VALUES (${owner.organizationId}, 'sso_01h455vb4pex5vsknk084sn02q', 'oidc', '{}', true, 'member', now(), now())`
    )
    const nothing = await verify(owner)
    expect([nothing.status, nothing.text]).toEqual([204, ""])
    const { id } = await verified(owner)
    names.queries.length = 0
    expect((await verify(owner)).status).toBe(204)
    expect(names.queries).toEqual([])
    expect((await domainOf(owner, id)).status).toBe("verified")
  })

  it("returns 204 for any member with a session and 403 for an API key", async () => {
    const owner = await makeWorkspace(plane)
    const added = await addDomain(owner)
    publish(added)
    const member = await addMember(plane, owner, "member")
    expect((await verify(member)).status).toBe(204)
    expect(await domainOf(owner, added.id)).toMatchObject({
      status: "verified",
      verifiedAt: expect.any(String),
      lastCheckedAt: expect.any(String),
      failure: null
    })
    const audited = await owner.call("GET", "/v1/audit-events?action=domain.verify")
    expect(audited.body.items).toMatchObject([
      { actorId: member.membershipId, after: { verified: [added.id], failing: {} } }
    ])
  })

  /** DNS zones at our name and at the domain itself, by the correct value. */
  type Zones = (value: string, domain: string) => { readonly own?: Zone; readonly apex?: Zone }
  const proofs: ReadonlyArray<readonly [string, string | null, Zones]> = [
    ["a record", null, (value) => ({ own: texts([value]) })],
    ["a record at the domain itself", null, (value) => ({ apex: texts(["v=spf1 -all"], [value]) })],
    [
      "a record in several strings",
      null,
      (value) => ({ own: texts([value.slice(0, 9), value.slice(9, 30), value.slice(30)]) })
    ],
    ["a record with space around it", null, (value) => ({ own: texts(["\t ", `${value} `]) })],
    ["a record among others", null, (value) => ({ own: texts(["orgplane-verification=other"], ["x"], [value]) })],
    [
      "a record of the domain, when the lookup of our name fails",
      null,
      (value) => ({ own: failing("SERVFAIL"), apex: texts([value]) })
    ],
    [
      "an alias of a record",
      null,
      (value) => ({
        own: (question) =>
          respond(question, [
            { alias: "proofs.elsewhere.example" },
            { name: "proofs.elsewhere.example", text: [value] }
          ])
      })
    ],
    [
      "a record that requires TCP",
      null,
      (value) => ({
        own: (question) => {
          const isWhole = names.tcpConnections > 0
          const packet = respond(question, isWhole ? [{ text: [value] }] : [])
          if (!isWhole) packet.header.tc = 1
          return packet
        }
      })
    ],
    ["no such name", "record_missing", () => ({})],
    ["a name without records", "record_missing", () => ({ own: texts(), apex: texts() })],
    [
      "other records of the domain",
      "record_missing",
      () => ({ apex: texts(["v=spf1 -all"], ["some-verification=1"]) })
    ],
    [
      "an alias of nothing",
      "record_missing",
      () => ({ own: (question) => respond(question, [{ alias: "nothing.elsewhere.example" }]) })
    ],
    ["the token alone", "record_mismatch", (value) => ({ own: texts([value.split("=")[1] ?? ""]) })],
    ["text before it", "record_mismatch", (value) => ({ own: texts([`x${value}`]) })],
    ["text behind it", "record_mismatch", (value) => ({ own: texts([`${value}x`]) })],
    ["text behind it in another string", "record_mismatch", (value) => ({ own: texts([value, "x"]) })],
    ["space within it", "record_mismatch", (value) => ({ own: texts([value.replace("=", " = ")]) })],
    [
      "a value with spaces in it",
      "record_mismatch",
      (value) => ({ own: texts([value.slice(0, 9), " ", value.slice(9)]) })
    ],
    [
      "half of it in one record and half in another",
      "record_mismatch",
      (value) => ({ own: texts([value.slice(0, 30)], [value.slice(30)]) })
    ],
    ["another case", "record_mismatch", (value) => ({ own: texts([value.toUpperCase()]) })],
    ["quotes around it", "record_mismatch", (value) => ({ own: texts([`"${value}"`]) })],
    ["another token at the domain", "record_mismatch", () => ({ apex: texts(["orgplane-verification=other"]) })],
    ["a server that fails", "dns_unavailable", () => ({ own: failing("SERVFAIL") })],
    ["a server that refuses", "dns_unavailable", () => ({ own: failing("REFUSED") })],
    [
      "a server that fails for the domain only, and another record at the name",
      "dns_unavailable",
      () => ({ own: texts(["orgplane-verification=other"]), apex: failing("SERVFAIL") })
    ],
    ["bytes that are no answer", "dns_unavailable", () => ({ own: () => Buffer.from("no answer") })],
    ["silence", "dns_unavailable", () => ({ own: () => undefined })]
  ]
  it.each(proofs)(
    "checks %s: %s",
    async (_, code, zones) => {
      const owner = await makeWorkspace(plane)
      const added = await addDomain(owner)
      names.tcpConnections = 0
      const { apex, own } = zones(added.verification.value, added.domain)
      if (own !== undefined) names.zones.set(nameOf(added.domain), own)
      if (apex !== undefined) names.zones.set(added.domain, apex)
      expect(codes(await verify(owner))).toEqual(code === null ? [204] : [400, ["domains", added.domain, code]])
      expect(await domainOf(owner, added.id)).toMatchObject({
        status: code === null ? "verified" : "pending",
        failure: code,
        failingSince: null,
        lastCheckedAt: expect.any(String)
      })
    },
    60_000
  )

  it("returns 400 with each domain that fails, and verifies the others", async () => {
    const owner = await makeWorkspace(plane)
    const [good, none, other, broken, idn] = [
      await addDomain(owner),
      await addDomain(owner),
      await addDomain(owner),
      await addDomain(owner),
      await addDomain(owner, "grüße.example")
    ]
    publish(good)
    publish(idn)
    names.zones.set(nameOf(other.domain), texts(["something else"]))
    names.zones.set(nameOf(broken.domain), failing("SERVFAIL"))
    const verification = await verify(owner)
    expect(codes(verification)).toEqual([
      400,
      ["domains", none.domain, "record_missing"],
      ["domains", other.domain, "record_mismatch"],
      ["domains", broken.domain, "dns_unavailable"]
    ])
    expect(verification.body.error).toBe("invalid_request")
    expect(verification.text).not.toContain(none.verification.value)
    const states = (await owner.call("GET", "/v1/sso/domains")).body.items
    expect(states.map(({ failure, status }: Domains.Domain) => [status, failure])).toEqual([
      ["verified", null],
      ["pending", "dns_unavailable"],
      ["pending", "record_mismatch"],
      ["pending", "record_missing"],
      ["verified", null]
    ])
    const [event] = (await owner.call("GET", "/v1/audit-events?action=domain.verify")).body.items
    expect(event.after).toEqual({
      verified: [good.id, idn.id],
      failing: { [none.id]: "record_missing", [other.id]: "record_mismatch", [broken.id]: "dns_unavailable" }
    })
  })

  it("does not restore a domain that was removed during the check, or verify its successor", async () => {
    const owner = await makeWorkspace(plane)
    const added = await addDomain(owner)
    const late = held(texts([added.verification.value]))
    names.zones.set(nameOf(added.domain), late.zone)
    const looking = verify(owner)
    await late.lookupStarted
    expect((await owner.call("DELETE", `/v1/sso/domains/${added.id}`)).status).toBe(204)
    const again = await addDomain(owner, added.domain)
    late.release()
    expect((await looking).status).toBe(204)
    expect((await owner.call("GET", `/v1/sso/domains/${added.id}`)).status).toBe(404)
    expect(await domainOf(owner, again.id)).toEqual(again)
  })

  it("assigns a domain to one of two organizations that verify it, and reports the conflict to the other", async () => {
    const [one, other] = [await makeWorkspace(plane), await makeWorkspace(plane)]
    const shared = [someDomain(), someDomain(), someDomain()]
    const [ours, theirs] = [
      await Promise.all(shared.map((domain) => addDomain(one, domain))),
      await Promise.all(shared.map((domain) => addDomain(other, domain)))
    ]
    const own = await addDomain(other)
    publish(own)
    const gates = shared.map((domain, index) => {
      const values = [ours[index], theirs[index]].map((row) => [row?.verification.value ?? ""])
      const gate = held(texts(...values))
      names.zones.set(nameOf(domain), gate.zone)
      return gate
    })
    const looking = [verify(one), verify(other)]
    await Promise.all(gates.map(({ lookupStarted }) => lookupStarted))
    for (const { release } of gates) release()
    const responses = await Promise.all(looking)
    const lost = responses.flatMap((response) => response.body?.details ?? [])
    expect(lost.map(({ code }: { code: string }) => code)).toEqual(["domain_taken", "domain_taken", "domain_taken"])
    const states = await Promise.all([
      ...ours.map(({ id }) => domainOf(one, id)),
      ...theirs.map(({ id }) => domainOf(other, id))
    ])
    for (const domain of shared) {
      const pair = states.filter((state) => state.domain === domain)
      expect(pair.map(({ failure, status }) => `${status} ${failure}`).toSorted()).toEqual([
        "pending domain_taken",
        "verified null"
      ])
    }
    expect((await domainOf(other, own.id)).status).toBe("verified")
  })

  it("does not reveal that a domain is taken without a valid record", async () => {
    const { domain } = await verified(await makeWorkspace(plane))
    const other = await makeWorkspace(plane)
    await addDomain(other, domain)
    expect(codes(await verify(other))).toEqual([400, ["domains", domain, "record_mismatch"]])
  })

  it("returns 204 for the second of two concurrent checks", async () => {
    const owner = await makeWorkspace(plane)
    const added = await addDomain(owner)
    const late = held(texts([added.verification.value]))
    names.zones.set(nameOf(added.domain), late.zone)
    const looking = [verify(owner), verify(owner), verify(owner)]
    await late.lookupStarted
    late.release()
    expect((await Promise.all(looking)).map(({ status }) => status)).toEqual([204, 204, 204])
  })

  it("ends within the time limit for 50 domains whose name servers do not respond", async () => {
    const owner = await makeWorkspace(plane)
    const domains = []
    for (let count = 0; count < 50; count++) {
      const { domain } = await addDomain(owner)
      names.zones.set(nameOf(domain), () => undefined)
      domains.push(domain)
    }
    const verification = await verify(owner)
    expect(verification.body.details).toHaveLength(50)
    expect(new Set(verification.body.details.map(({ code }: { code: string }) => code))).toEqual(
      new Set(["dns_unavailable"])
    )
  }, 60_000)

  it("returns 429 with retry-after for too frequent checks", async () => {
    const owner = await makeWorkspace(plane)
    await verified(owner)
    const statuses = []
    for (let count = 0; count < 10; count++) statuses.push((await verify(owner)).status)
    expect(statuses).toEqual([...Array.from({ length: 9 }, () => 204), 429])
    const refused = await verify(owner)
    expect([refused.body.error, Number(refused.headers.get("retry-after")) > 0]).toEqual(["rate_limited", true])
    expect((await verify(await makeWorkspace(plane))).status).toBe(404)
  })
})
