/** Random histories of a plugin against a model: members receive exactly the content that was approved for them. */
import fc from "fast-check"
import { expect, it } from "vitest"
import { addMember, makeControlPlane, makeWorkspace } from "../harness.ts"
import { skill } from "./connectors.fixture.ts"
import { fetched, unpacked } from "./plugin-archives.fixture.ts"

const plane = await makeControlPlane()

type Mode = "auto" | "hold_growth" | "hold_all"
type Skills = Readonly<Record<string, string>>

const names = ["one", "two", "three"] as const
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("put" as const),
      name: fc.constantFrom(...names),
      text: fc.constantFrom("A.", "B.")
    })
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove" as const), name: fc.constantFrom(...names) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("approve" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("reject" as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("mode" as const),
      mode: fc.constantFrom<Mode>("auto", "hold_growth", "hold_all")
    })
  }
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

const keyOf = (skills: Skills) => JSON.stringify(Object.entries(skills).sort(([a], [b]) => (a < b ? -1 : 1)))

/** The rules of approvals, for a plugin whose only capabilities are the names of its skills. */
const makeModel = () => {
  let mode: Mode = "auto"
  let latest: Skills = {}
  let served: Skills = {}
  let approved = new Set<string>()
  const serve = () => {
    served = latest
    if (mode !== "auto") approved.add(keyOf(latest))
  }
  const isPending = () => mode !== "auto" && keyOf(latest) !== keyOf(served)
  return {
    isPending,
    served: () => served,
    latest: () => latest,
    change: (skills: Skills) => {
      latest = skills
      const grows = Object.keys(latest).some((name) => !(name in served))
      if (mode === "auto" || approved.has(keyOf(latest)) || (mode === "hold_growth" && !grows)) serve()
    },
    approve: serve,
    setMode: (next: Mode) => {
      const was = mode
      if (next === was) return
      mode = next
      // The mode `auto` serves the pending release. A stricter mode approves the served content.
      if (next === "auto") serve()
      if (was === "auto") serve()
    }
  }
}

const run = async (steps: ReadonlyArray<Step>) => {
  const owner = await makeWorkspace(plane)
  const member = await addMember(plane, owner, "member")
  const plugin = await owner.client.plugins.create({ name: "Notes" })
  await owner.client.plugins.grantAccess(plugin.id, { role: "viewer", orgWide: true })
  const ids = new Map<string, string>()
  const model = makeModel()

  const decide = async (decision: "approve" | "reject") => {
    const { items } = (await owner.call("GET", `/v1/approvals?pluginId=${plugin.id}`)).body
    if (items.length === 0) return false
    const [{ digest, id }] = items
    const more = decision === "reject" ? { comment: "No." } : {}
    const body = { releases: [{ releaseId: id, digest }], ...more }
    expect((await owner.call("POST", `/v1/approvals/${decision}`, body)).status).toBe(200)
    return true
  }

  const apply = async (one: Step) => {
    if (one.kind === "put") {
      const input = { rawSourceText: skill(one.name, one.text) }
      const id = ids.get(one.name)
      if (id === undefined) {
        const created = await owner.client.configObjects.create({
          input: { type: "skill", ...input },
          pluginIds: [plugin.id]
        })
        ids.set(one.name, created.id)
      } else await owner.client.configObjects.createVersion(id, { input })
      model.change({ ...model.latest(), [one.name]: one.text })
    } else if (one.kind === "remove") {
      const id = ids.get(one.name)
      if (id === undefined) return
      await owner.client.plugins.removeObject(plugin.id, id)
      ids.delete(one.name)
      const { [one.name]: _, ...rest } = model.latest()
      model.change(rest)
    } else if (one.kind === "mode") {
      await owner.call("PATCH", "/v1/approval-settings", { deliveryMode: one.mode })
      model.setMode(one.mode)
    } else if (one.kind === "approve") {
      if (await decide("approve")) model.approve()
    } else await decide("reject")
  }

  for (const one of steps) {
    await apply(one)
    const { bytes, status } = await fetched(plane, `/v1/plugins/${plugin.id}/archive`, {
      authorization: `Bearer ${member.token}`
    })
    expect(status).toBe(200)
    const received = Object.entries(unpacked(bytes).files).filter(([path]) => path.endsWith("SKILL.md"))
    const expected = Object.entries(model.served()).map(([name, text]) => [
      `skills/${name}/SKILL.md`,
      skill(name, text)
    ])
    expect(Object.fromEntries(received)).toEqual(Object.fromEntries(expected))
  }
}

it("serves members only content that was approved for them", { timeout: 180_000 }, async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), run), {
    numRuns: 10,
    endOnFailure: true
  })
})
