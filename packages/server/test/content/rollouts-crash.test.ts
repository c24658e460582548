/** Rollouts when a transaction fails at any of its writes, as when the server or the database is killed there. */
import { expect, it } from "vitest"
import { makeControlPlane, runSql } from "../harness.ts"
import { start } from "./rollouts.fixture.ts"

const plane = await makeControlPlane({ logLevel: "none" })

/** A write of a transaction: its table and event. */
type Write = readonly [table: string, event: "INSERT" | "UPDATE"]
const always: ReadonlyArray<Write> = [
  ["rollouts", "UPDATE"],
  ["rollout_steps", "INSERT"],
  ["audit_events", "INSERT"]
]
const served: ReadonlyArray<Write> = [...always, ["plugins", "UPDATE"], ["plugin_releases", "UPDATE"]]

await runSql(
  plane,
  (sql) => sql`CREATE FUNCTION fail_write() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'The connection was lost.'; END $$`
)

/** Runs `work` while each write of this kind fails. */
const whileFailing = async <A>(table: string, event: string, work: () => Promise<A>): Promise<A> => {
  await runSql(
    plane,
    (sql) => sql`CREATE TRIGGER zz_fail BEFORE ${sql.literal(event)} ON ${sql(table)}
      FOR EACH STATEMENT EXECUTE FUNCTION fail_write()`
  )
  try {
    return await work()
  } finally {
    await runSql(plane, (sql) => sql`DROP TRIGGER zz_fail ON ${sql(table)}`)
  }
}

type Started = Awaited<ReturnType<typeof start>>

/** Everything that a step of a rollout changes. */
const stateOf = async ({ digests, owner, pluginId }: Started) =>
  JSON.stringify([
    await digests(),
    (await owner.call("GET", `/v1/rollouts?pluginId=${pluginId}`)).body.items,
    (await owner.call("GET", `/v1/approvals?state=approved&pluginId=${pluginId}`)).body.items,
    (await owner.call("GET", `/v1/assignments?pluginId=${pluginId}`)).body.items
  ])

const steps: ReadonlyArray<
  readonly [
    name: string,
    writes: ReadonlyArray<Write>,
    prepare: (started: Started) => Promise<() => Promise<{ readonly status: number }>>
  ]
> = [
  [
    "a promotion to the next ring",
    [...always, ["rollout_rings", "UPDATE"]],
    async ({ act, release, rollout }) => {
      await release("Second")
      const { id } = await rollout()
      return () => act(id, "promote", { ring: "Canary" })
    }
  ],
  [
    "a promotion to everyone",
    served,
    async ({ act, release, rollout }) => {
      await release("Second")
      const { id } = await rollout()
      await act(id, "promote", { ring: "Canary" })
      return () => act(id, "promote", { ring: "Early" })
    }
  ],
  [
    "a rollback",
    served,
    async ({ act, release, rollout }) => {
      await release("Second")
      const { id } = await rollout()
      await act(id, "release", { comment: "All." })
      return () => act(id, "roll-back", { comment: "It fails." })
    }
  ],
  [
    "a withdrawal of a pinned release in a rollout",
    [...always, ["plugin_releases", "UPDATE"], ["assignments", "UPDATE"]],
    async ({ last, owner, pluginId, release }) => {
      const { digest } = await release("Second")
      const memberIds = [last.membershipId]
      await owner.call("POST", "/v1/assignments", { pluginId, mode: "required", memberIds, pinnedDigest: digest })
      return () => owner.call("POST", "/v1/rollouts/withdraw", { pluginId, digest, comment: "Leaks." })
    }
  ]
]

it.each(steps)("%s is applied completely or not at all", async (_, writes, prepare) => {
  const started = await start(plane)
  const step = await prepare(started)
  const before = await stateOf(started)
  for (const [table, event] of writes) {
    expect([table, await whileFailing(table, event, async () => (await step()).status)]).toEqual([table, 500])
    expect(await stateOf(started)).toBe(before)
  }
  expect((await step()).status).toBe(200)
  expect(await stateOf(started)).not.toBe(before)
})

it("a ring whose start failed starts automatically afterwards", async () => {
  const { digests, release, rollout } = await start(plane, { rings: { soakMinutes: 0, promotion: "automatic" } })
  const second = await whileFailing("rollout_rings", "UPDATE", async () => {
    await expect(release("Second")).rejects.toThrow()
  }).then(() => release("Third"))
  await expect.poll(async () => (await rollout()).state).toBe("completed")
  expect(await digests()).toEqual([second.digest, second.digest, second.digest])
})
