/** Assignments that pin a release: what agents receive, and how long the files of the release are kept. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { sweep } from "../../src/operations/housekeeping/housekeeping.ts"
import {
  addMember,
  makeControlPlane,
  makeKey,
  makeMarketplace,
  makeTeam,
  makeWorkspace,
  type Person,
  runSql,
  type Workspace
} from "../harness.ts"
import { approvePending, importTools, pending } from "./approvals.fixture.ts"
import { skill } from "./connectors.fixture.ts"
import { stateOf } from "./delivery/desired-state.fixture.ts"
import { fetched, sha256, unpacked } from "./plugin-archives.fixture.ts"

const plane = await makeControlPlane()

const assign = async (person: Person, input: object): Promise<string> => {
  const response = await person.call("POST", "/v1/assignments", input)
  expect([response.status, response.text]).toEqual([201, response.text])
  return response.body.item.id
}
const change = (person: Person, id: string, input: object) => person.call("PATCH", `/v1/assignments/${id}`, input)

/** The digest of the newest approved release. */
const approvedDigest = async (person: Person, pluginId: string): Promise<string> =>
  (await person.call("GET", `/v1/approvals?state=approved&pluginId=${pluginId}`)).body.items[0].digest

const pathOf = (url: string) => new URL(url).pathname + new URL(url).search

/** A skill in a plugin and a marketplace that all members see. Each release is held for approval. */
const start = async (deliveryMode = "hold_all") => {
  const owner = await makeWorkspace(plane)
  await owner.call("PATCH", "/v1/approval-settings", { deliveryMode })
  const member = await addMember(plane, owner, "member")
  const other = await addMember(plane, owner, "member")
  const { id: pluginId } = await owner.client.plugins.create({ name: "Notes" })
  await owner.client.plugins.grantAccess(pluginId, { role: "viewer", orgWide: true })
  const { id: objectId } = await owner.client.configObjects.create({
    input: { type: "skill", rawSourceText: skill("review", "One.") },
    pluginIds: [pluginId]
  })
  const marketplaceId = await makeMarketplace(plane, owner, [pluginId])
  await owner.client.marketplaces.grantAccess(marketplaceId, { role: "viewer", orgWide: true })
  await approvePending(owner, pluginId)
  /** Releases another text, and returns the digest of its release. */
  const release = async (text: string): Promise<string> => {
    const input = { rawSourceText: skill("review", `${text}.`) }
    await owner.client.configObjects.createVersion(objectId, { input })
    await approvePending(owner, pluginId)
    return approvedDigest(owner, pluginId)
  }
  return {
    owner,
    member,
    other,
    pluginId,
    objectId,
    marketplaceId,
    release,
    first: await approvedDigest(owner, pluginId)
  }
}
type Started = Awaited<ReturnType<typeof start>>

const archive = (person: Person, pluginId: string, format: "tar.gz" | "zip" = "tar.gz") =>
  fetched(plane, `/v1/plugins/${pluginId}/archive?format=${format}`, { authorization: `Bearer ${person.token}` })

/** The text of the skill that the person's agents receive; null if they receive no archive. */
const textOf = async (person: Person, pluginId: string): Promise<string | null> => {
  const { bytes, status } = await archive(person, pluginId)
  if (status === 404) return null
  expect(status).toBe(200)
  return /(?<text>\w+)\.\s*$/u.exec(unpacked(bytes).files["skills/review/SKILL.md"] ?? "")?.groups?.["text"] ?? ""
}

/** The only plugin of a marketplace document; undefined if there is none. */
const published = async (person: Person, marketplaceId: string) =>
  (await person.call("GET", `/v1/marketplaces/${marketplaceId}/marketplace.json`)).body.plugins[0]

/** Everything that is delivered to a person, with the digests of the bytes. */
const deliveries = async (person: Person, { marketplaceId, pluginId }: Started) => {
  const [plugin] = (await stateOf(plane, person.token)).body.plugins
  const entry = await published(person, marketplaceId)
  const digestAt = async (url: string) => {
    const { bytes, status } = await fetched(plane, pathOf(url))
    return status === 200 ? sha256(bytes) : null
  }
  return {
    own: {
      "tar.gz": sha256((await archive(person, pluginId)).bytes),
      zip: sha256((await archive(person, pluginId, "zip")).bytes)
    },
    state: { digest: plugin.digest, archive: plugin.archive.sha256, linked: await digestAt(plugin.archive.url) },
    document: { version: entry.version, archive: entry.source.sha256, linked: await digestAt(entry.source.url) }
  }
}

describe("a pinned release", () => {
  it("is what the agents of the member receive, while others receive the served one", async () => {
    const started = await start()
    const { first, member, objectId, other, owner, pluginId, release } = started
    const memberIds = [member.membershipId]
    const id = await assign(owner, { pluginId, mode: "required", memberIds })
    const before = await deliveries(member, started)
    expect(before.state).toMatchObject({ digest: first, archive: before.own["tar.gz"], linked: before.own["tar.gz"] })
    expect(before.document).toMatchObject({ archive: before.own.zip, linked: before.own.zip })
    const oldLink = (await stateOf(plane, member.token)).body.plugins[0].archive.url
    const othersLink = (await stateOf(plane, other.token)).body.plugins[0].archive.url

    expect((await change(owner, id, { pinnedDigest: first })).status).toBe(200)
    const second = await release("Two")
    expect(await deliveries(member, started)).toEqual(before)
    const [plugin] = (await stateOf(plane, member.token)).body.plugins
    expect(plugin).toMatchObject({ delivery: "pinned", mode: "required", digest: first, reason: { assignmentId: id } })
    expect((await fetched(plane, pathOf(oldLink))).status).toBe(200)

    const served = await deliveries(other, started)
    expect(served.state).toMatchObject({ digest: second, archive: served.own["tar.gz"], linked: served.own["tar.gz"] })
    expect(served.document).toMatchObject({ archive: served.own.zip, linked: served.own.zip })
    expect(served.own["tar.gz"]).not.toBe(before.own["tar.gz"])
    expect(served.document.version).not.toBe(before.document.version)
    expect((await stateOf(plane, other.token)).body.plugins[0].delivery).toBe("latest_approved")
    expect((await fetched(plane, pathOf(othersLink))).status).toBe(404)
    expect([await textOf(member, pluginId), await textOf(other, pluginId)]).toEqual(["One", "Two"])
    // People read the served release.
    const read = (await member.call("GET", `/v1/config-objects/${objectId}`)).body.item.latestVersion
    expect(JSON.stringify(read)).toContain("Two.")

    expect((await change(owner, id, { pinnedDigest: null })).status).toBe(200)
    expect(await deliveries(member, started)).toEqual(served)
    expect((await fetched(plane, pathOf(oldLink))).status).toBe(404)
    // The files of the release before the served one are kept for a rollback.
    await release("Three")
    const refused = await change(owner, id, { pinnedDigest: first })
    expect([refused.status, refused.body.details]).toEqual([
      400,
      [
        {
          path: ["body", "pinnedDigest"],
          message:
            "must be the digest of a release whose files are stored: the served release, or one that another assignment pins"
        }
      ]
    ])
  })

  it("is delivered through the links of a member and of a team", async () => {
    const { first, marketplaceId, member, other, owner, pluginId, release } = await start()
    const team = await makeTeam(owner, [])
    const links = [
      await member.client.marketplaces.createLink(marketplaceId, { name: "A laptop" }),
      await other.client.marketplaces.createLink(marketplaceId, { name: "A laptop" }),
      await owner.client.marketplaces.createLink(marketplaceId, { name: "A team", teamId: team })
    ]
    const linked = () =>
      Promise.all(
        links.map(async ({ url }) => {
          const { bytes } = await fetched(plane, pathOf(url))
          const { source } = JSON.parse(Buffer.from(bytes).toString()).plugins[0]
          const downloaded = await fetched(plane, pathOf(source.url))
          expect([downloaded.status, sha256(downloaded.bytes)]).toEqual([200, source.sha256])
          return source.sha256 as string
        })
      )
    const [old] = await linked()
    await assign(owner, { pluginId, mode: "available", memberIds: [member.membershipId], pinnedDigest: first })
    await assign(owner, { pluginId, mode: "available", teamIds: [team], pinnedDigest: first })
    await release("Two")
    const [served] = (await linked()).filter((digest) => digest !== old)
    expect(served).toMatch(/^[0-9a-f]{64}$/u)
    expect(await linked()).toEqual([old, served, old])
  })

  it("is delivered with its files also while the pin changes", async () => {
    const { first, member, other, owner, pluginId, release } = await start()
    const id = await assign(owner, {
      pluginId,
      mode: "required",
      memberIds: [member.membershipId],
      pinnedDigest: first
    })
    await assign(owner, { pluginId, mode: "required", memberIds: [other.membershipId], pinnedDigest: first })
    const second = await release("Two")
    for (let times = 0; times < 10; times += 1) {
      const states = await Promise.all([
        stateOf(plane, member.token),
        change(owner, id, { pinnedDigest: times % 2 === 0 ? second : first }).then(({ status }) => {
          expect(status).toBe(200)
          return stateOf(plane, member.token)
        }),
        stateOf(plane, member.token)
      ])
      for (const { body } of states) {
        expect(body.plugins[0].delivery).toBe("pinned")
        expect([first, second]).toContain(body.plugins[0].digest)
      }
    }
  })

  it("is not delivered to API keys, and a block takes precedence over it", async () => {
    const { first, marketplaceId, member, owner, pluginId, release } = await start()
    await assign(owner, { pluginId, mode: "required", pinnedDigest: first, priority: 9 })
    await release("Two")
    const key = await makeKey(plane, owner, ["plugins:read", "marketplaces:read"])
    const { bytes } = await fetched(plane, `/v1/plugins/${pluginId}/archive`, { "x-api-key": key.key })
    expect(unpacked(bytes).files["skills/review/SKILL.md"]).toContain("Two.")
    expect(await textOf(member, pluginId)).toBe("One")
    const link = (await stateOf(plane, member.token)).body.plugins[0].archive.url
    const block = await assign(owner, { pluginId, mode: "blocked", memberIds: [member.membershipId] })
    expect(await textOf(member, pluginId)).toBeNull()
    expect((await fetched(plane, pathOf(link))).status).toBe(404)
    expect(await published(member, marketplaceId)).toBeUndefined()
    const { body } = await stateOf(plane, member.token)
    expect([body.plugins, body.blocked.map((item: { id: string }) => item.id)]).toEqual([[], [pluginId]])
    expect((await owner.call("DELETE", `/v1/assignments/${block}`)).status).toBe(204)
    expect(await textOf(member, pluginId)).toBe("One")
  })

  it("is that of the assignment that decides, by every rule of precedence", { timeout: 240_000 }, async () => {
    const { first, marketplaceId, member, owner, pluginId, release } = await start()
    const keeper = await assign(owner, {
      pluginId,
      mode: "available",
      memberIds: [owner.membershipId],
      pinnedDigest: first
    })
    const second = await release("Two")
    const team = await makeTeam(owner, [member])
    const [memberIds, teamIds] = [[member.membershipId], [team]]
    const [one, two] = [{ pinnedDigest: first }, { pinnedDigest: second }]
    const scenes: ReadonlyArray<readonly [ReadonlyArray<object>, "One" | "Two" | null]> = [
      [[], "Two"],
      [[one], "One"],
      [[two, one], "Two"],
      [[one, {}], "One"],
      [[{}, one], "Two"],
      [[two, { ...one, priority: 1 }], "One"],
      [[one, { teamIds }], "Two"],
      [[{ memberIds }, { ...one, teamIds }], "Two"],
      [
        [
          { teamIds, marketplaceId },
          { ...one, memberIds }
        ],
        "One"
      ],
      [[{ marketplaceId }, one], "One"],
      [[{ marketplaceId, priority: 1 }, one], "Two"],
      [[{ marketplaceId, memberIds }, one], "Two"],
      [[{ ...one, memberIds, mode: "default_on" }, { mode: "blocked" }], null]
    ]
    for (const [inputs, text] of scenes) {
      const ids: Array<string> = []
      for (const input of inputs) {
        const target = "marketplaceId" in input ? {} : { pluginId }
        ids.push(await assign(owner, { ...target, mode: "required", ...input }))
      }
      const at = `/v1/members/${member.membershipId}/assignments?pluginId=${pluginId}`
      const { mode, pinnedDigest, version } = (await owner.call("GET", at)).body.items[0]
      const [plugin] = (await stateOf(plane, member.token)).body.plugins
      expect([inputs, await textOf(member, pluginId)]).toEqual([inputs, text])
      expect(mode === "blocked").toBe(text === null)
      if (text !== null) {
        const expected = text === "One" ? first : second
        expect([pinnedDigest ?? second, plugin.digest]).toEqual([expected, expected])
        expect([version, plugin.delivery]).toEqual(Array(2).fill(pinnedDigest === null ? "latest_approved" : "pinned"))
      }
      for (const id of ids) expect((await owner.call("DELETE", `/v1/assignments/${id}`)).status).toBe(204)
    }
    expect((await owner.call("DELETE", `/v1/assignments/${keeper}`)).status).toBe(204)
  })

  it("stays when the delivery mode becomes auto, until the pin is removed", async () => {
    const { first, member, objectId, other, owner, pluginId } = await start()
    const id = await assign(owner, {
      pluginId,
      mode: "required",
      memberIds: [member.membershipId],
      pinnedDigest: first
    })
    await owner.call("PATCH", "/v1/approval-settings", { deliveryMode: "auto" })
    await owner.client.configObjects.createVersion(objectId, { input: { rawSourceText: skill("review", "Two.") } })
    expect([await textOf(member, pluginId), await textOf(other, pluginId)]).toEqual(["One", "Two"])
    expect((await stateOf(plane, member.token)).body.plugins[0]).toMatchObject({ delivery: "pinned", digest: first })
    expect((await stateOf(plane, other.token)).body.plugins[0]).toMatchObject({
      delivery: "latest_approved",
      digest: null
    })
    expect((await owner.call("DELETE", `/v1/assignments/${id}`)).status).toBe(204)
    expect(await textOf(member, pluginId)).toBe("Two")
    const { status } = await owner.call("POST", "/v1/assignments", { pluginId, mode: "required", pinnedDigest: first })
    expect(status).toBe(400)
  })

  it("must be an approved release of the same plugin, with files that are stored", async () => {
    const { first, member, objectId, owner, pluginId, release } = await start()
    const foreign = await start()
    const foreignDigest = await foreign.release("Of another organization")
    const { id: secondPlugin } = await owner.client.plugins.create({ name: "Second" })
    await approvePending(owner, secondPlugin)
    const ofSecond = await approvedDigest(owner, secondPlugin)
    await owner.client.configObjects.createVersion(objectId, { input: { rawSourceText: skill("review", "Held.") } })
    const [{ digest: held, id: heldId }] = await pending(owner, pluginId)
    const refused = async (pinnedDigest: string) => {
      const response = await owner.call("POST", "/v1/assignments", { pluginId, mode: "required", pinnedDigest })
      return [response.status, response.body.details?.[0].path, response.body.details?.[0].message]
    }
    const notApproved = [400, ["body", "pinnedDigest"], "must be the digest of an approved release of the plugin"]
    for (const digest of [held, ofSecond, foreignDigest, "a".repeat(64)])
      expect(await refused(digest)).toEqual(notApproved)
    const decision = { releases: [{ releaseId: heldId, digest: held }], comment: "No." }
    expect((await owner.call("POST", "/v1/approvals/reject", decision)).status).toBe(200)
    expect(await refused(held)).toEqual(notApproved)
    await release("Two")
    await release("Three")
    expect((await refused(first))[2]).toContain("whose files are stored")
    expect(await textOf(member, pluginId)).toBe("Three")
  })

  it("is not replaced by another release if its files are no longer stored", async () => {
    const { first, marketplaceId, member, owner, pluginId, release } = await start()
    await assign(owner, { pluginId, mode: "required", memberIds: [member.membershipId], pinnedDigest: first })
    await release("Two")
    await runSql(
      plane,
      (sql) => sql`UPDATE plugin_releases SET has_contents = false WHERE plugin_id = ${pluginId} AND digest = ${first}`
    )
    expect((await archive(member, pluginId)).status).toBe(404)
    expect(await published(member, marketplaceId)).toBeUndefined()
    const [plugin] = (await stateOf(plane, member.token)).body.plugins
    expect(plugin).toMatchObject({ delivery: "pinned_not_stored", digest: first, archive: null, version: null })
    expect(await textOf(owner, pluginId)).toBe("Two")
  })
})

/** Makes every removed row and every content that no publication has old enough to be deleted, and runs housekeeping. */
const housekeep = () =>
  runSql(plane, (sql) =>
    Effect.gen(function* () {
      yield* sql`UPDATE plugin_file_blobs SET staged_at = now() - interval '2 days' WHERE staged_at IS NOT NULL`
      for (const [table, column] of [
        ["config_objects", "deleted_at"],
        ["plugin_memberships", "removed_at"],
        ["connector_mappings", "removed_at"]
      ] as const) {
        yield* sql`UPDATE ${sql(table)} SET ${sql(column)} = now() - interval '1000 days' WHERE ${sql(column)} IS NOT NULL`
      }
      yield* sweep(sql)
    })
  )

describe("the files of a pinned release", () => {
  it(
    "survive later releases, removed objects and housekeeping, until nothing pins them",
    { timeout: 240_000 },
    async () => {
      const owner = await makeWorkspace(plane)
      const { pluginId, push } = await importTools(plane, owner)
      await owner.call("PATCH", "/v1/approval-settings", { deliveryMode: "hold_all" })
      const member: Workspace = await addMember(plane, owner, "member")
      const { status, bytes: old } = await archive(member, pluginId)
      expect(status).toBe(200)
      // The digest of imported content is computed by the first check.
      await push({ "tools/scripts/run.sh": { executable: "#!/bin/sh\nexit 1\n" } })
      await pending(owner, pluginId)
      const first = await approvedDigest(owner, pluginId)
      const id = await assign(owner, {
        pluginId,
        mode: "required",
        memberIds: [member.membershipId],
        pinnedDigest: first
      })
      await approvePending(owner, pluginId)
      await push({
        "tools/scripts/run.sh": null,
        "tools/skills/review/SKILL.md": null,
        "tools/skills/write/SKILL.md": skill("write")
      })
      await approvePending(owner, pluginId)
      // As if these publications were no longer retained.
      const [run] = await runSql(
        plane,
        (sql) => sql<{ digest: string }>`SELECT digest FROM plugin_release_files
        WHERE plugin_id = ${pluginId} AND path = 'scripts/run.sh'`
      )
      const digest = run?.digest ?? ""
      const forgetFiles = () =>
        runSql(plane, (sql) =>
          Effect.andThen(
            sql`DELETE FROM plugin_files WHERE plugin_id = ${pluginId} AND to_sequence IS NOT NULL`,
            sql`UPDATE plugin_file_blobs b SET staged_at = now() - interval '2 days'
            WHERE organization_id = ${owner.organizationId} AND digest = ${digest}`
          )
        )
      const isStored = async () =>
        (
          await runSql(
            plane,
            (sql) => sql`SELECT 1 AS one FROM plugin_file_blobs
            WHERE organization_id = ${owner.organizationId} AND digest = ${digest}`
          )
        ).length === 1
      await forgetFiles()
      await housekeep()
      expect(await isStored()).toBe(true)
      expect(sha256((await archive(member, pluginId)).bytes)).toBe(sha256(old))
      const files = unpacked((await archive(owner, pluginId)).bytes).files
      expect(Object.keys(files)).toContain("skills/write/SKILL.md")

      expect((await change(owner, id, { pinnedDigest: null })).status).toBe(200)
      await forgetFiles()
      await housekeep()
      expect(await isStored()).toBe(false)
      expect(unpacked((await archive(member, pluginId)).bytes).files).toEqual(files)
    }
  )

  it("are kept while the plugin is removed, and are delivered again after it is restored", async () => {
    const { first, member, owner, pluginId, release } = await start()
    await assign(owner, { pluginId, mode: "required", memberIds: [member.membershipId], pinnedDigest: first })
    await release("Two")
    const set = (deletedAt: Date | null) =>
      runSql(plane, (sql) => sql`UPDATE plugins SET deleted_at = ${deletedAt} WHERE id = ${pluginId}`)
    await set(new Date())
    expect(await textOf(member, pluginId)).toBeNull()
    // As a rollback restores it: its content is checked again, and was approved before.
    await set(null)
    await pending(owner, pluginId)
    expect([await textOf(member, pluginId), await textOf(owner, pluginId)]).toEqual(["One", "Two"])
  })
})
