/** The storage quota: what counts, that the counter is always right, and that nothing exceeds the limit. */
import * as Effect from "effect/Effect"
import * as References from "effect/References"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Storage } from "../../src/infra/storage/index.ts"
import { sweep } from "../../src/operations/housekeeping/housekeeping.ts"
import { call, makeControlPlane, makeWorkspace, type Person, runSql, withServices } from "../harness.ts"
import { commit } from "../../../../test/fixtures/git.ts"
import { connect, imported, marketplace, repositoryIn, skill, synced, withoutApprovals } from "./connectors.fixture.ts"

const limit = 300_000
const metricsToken = "the token of the metrics"
const plane = await makeControlPlane({
  bootstrap: "open",
  logLevel: "none",
  metricsToken,
  storageQuotas: { default: limit, large: 2_000_000, huge: "unlimited", unclaimed: 100_000 }
})

const onStorage = <A>(use: (storage: Storage["Service"]) => Effect.Effect<A, unknown>) =>
  withServices(
    plane,
    Effect.flatMap(Storage, use).pipe(Effect.orDie, Effect.provideService(References.MinimumLogLevel, "None"))
  )
const maintain = () =>
  onStorage(({ maintenance }) => Effect.forEach(maintenance, ({ work }) => work, { discard: true }))
const usageOf = async (person: Person): Promise<{ usedBytes: number; limitBytes: number | null }> => {
  const { body, status } = await person.call("GET", "/v1/organization/storage")
  expect(status).toBe(200)
  return body.storage
}
const setPlan = (person: Person, plan: string) =>
  runSql(plane, (sql) => sql`UPDATE organizations SET plan = ${plan} WHERE id = ${person.organizationId}`)
/** Makes removed objects old enough to be deleted, and deletes them. */
const purge = async (person: Person) => {
  await runSql(plane, (sql) =>
    Effect.forEach(
      ["config_objects", "templates"],
      (table) =>
        sql`UPDATE ${sql(table)} SET deleted_at = now() - interval '31 days'
        WHERE organization_id = ${person.organizationId} AND deleted_at IS NOT NULL`
    )
  )
  await runSql(plane, (sql) => sweep(sql))
}

const createObject = (person: Person, length: number) =>
  person.call("POST", "/v1/config-objects", { input: { type: "context", rawSourceText: "é".repeat(length / 2) } })
const template = (text: string) => ({
  plugin: { name: "Made" },
  objects: [{ type: "context", rawSourceText: text }],
  variables: []
})

/** One change of the content of an organization. */
type Step =
  | {
      readonly kind: "object" | "version" | "template" | "templateVersion" | "memory" | "abort"
      readonly length: number
    }
  | { readonly kind: "removeObject" | "removeTemplate" | "removeMemory" | "purge" | "fold" }

const steps: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constantFrom("object", "version", "template", "templateVersion", "memory", "abort"),
      length: fc.integer({ min: 2, max: 3000 })
    }),
    fc.record({ kind: fc.constantFrom("removeObject", "removeTemplate", "removeMemory", "purge", "fold") })
  ),
  { minLength: 8, maxLength: 16 }
) as fc.Arbitrary<ReadonlyArray<Step>>

describe("the counter of stored content", () => {
  it("equals a complete count after any history", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        const owner = await makeWorkspace(plane)
        await setPlan(owner, "large")
        const ids: Record<"objects" | "templates" | "memories", Array<string>> = {
          objects: [],
          templates: [],
          memories: []
        }
        const last = (of: keyof typeof ids) => ids[of].at(-1) ?? "none"
        for (const step of history) {
          const text = "length" in step ? `# ${"xé".repeat(step.length)}` : ""
          switch (step.kind) {
            case "object": {
              const { body } = await owner.call("POST", "/v1/config-objects", {
                input: { type: "context", rawSourceText: text }
              })
              ids.objects.push(body.item.id)
              break
            }
            case "version":
              await owner.call("POST", `/v1/config-objects/${last("objects")}/versions`, {
                input: { rawSourceText: text }
              })
              break
            case "template": {
              const name = `Template ${ids.templates.length}`
              const { body, status } = await owner.call("POST", "/v1/templates", { name, content: template(text) })
              expect(status).toBe(201)
              ids.templates.push(body.template?.id ?? body.item?.id)
              break
            }
            case "templateVersion":
              await owner.call("POST", `/v1/templates/${last("templates")}/versions`, { content: template(text) })
              break
            case "memory": {
              const { body } = await owner.call("POST", "/v1/memory", { content: text.slice(0, 2000) })
              ids.memories.push(body.memory.id)
              break
            }
            case "abort":
              // A transaction that is rolled back.
              await runSql(plane, (sql) =>
                Effect.ignore(
                  sql.withTransaction(
                    Effect.andThen(
                      sql`INSERT INTO plugin_file_blobs (organization_id, digest, size, bytes)
                        VALUES (${owner.organizationId}, 'x', ${step.length}, ${new Uint8Array(step.length)})`,
                      Effect.fail("rolled back")
                    )
                  )
                )
              )
              break
            case "removeObject":
              await owner.call("DELETE", `/v1/config-objects/${ids.objects.pop() ?? "none"}`)
              break
            case "removeTemplate":
              await owner.call("DELETE", `/v1/templates/${ids.templates.pop() ?? "none"}`)
              break
            case "removeMemory":
              await owner.call("DELETE", `/v1/memory/${ids.memories.pop() ?? "none"}`)
              break
            case "purge":
              await purge(owner)
              break
            case "fold":
              await maintain()
          }
        }
        const { usedBytes } = await usageOf(owner)
        expect(await onStorage((storage) => storage.recount(owner.organizationId))).toBe(0)
        expect((await usageOf(owner)).usedBytes).toBe(usedBytes)
        if (history.some(({ kind }) => kind === "object")) expect(usedBytes).toBeGreaterThanOrEqual(0)
      }),
      { numRuns: 12 }
    )
  }, 120_000)

  it("counts what syncs publish, and what removals delete", async () => {
    const owner = await makeWorkspace(plane)
    const repository = repositoryIn(plane, {
      ".claude-plugin/marketplace.json": marketplace(["review"]),
      "plugins/review/skills/review/SKILL.md": skill("review"),
      "plugins/review/scripts/run.sh": "echo ".repeat(1000)
    })
    const connected = await withoutApprovals(owner, await connect(owner, repository))
    expect((await imported(owner, connected)).syncEvent.status).toBe("completed")
    const { usedBytes } = await usageOf(owner)
    expect(usedBytes).toBeGreaterThan(5000)
    expect(await onStorage((storage) => storage.recount(owner.organizationId))).toBe(0)
    await owner.call("POST", `/v1/connector-instances/${connected.instance.id}/remove`)
    await runSql(
      plane,
      (sql) => sql`UPDATE plugin_file_blobs SET staged_at = now() - interval '2 days'
      WHERE organization_id = ${owner.organizationId}`
    )
    await purge(owner)
    expect(await usageOf(owner)).toEqual({ usedBytes: 0, limitBytes: limit })
    expect(await onStorage((storage) => storage.recount(owner.organizationId))).toBe(0)
  })

  it("is corrected by a recount, and is created by a count for organizations that are older than it", async () => {
    const owner = await makeWorkspace(plane)
    await createObject(owner, 1000)
    const { usedBytes } = await usageOf(owner)
    await runSql(
      plane,
      (sql) => sql`UPDATE storage_usage SET bytes = bytes + 7, counted_at = now() - interval '8 days'
      WHERE organization_id = ${owner.organizationId}`
    )
    expect((await usageOf(owner)).usedBytes).toBe(usedBytes + 7)
    await maintain()
    expect((await usageOf(owner)).usedBytes).toBe(usedBytes)
    await runSql(plane, (sql) => sql`DELETE FROM storage_usage WHERE organization_id = ${owner.organizationId}`)
    expect((await usageOf(owner)).usedBytes).toBe(usedBytes)
    await createObject(owner, 1000)
    const more = (await usageOf(owner)).usedBytes
    expect(more).toBeGreaterThan(usedBytes + 1000)
    await maintain()
    expect((await usageOf(owner)).usedBytes).toBe(more)
  })

  it("is counted for all organizations from before the counter by one run", async () => {
    await makeWorkspace(plane)
    // More than one page of organizations.
    await runSql(
      plane,
      (sql) => sql`INSERT INTO organizations (id, name, plan, created_at, updated_at)
      SELECT 'org_before' || n, 'Before', 'default', now(), now() FROM generate_series(1, 45) n`
    )
    await runSql(plane, (sql) => sql`DELETE FROM storage_usage`)
    await maintain()
    const left = await runSql(
      plane,
      (sql) => sql`SELECT o.id FROM organizations o
        WHERE NOT EXISTS (SELECT 1 FROM storage_usage u WHERE u.organization_id = o.id)`
    )
    expect(left).toEqual([])
    await runSql(plane, (sql) => sql`DELETE FROM organizations WHERE id LIKE 'org_before%'`)
  })

  it("is deleted with the organization", async () => {
    const owner = await makeWorkspace(plane)
    await createObject(owner, 1000)
    await runSql(
      plane,
      (sql) => sql`UPDATE organizations SET deleted_at = now() - interval '31 days'
      WHERE id = ${owner.organizationId}`
    )
    await runSql(plane, (sql) => sweep(sql))
    const left = await runSql(
      plane,
      (sql) => sql`SELECT organization_id FROM storage_usage
      WHERE organization_id = ${owner.organizationId}
      UNION ALL SELECT organization_id FROM storage_changes WHERE organization_id = ${owner.organizationId}`
    )
    expect(left).toEqual([])
  })
})

describe("the storage quota", () => {
  const message = (plan: string) =>
    new RegExp(
      `^The organization would store \\d+(\\.\\d+)? kB, but its limit is 300 kB\\. Delete content that is not needed, or ask the operator to raise the limit of the plan "${plan}"\\.$`
    )

  it("refuses every kind of content that would exceed it, with the usage and the limit, and changes nothing", async () => {
    const owner = await makeWorkspace(plane)
    const [object] = [(await createObject(owner, 1000)).body.item.id]
    const made = await owner.call("POST", "/v1/templates", { name: "Small", content: template("# Small") })
    const templateId = made.body.template?.id ?? made.body.item?.id
    expect((await createObject(owner, 200_000)).status).toBe(201)
    expect((await owner.call("POST", "/v1/memory", { content: "x".repeat(4000) })).status).toBe(201)
    await runSql(
      plane,
      (sql) => sql`INSERT INTO plugin_file_blobs (organization_id, digest, size, bytes)
      VALUES (${owner.organizationId}, 'large', 80000, ''::bytea)`
    )
    const before = await usageOf(owner)
    expect(before.limitBytes).toBe(limit)
    const text = "y".repeat(20_000)
    const refused = [
      await createObject(owner, 20_000),
      await owner.call("POST", `/v1/config-objects/${object}/versions`, { input: { rawSourceText: text } }),
      await owner.call("POST", "/v1/templates", { name: "Large", content: template(text) }),
      await owner.call("POST", `/v1/templates/${templateId}/versions`, { content: template(text) })
    ]
    for (const { body, status } of refused) {
      expect([status, body]).toEqual([
        409,
        { error: "quota_exceeded", message: expect.stringMatching(message("enterprise")) }
      ])
    }
    expect(await usageOf(owner)).toEqual(before)
    expect((await owner.call("GET", "/v1/templates")).body.items).toHaveLength(1)
    await runSql(
      plane,
      (sql) => sql`UPDATE plugin_file_blobs SET size = 94500 WHERE organization_id = ${owner.organizationId}`
    )
    const memory = await owner.call("POST", "/v1/memory", { content: "x".repeat(4000) })
    expect([memory.status, memory.body.error]).toEqual([409, "quota_exceeded"])
  })

  it("does not count content that was deleted and purged, and depends on the plan", async () => {
    const owner = await makeWorkspace(plane)
    const { body } = await createObject(owner, 290_000)
    expect((await createObject(owner, 20_000)).status).toBe(409)
    await setPlan(owner, "large")
    expect((await createObject(owner, 20_000)).status).toBe(201)
    expect((await usageOf(owner)).limitBytes).toBe(2_000_000)
    await setPlan(owner, "huge")
    expect((await usageOf(owner)).limitBytes).toBe(null)
    await setPlan(owner, "enterprise")
    expect((await createObject(owner, 20_000)).status).toBe(409)
    expect((await owner.call("DELETE", `/v1/config-objects/${body.item.id}`)).status).toBe(204)
    await purge(owner)
    expect((await createObject(owner, 20_000)).status).toBe(201)
  })

  it("holds for concurrent requests", async () => {
    const owner = await makeWorkspace(plane)
    const responses = await Promise.all(Array.from({ length: 12 }, () => createObject(owner, 40_000)))
    const counts = Map.groupBy(responses, ({ status }) => status)
    const { usedBytes } = await usageOf(owner)
    expect(usedBytes).toBeLessThanOrEqual(limit)
    // Text and payload are stored.
    expect([counts.get(201)?.length, counts.get(409)?.length]).toEqual([
      Math.floor(limit / (usedBytes / (counts.get(201)?.length ?? 1))),
      12 - (counts.get(201)?.length ?? 0)
    ])
  })

  it("asks the agent of an unclaimed workspace to claim it", async () => {
    const workspace = await call(plane)("POST", "/v1/bootstrap/workspace", { workspaceName: "Unclaimed" })
    const agent = call(plane, workspace.body.session.token)
    const response = await agent("POST", "/v1/config-objects", {
      input: { type: "context", rawSourceText: "x".repeat(120_000) }
    })
    expect([response.status, response.body]).toEqual([
      409,
      {
        error: "quota_exceeded",
        message: expect.stringMatching(
          /^The organization would store 1\d\d kB, but its limit is 100 kB\. Claim the workspace to store more\.$/
        )
      }
    ])
  })

  it("fails a sync before it publishes anything, and a later one succeeds", async () => {
    const owner = await makeWorkspace(plane)
    const repository = repositoryIn(plane, {
      ".claude-plugin/marketplace.json": marketplace(["review"]),
      "plugins/review/skills/review/SKILL.md": skill("review")
    })
    const connected = await withoutApprovals(owner, await connect(owner, repository))
    expect((await imported(owner, connected)).syncEvent.status).toBe("completed")
    const before = await usageOf(owner)
    const objects = async () =>
      (await owner.call("GET", "/v1/config-objects")).body.items.map((item: { id: string }) => item.id)
    const listed = await objects()
    const noise = (length: number) => Array.from({ length }, (_, index) => `${(index * 7919) % 10_007}`).join(" ")
    commit(repository, {
      ".claude-plugin/marketplace.json": marketplace(["review"]),
      "plugins/review/skills/review/SKILL.md": skill("review", "Changed."),
      "plugins/review/scripts/large.txt": noise(80_000)
    })
    const failed = await synced(owner, connected)
    expect(failed).toMatchObject({
      status: "failed",
      error: { code: "limit_exceeded", message: expect.stringMatching(message("enterprise")) }
    })
    expect(await objects()).toEqual(listed)
    expect(await usageOf(owner)).toEqual(before)
    await setPlan(owner, "large")
    expect((await synced(owner, connected)).status).toBe("completed")
    expect((await usageOf(owner)).usedBytes).toBeGreaterThan(limit)
    expect(await onStorage((storage) => storage.recount(owner.organizationId))).toBe(0)
  })

  it("is shown in metrics without a series for each organization", async () => {
    const { text } = await call(plane, metricsToken)("GET", "/v1/metrics")
    expect(text).toMatch(/orgplane_storage_bytes \d{4,}/)
    expect(text).toMatch(/orgplane_storage_organizations\{usage="high"\} \d/)
    expect(text).not.toMatch(/orgplane_storage_.*org_/)
  })
})
