/**
 * Configuration as code: plugin changes that are held for approval. A change in a document is held like the same change through
 * the API.
 */
import { describe, expect, it } from "vitest"
import { approvePending, pending, received } from "../content/approvals.fixture.ts"
import { skill } from "../content/connectors.fixture.ts"
import { callWithKey, makeControlPlane, makeKey, makeWorkspace, rowCounts } from "../harness.ts"
import { applied, type Item, planned } from "./configuration.fixture.ts"

const plane = await makeControlPlane()

const review = (words: string) => ({
  type: "skill",
  relativePath: "skills/review/SKILL.md",
  rawSourceText: skill("review", words)
})
const server = {
  type: "mcp",
  fileName: ".mcp.json",
  rawSourceText: JSON.stringify({ mcpServers: { docs: { command: "docs-server" } } })
}
const documentOf = (objects: ReadonlyArray<object>, more: object = {}) => ({
  plugins: [{ key: "tools", name: "Tools", objects, access: [{ everyone: true, role: "viewer" }] }],
  ...more
})
const approvals = (deliveryMode: string) => ({ approvalSettings: { deliveryMode, fourEyes: false } })
const pluginOf = async (owner: Item) => (await owner.call("GET", "/v1/plugins")).body.items[0].id as string
const names = (plan: Item) => plan.effects.held.map(({ plugin }: Item) => plugin.key)

describe("a document that changes a plugin with approvals", () => {
  it("is held if it adds a capability, which the plan shows, and the apply makes the same release wait", async () => {
    const owner = await makeWorkspace(plane)
    await applied(owner, documentOf([review("One.")]))
    const first = await planned(owner, documentOf([review("One.")], approvals("hold_growth")))
    expect(first.effects.held).toEqual([])
    await applied(owner, documentOf([review("One.")], approvals("hold_growth")))
    const id = await pluginOf(owner)

    const text = documentOf([review("Two.")])
    expect((await planned(owner, text)).effects.held).toEqual([])
    expect((await applied(owner, text)).effects.held).toEqual([])
    expect(JSON.stringify(await received(plane, owner, id))).toContain("Two.")

    await owner.call("GET", "/v1/me")
    const before = await rowCounts(plane)
    const grown = documentOf([review("Two."), server])
    const plan = await planned(owner, grown)
    expect(await rowCounts(plane)).toEqual(before)
    expect(plan.effects.held).toEqual([
      {
        plugin: { id, key: "tools", name: "Tools" },
        needsReview: true,
        capabilityCount: expect.any(Number),
        capabilities: expect.arrayContaining([expect.stringContaining("docs")])
      }
    ])
    expect((await applied(owner, grown, plan.planDigest)).effects.held).toEqual(plan.effects.held)
    expect(JSON.stringify(await received(plane, owner, id))).not.toContain("docs-server")
    expect(await pending(owner, id)).toMatchObject([{ needsReview: true, state: "pending" }])

    // The same document changes nothing, so nothing else is held. After the approval, members receive it.
    expect((await planned(owner, grown)).effects.held).toEqual([])
    await approvePending(owner, id)
    expect(JSON.stringify(await received(plane, owner, id))).toContain("docs-server")
    // Content that was approved before is not held.
    expect(names(await applied(owner, text))).toEqual([])
    expect(names(await planned(owner, grown))).toEqual([])
  })

  it("is held with hold_all even for text, and a new plugin waits for its first approval", async () => {
    const owner = await makeWorkspace(plane)
    await applied(owner, approvals("hold_all"))
    const created = await planned(owner, documentOf([review("One.")]))
    expect(created.effects.held).toMatchObject([{ plugin: { id: null, key: "tools", name: "Tools" } }])
    await applied(owner, documentOf([review("One.")]))
    const id = await pluginOf(owner)
    expect(await received(plane, owner, id)).toBeNull()
    await approvePending(owner, id)
    const plan = await planned(owner, documentOf([review("Two.")]))
    expect(plan.effects.held).toMatchObject([{ plugin: { id }, needsReview: false, capabilityCount: 0 }])
    // Without approvals, everything is served at once.
    expect(names(await planned(owner, documentOf([review("Two.")], approvals("auto"))))).toEqual([])
  })

  it("makes a plugin wait that it adds to a marketplace with approvals", async () => {
    const owner = await makeWorkspace(plane)
    const marketplaces = [{ key: "shared", name: "Shared", deliveryMode: "hold_all" }]
    await applied(owner, { ...documentOf([review("One.")]), marketplaces })
    const { plugins } = documentOf([review("One.")])
    const added = { marketplaces, plugins: plugins.map((plugin) => ({ ...plugin, marketplaces: ["shared"] })) }
    const plan = await planned(owner, added)
    expect(names(plan)).toEqual(["tools"])
    await applied(owner, added, plan.planDigest)
    const id = await pluginOf(owner)
    expect(await received(plane, owner, id)).toBeNull()
    expect(await pending(owner, id)).toHaveLength(1)
  })

  it("lists held releases only for callers who can read all plugins or approvals", async () => {
    const owner = await makeWorkspace(plane)
    const { key } = await makeKey(plane, owner, ["organizations:read", "teams:read", "members:read", "teams:write"])
    const { effects } = await planned({ call: callWithKey(plane, key) }, { teams: [{ key: "a", name: "A" }] })
    expect([effects.held, effects.notComputed.held]).toEqual([null, "permission_required"])
  })
})
