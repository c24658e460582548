/** Rollouts of approved releases: which members receive which release, and how a rollout is stopped and reverted. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { bucketOf } from "../../src/identity/audiences/bucket.ts"
import { addMember, makeControlPlane, makeWorkspace, runSql, type Workspace } from "../harness.ts"
import { expectSearch, searchedNames } from "../list-search.ts"
import { approvePending, pending } from "./approvals.fixture.ts"
import { skill } from "./connectors.fixture.ts"
import { fetched, sha256 } from "./plugin-archives.fixture.ts"
import { ring, start, succeeded } from "./rollouts.fixture.ts"

const plane = await makeControlPlane()

const ended = { status: 409, body: { error: "rollout_ended" } }
const conflict = (error: string) => ({ status: 409, body: { error } })

/** The audit events of superseded rollouts. */
const supersededIn = async (owner: Workspace) =>
  (await owner.call("GET", "/v1/audit-events?action=rollout.supersede")).body.items

describe("a rollout", () => {
  it("reaches the rings in their order, and then everyone", async () => {
    const { act, canary, digests, first, owner, release, rollout } = await start(plane)
    const second = await release("Second")
    expect(await digests()).toEqual([second.digest, first.digest, first.digest])
    const { id, ...started } = await rollout()
    expect(started).toMatchObject({
      state: "active",
      ring: "Canary",
      ringNumber: 1,
      ringCount: 3,
      releaseId: second.id,
      digest: second.digest,
      previousReleaseId: first.id,
      nextRingAt: null
    })
    expect(await act(id, "promote", { ring: "Canary" })).toMatchObject({
      status: 200,
      body: { item: { ring: "Early" } }
    })
    expect(await digests()).toEqual([second.digest, second.digest, first.digest])
    expect(await act(id, "promote", { ring: "Early" })).toMatchObject({
      status: 200,
      body: { item: { state: "completed", ring: "Everyone", ringNumber: 3 } }
    })
    expect(await digests()).toEqual([second.digest, second.digest, second.digest])
    const { item } = await succeeded(owner, "GET", `/v1/rollouts/${id}`)
    expect(item.steps.map(({ ring, step }: { step: string; ring: string }) => [step, ring])).toEqual([
      ["created", null],
      ["ring_started", "Canary"],
      ["ring_started", "Early"],
      ["completed", "Everyone"]
    ])
    expect(item.steps[2].byOrgMembershipId).toBe(owner.membershipId)
    expect(await act(id, "promote", { ring: "Everyone" })).toMatchObject(ended)
    expect((await canary.call("GET", "/v1/rollouts")).status).toBe(403)
  })

  it("delivers the archive to a member of the ring only while the member is in it", async () => {
    const { canary, last, owner, pluginId, release } = await start(plane)
    await release("Second")
    const archive = ({ token }: { token: string }) =>
      fetched(plane, `/v1/plugins/${pluginId}/archive`, { authorization: `Bearer ${token}` })
    const [early, late] = [await archive(canary), await archive(last)]
    expect([early.status, late.status, Buffer.compare(early.bytes, late.bytes) === 0]).toEqual([200, 200, false])
    expect((await owner.call("DELETE", `/v1/members/${canary.membershipId}`)).status).toBe(204)
    expect((await archive(canary)).status).toBe(404)
  })

  it("reaches exactly the members of a percentage, with the desired state and the archive", async () => {
    const { digests, first, owner, pluginId, release } = await start(plane)
    const people: Array<Workspace> = []
    for (let index = 0; index < 12; index += 1) people.push(await addMember(plane, owner, "member"))
    await succeeded(owner, "PATCH", "/v1/rollout-settings", { rings: [ring("Half", { percent: 50 })] })
    const second = await release("Second")
    const isIn = people.map(({ membershipId }) => bucketOf(membershipId) < 50)
    expect(await digests(people)).toEqual(isIn.map((isFirst) => (isFirst ? second.digest : first.digest)))
    const archives = new Map<boolean, Set<string>>()
    for (const [index, { token }] of people.entries()) {
      const { bytes } = await fetched(plane, `/v1/plugins/${pluginId}/archive`, { authorization: `Bearer ${token}` })
      const side = isIn[index] === true
      archives.set(side, (archives.get(side) ?? new Set()).add(sha256(bytes)))
    }
    expect([...archives.values()].map(({ size }) => size)).toEqual([...archives.values()].map(() => 1))
    const { item } = await succeeded(owner, "POST", "/v1/rollouts/preview", { releaseId: second.id })
    const everyone = [owner.membershipId, ...people.map(({ membershipId }) => membershipId)]
    expect(item.rings[0].memberCount).toBeGreaterThanOrEqual(everyone.filter((id) => bucketOf(id) < 50).length)
  })

  it("starts one ring if two members promote it at once, and rejects a promotion from another ring", async () => {
    const { act, release, rollout } = await start(plane)
    await release("Second")
    const { id } = await rollout()
    const both = await Promise.all([act(id, "promote", { ring: "Canary" }), act(id, "promote", { ring: "Canary" })])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect((await rollout()).ring).toBe("Early")
    expect(await act(id, "promote", { ring: "Canary" })).toMatchObject(conflict("rollout_ring_changed"))
  })

  it("starts the next ring automatically after the soak time", async () => {
    const { digests, release, rollout } = await start(plane, { rings: { soakMinutes: 0, promotion: "automatic" } })
    const second = await release("Second")
    await expect.poll(async () => (await rollout()).state).toBe("completed")
    expect(await digests()).toEqual([second.digest, second.digest, second.digest])
  })

  it("stays in its ring while it is paused, and continues after it is resumed", async () => {
    const { act, digests, first, owner, release, rollout } = await start(plane)
    const second = await release("Second")
    const { id } = await rollout()
    expect(await act(id, "pause", { comment: "Look at it." })).toMatchObject({
      status: 200,
      body: { item: { state: "paused", pauseReason: "manual", comment: "Look at it." } }
    })
    expect((await act(id, "pause", {})).body.item.comment).toBe("Look at it.")
    expect(await act(id, "promote", { ring: "Canary" })).toMatchObject(conflict("rollout_paused"))
    expect(await digests()).toEqual([second.digest, first.digest, first.digest])
    expect((await act(id, "resume")).body.item).toMatchObject({ state: "active", pauseReason: null })
    expect(await act(id, "resume")).toMatchObject(conflict("rollout_not_paused"))
    expect((await act(id, "promote", { ring: "Canary" })).status).toBe(200)
    const { item } = await succeeded(owner, "GET", `/v1/rollouts/${id}`)
    expect(item.steps.filter(({ step }: { step: string }) => step === "paused")).toHaveLength(1)
  })

  it("is rolled back while it is active, with one action", async () => {
    const { act, digests, first, release, rollout } = await start(plane)
    await release("Second")
    const { id } = await rollout()
    await act(id, "promote", { ring: "Canary" })
    expect(await act(id, "roll-back", {})).toMatchObject({ status: 400 })
    expect(await act(id, "roll-back", { comment: "It fails." })).toMatchObject({
      status: 200,
      body: { item: { state: "rolled_back", comment: "It fails." } }
    })
    expect(await digests()).toEqual([first.digest, first.digest, first.digest])
    expect(await act(id, "roll-back", { comment: "Again." })).toMatchObject(ended)
  })

  it("is rolled back after it was completed, until a newer rollout starts", async () => {
    const { act, digests, first, owner, pluginId, release, rollout } = await start(plane)
    const second = await release("Second")
    const { id } = await rollout()
    await act(id, "release", { comment: "Security fix." })
    expect(await digests()).toEqual([second.digest, second.digest, second.digest])
    expect((await act(id, "roll-back", { comment: "It fails." })).status).toBe(200)
    expect(await digests()).toEqual([first.digest, first.digest, first.digest])
    // The release can be rolled out again.
    const again = await succeeded(owner, "POST", "/v1/rollouts", { releaseId: second.id })
    expect(again.item).toMatchObject({ state: "active", ring: "Canary", pluginId })
    expect(await digests()).toEqual([second.digest, first.digest, first.digest])
    await act(again.item.id, "release", { comment: "It works." })
    await release("Third")
    expect(await act(again.item.id, "roll-back", { comment: "Late." })).toMatchObject(
      conflict("rollout_not_revertible")
    )
  })

  it("is superseded by a newer release, and its rings keep their release until the new one reaches them", async () => {
    const { act, digests, first, owner, pluginId, release, rollout } = await start(plane)
    const second = await release("Second")
    const { id: older } = await rollout()
    await act(older, "promote", { ring: "Canary" })
    const third = await release("Third")
    expect((await succeeded(owner, "GET", `/v1/rollouts/${older}`)).item).toMatchObject({ state: "superseded" })
    const [superseded] = await supersededIn(owner)
    expect(superseded).toMatchObject({
      targetId: older,
      actorId: owner.membershipId,
      before: { state: "active", ring: "Early" },
      after: { state: "superseded", ring: "Early", pluginId, releaseId: second.id }
    })
    expect(await digests()).toEqual([third.digest, second.digest, first.digest])
    const { id } = await rollout()
    await act(id, "promote", { ring: "Canary" })
    expect(await digests()).toEqual([third.digest, third.digest, first.digest])
    // Everyone returns to the release that was served before both.
    await act(id, "roll-back", { comment: "It fails." })
    expect(await digests()).toEqual([first.digest, first.digest, first.digest])
    expect(await act(older, "promote", { ring: "Early" })).toMatchObject(ended)
  })

  it("leaves no ring without the newest release that reached it, however many releases follow", async () => {
    const { act, digests, first, release, rollout } = await start(plane)
    const second = await release("Second")
    await act((await rollout()).id, "promote", { ring: "Canary" })
    let newest = second
    for (let number = 3; number <= 9; number += 1) newest = await release(`Release ${number}`)
    expect(await digests()).toEqual([newest.digest, second.digest, first.digest])
  })

  it("is ordered by its number, because IDs contain the time of a server whose clock can be wrong", async () => {
    const { act, digests, first, pluginId, release, rollout } = await start(plane)
    await release("Second")
    const { id } = await rollout()
    // An ID of a server whose clock is ahead.
    const ahead = `rlo_7zzzzzzzzz${id.slice(14)}`
    await runSql(plane, (sql) =>
      Effect.gen(function* () {
        yield* sql`ALTER TABLE rollout_rings DISABLE TRIGGER ALL`
        yield* sql`ALTER TABLE rollout_steps DISABLE TRIGGER ALL`
        yield* sql`ALTER TABLE rollouts DISABLE TRIGGER ALL`
        yield* sql`UPDATE rollouts SET id = ${ahead} WHERE id = ${id}`
        yield* sql`UPDATE rollout_rings SET rollout_id = ${ahead} WHERE rollout_id = ${id}`
        yield* sql`UPDATE rollout_steps SET rollout_id = ${ahead} WHERE rollout_id = ${id}`
        yield* sql`ALTER TABLE rollouts ENABLE TRIGGER ALL`
        yield* sql`ALTER TABLE rollout_steps ENABLE TRIGGER ALL`
        yield* sql`ALTER TABLE rollout_rings ENABLE TRIGGER ALL`
      }).pipe(sql.withTransaction)
    )
    const third = await release("Third")
    expect(await digests()).toEqual([third.digest, first.digest, first.digest])
    const [row] = await runSql(
      plane,
      (sql) => sql<{ id: string }>`SELECT id FROM rollouts WHERE plugin_id = ${pluginId} AND state = 'active'`
    )
    expect((await act(row?.id ?? "", "release", { comment: "All." })).status).toBe(200)
    expect((await act(row?.id ?? "", "roll-back", { comment: "Back." })).status).toBe(200)
    expect(await digests()).toEqual([first.digest, first.digest, first.digest])
  })

  it("is skipped in an emergency, and all administrators get an email", async () => {
    const { act, digests, owner, release, rollout } = await start(plane)
    const second = await release("Second")
    const { id } = await rollout()
    await act(id, "pause", {})
    expect((await owner.call("POST", `/v1/rollouts/${id}/release`, {})).status).toBe(400)
    const address = `owner-${owner.organizationId.slice(-6).toLowerCase()}@acme.example`
    await runSql(
      plane,
      (sql) => sql`UPDATE users SET email = ${address}, email_verified = true WHERE id = (SELECT user_id
        FROM memberships WHERE organization_id = ${owner.organizationId} AND role = 'owner')`
    )
    await runSql(
      plane,
      (sql) => sql`UPDATE organizations SET provisional_until = NULL WHERE id = ${owner.organizationId}`
    )
    expect(await act(id, "release", { comment: "Security fix." })).toMatchObject({
      status: 200,
      body: { item: { state: "completed", emergency: true, comment: "Security fix." } }
    })
    expect(await digests()).toEqual([second.digest, second.digest, second.digest])
    await expect
      .poll(() => plane.mails.filter(({ to }) => to === address).map(({ subject }) => subject))
      .toEqual(["A plugin release on orgplane skipped its rollout"])
    const [event] = (await owner.call("GET", "/v1/audit-events?action=rollout.release")).body.items
    expect(event).toMatchObject({ after: { emergency: true, state: "completed" } })
  })

  it("ends when the plugin is removed, or its delivery mode becomes auto", async () => {
    const one = await start(plane)
    await one.release("Second")
    await runSql(plane, (sql) => sql`UPDATE plugins SET deleted_at = now() WHERE id = ${one.pluginId}`)
    await expect.poll(async () => (await one.rollout()).state).toBe("cancelled")
    const other = await start(plane)
    await other.release("Second")
    await other.owner.call("PATCH", "/v1/approval-settings", { deliveryMode: "auto" })
    await expect.poll(async () => (await other.rollout()).state).toBe("cancelled")
    expect(new Set(await other.digests())).toEqual(new Set([null]))
  })

  it("ends at once when the delivery mode becomes auto, even while it is paused, and is not continued later", async () => {
    const { act, canary, last, owner, pluginId, release, rollout } = await start(plane)
    await release("Second")
    const { id } = await rollout()
    await act(id, "pause", {})
    await owner.call("PATCH", "/v1/approval-settings", { deliveryMode: "auto" })
    expect(await rollout()).toMatchObject({ id, state: "cancelled" })
    await owner.call("PATCH", "/v1/approval-settings", { deliveryMode: "hold_all" })
    expect(await act(id, "resume")).toMatchObject(ended)
    expect(await act(id, "release", { comment: "Now." })).toMatchObject(ended)
    for (const { token } of [canary, last]) {
      const { status } = await fetched(plane, `/v1/plugins/${pluginId}/archive`, { authorization: `Bearer ${token}` })
      expect(status).toBe(200)
    }
  })

  it("is canceled instead of continued if the files of its release are no longer stored", async () => {
    const { act, digests, first, release, rollout } = await start(plane)
    const second = await release("Second")
    const { id } = await rollout()
    // As a server of an earlier version does, which does not keep the files of rollouts.
    await runSql(plane, (sql) => sql`UPDATE plugin_releases SET has_contents = false WHERE id = ${second.id}`)
    expect((await act(id, "release", { comment: "Now." })).body.error).toMatch(/^rollout_ended$|^release_not_stored$/u)
    await expect.poll(async () => (await rollout()).state).toBe("cancelled")
    expect(await digests()).toEqual([first.digest, first.digest, first.digest])
  })

  it("returns its rings to the served release at once when the content is reverted", async () => {
    const { digests, first, owner, pluginId, release, rollout, write } = await start(plane)
    await release("Second")
    await write("First")
    await expect.poll(async () => (await rollout()).state).toBe("superseded")
    expect(await supersededIn(owner)).toMatchObject([{ targetId: (await rollout()).id, actorKind: "system" }])
    expect(await pending(owner, pluginId)).toEqual([])
    expect(await digests()).toEqual([first.digest, first.digest, first.digest])
  })

  it("is not repeated without an approver for content that was rolled back", async () => {
    const { act, owner, pluginId, release, rollout, write } = await start(plane)
    const second = await release("Second")
    const { id } = await rollout()
    await act(id, "roll-back", { comment: "It fails." })
    await write("First")
    expect(await pending(owner, pluginId)).toEqual([])
    await write("Second")
    expect((await pending(owner, pluginId)).map(({ digest }: { digest: string }) => digest)).toEqual([second.digest])
    expect((await rollout()).id).toBe(id)
  })

  it("does not start for the first release of a plugin, which all members receive", async () => {
    const { digests, first, owner, pluginId } = await start(plane)
    expect((await owner.call("GET", `/v1/rollouts?pluginId=${pluginId}`)).body.items).toEqual([])
    expect(await digests()).toEqual([first.digest, first.digest, first.digest])
  })
})

describe("GET /v1/rollouts", () => {
  it("filters rollouts by part of the plugin's name, together with the other filters", async () => {
    const { owner, release } = await start(plane)
    await release("Second")
    const ids: Array<string> = []
    for (const name of searchedNames) {
      const { id: pluginId } = await owner.client.plugins.create({ name })
      await approvePending(owner, pluginId)
      await owner.client.configObjects.create({
        input: { type: "skill", rawSourceText: skill("review", "First.") },
        pluginIds: [pluginId]
      })
      await approvePending(owner, pluginId)
      ids.push((await succeeded(owner, "GET", `/v1/rollouts?pluginId=${pluginId}`)).items[0].id)
    }
    await expectSearch(owner, { path: "/v1/rollouts", ids, filter: "state=active" })
    expect((await succeeded(owner, "GET", "/v1/rollouts?q=blue&state=completed")).items).toEqual([])
  })
})

describe("the start of a rollout", () => {
  const always = {
    name: "Freeze",
    timeZone: "Europe/Berlin",
    weekdays: [],
    startTime: null,
    endTime: null,
    startsAt: "2020-01-01T00:00:00.000Z",
    endsAt: "2100-01-01T00:00:00.000Z"
  }

  it("waits for the end of a freeze, and can be started manually during the freeze", async () => {
    const { act, digests, first, owner, release, rollout } = await start(plane)
    await succeeded(owner, "PATCH", "/v1/rollout-settings", { freezes: [always] })
    const second = await release("Second")
    const { id, ...waiting } = await rollout()
    expect(waiting).toMatchObject({ state: "scheduled", ring: null, nextRingAt: always.endsAt })
    expect(await digests()).toEqual([first.digest, first.digest, first.digest])
    const until = new Date(Date.now() + 3_600_000).toISOString()
    await succeeded(owner, "PATCH", "/v1/rollout-settings", { freezes: [{ ...always, endsAt: until }] })
    expect((await rollout()).nextRingAt).toBe(until)
    expect((await act(id, "start")).body.item).toMatchObject({ state: "active", ring: "Canary" })
    expect(await digests()).toEqual([second.digest, first.digest, first.digest])
    expect(await act(id, "start")).toMatchObject(conflict("rollout_started"))
    expect((await act(id, "promote", { ring: "Canary" })).status).toBe(200)
    expect(await act(id, "schedule", { startsAt: null })).toMatchObject(conflict("rollout_started"))
  })

  it("follows its schedule", async () => {
    const { act, owner, release, rollout } = await start(plane)
    await succeeded(owner, "PATCH", "/v1/rollout-settings", { freezes: [always] })
    await release("Second")
    const { id } = await rollout()
    const startsAt = new Date(Date.now() + 3_600_000).toISOString()
    expect((await act(id, "schedule", { startsAt })).body.item.startsAt).toBe(startsAt)
    await succeeded(owner, "PATCH", "/v1/rollout-settings", { freezes: [] })
    expect((await rollout()).nextRingAt).toBe(startsAt)
    expect((await rollout()).state).toBe("scheduled")
    const soon = new Date(Date.now() + 1000).toISOString()
    await act(id, "schedule", { startsAt: soon })
    await expect.poll(async () => (await rollout()).state).toBe("active")
    expect(await act(id, "schedule", { startsAt: "2199-01-01T00:00:00.000Z" })).toMatchObject(
      conflict("rollout_started")
    )
  })
})

describe("a scheduled release", () => {
  const soon = () => new Date(Date.now() + 2000).toISOString()
  const tomorrow = () => new Date(Date.now() + 86_400_000).toISOString()

  it("starts its rollout at the time in the approval request", async () => {
    const { digests, first, owner, pluginId, rollout, write } = await start(plane)
    await write("Second")
    const [release] = await pending(owner, pluginId)
    const releases = [{ releaseId: release.id, digest: release.digest }]
    const startsAt = tomorrow()
    await succeeded(owner, "POST", "/v1/approvals/approve", { releases, startsAt })
    expect(await rollout()).toMatchObject({ state: "scheduled", startsAt, nextRingAt: startsAt, ring: null })
    expect(await digests()).toEqual([first.digest, first.digest, first.digest])
    await succeeded(owner, "POST", `/v1/rollouts/${(await rollout()).id}/schedule`, { startsAt: soon() })
    await expect.poll(async () => (await rollout()).ring).toBe("Canary")
  })

  it("reaches everyone at the scheduled time if there are no rings, even if it is the first release", async () => {
    const { digests, first, owner, pluginId, rollout, write } = await start(plane)
    await succeeded(owner, "PATCH", "/v1/rollout-settings", { rings: [] })
    await write("Second")
    const [release] = await pending(owner, pluginId)
    const releases = [{ releaseId: release.id, digest: release.digest }]
    await succeeded(owner, "POST", "/v1/approvals/approve", { releases, startsAt: soon() })
    expect(await digests()).toEqual([first.digest, first.digest, first.digest])
    await expect.poll(async () => (await rollout()).state).toBe("completed")
    expect(await digests()).toEqual([release.digest, release.digest, release.digest])
    await succeeded(owner, "POST", "/v1/rollouts/withdraw", { pluginId, digest: release.digest, comment: "Leaks." })
    await succeeded(owner, "POST", "/v1/rollouts/withdraw", { pluginId, digest: first.digest, comment: "Leaks." })
    expect(await digests()).toEqual([null, null, null])
    await write("Third")
    const [third] = await pending(owner, pluginId)
    const again = [{ releaseId: third.id, digest: third.digest }]
    await succeeded(owner, "POST", "/v1/approvals/approve", { releases: again, startsAt: soon() })
    expect(await digests()).toEqual([null, null, null])
    await expect.poll(() => digests()).toEqual([third.digest, third.digest, third.digest])
  })

  it.each([
    ["a time that does not exist", "2026-13-01T00:00:00.000Z"],
    ["a time in a different format", "2026-12-01"],
    ["a year with five digits", "20260-12-01T00:00:00.000Z"],
    ["a time more than 366 days ahead", "2199-01-01T00:00:00.000Z"]
  ])("is rejected with %s", async (_, startsAt) => {
    const { owner, pluginId, rollout, write } = await start(plane)
    await write("Second")
    const [release] = await pending(owner, pluginId)
    const releases = [{ releaseId: release.id, digest: release.digest }]
    const response = await owner.call("POST", "/v1/approvals/approve", { releases, startsAt })
    expect([response.status, response.body.details[0].path]).toEqual([400, ["body", "startsAt"]])
    expect((await pending(owner, pluginId))[0].id).toBe(release.id)
    expect(await rollout()).toBe(undefined)
  })
})

describe("the creation of a rollout", () => {
  it("requires an approved release that is stored and not served", async () => {
    const { first, owner, pluginId, release, act, rollout } = await start(plane)
    const create = (releaseId: string) => owner.call("POST", "/v1/rollouts", { releaseId })
    expect(await create(first.id)).toMatchObject(conflict("release_served"))
    expect((await create("rel_00000000000000000000000000")).body.error).toBe("plugin_release_not_found")
    await release("Second")
    await act((await rollout()).id, "release", { comment: "All." })
    await release("Third")
    await act((await rollout()).id, "release", { comment: "All." })
    expect(await create(first.id)).toMatchObject(conflict("release_not_stored"))
    await runSql(plane, (sql) => sql`UPDATE plugin_releases SET state = 'rejected' WHERE id = ${first.id}`)
    expect(await create(first.id)).toMatchObject(conflict("release_not_approved"))
    const stranger = await makeWorkspace(plane)
    expect((await stranger.call("POST", "/v1/rollouts", { releaseId: first.id })).body.error).toBe(
      "plugin_release_not_found"
    )
    expect(pluginId).toBeDefined()
  })
})
