import { describe, expect, it } from "vitest"
import { plan } from "../src/output/connector-plan.ts"
import { ran, type Reply, serve } from "./harness.ts"

const plain = { unicode: false, colors: false }
const change = (more: object) => ({
  kind: "object",
  pluginKey: "marketplace:alpha",
  name: "a.md",
  was: null,
  objectType: "command",
  pointer: null,
  ...more
})
const none = { marketplaces: 0, plugins: 0, mappings: 0, objects: 0 }
const planned = (more: object = {}) => ({
  ok: true,
  item: {
    digest: "d1g357",
    connectorTargetId: "ctg_1",
    revision: "0123456789abcdef0123456789abcdef01234567",
    baseRevision: null,
    autoImportNewPlugins: false,
    added: [],
    changed: [],
    removed: [],
    conflicts: [],
    counts: { added: none, changed: none, removed: none, unchangedObjects: 3 },
    truncated: false,
    warnings: [],
    ...more
  }
})
const full = planned({
  baseRevision: "fedcba9876543210fedcba9876543210fedcba98",
  added: [
    change({ kind: "plugin", objectType: null, name: "Alpha" }),
    change({ kind: "mapping", name: "plugins/alpha/commands" }),
    change({ name: "plugins/alpha/commands/go.md" })
  ],
  changed: [change({ was: "old.md", name: "new.md" })],
  removed: [change({ objectType: "mcp", name: "m.json", pointer: "/s" })],
  conflicts: [
    {
      code: "plugin_name_taken",
      pluginKey: "marketplace:alpha",
      name: "Alpha",
      message: "Another plugin has this name."
    }
  ],
  counts: {
    added: { ...none, plugins: 1, mappings: 1, objects: 1 },
    changed: { ...none, objects: 1 },
    removed: { ...none, objects: 1 },
    unchangedObjects: 3
  }
})
const path = "POST /v1/connector-instances/cin_1/discovery/plan"

describe("connectors plan", () => {
  it("prints additions, changes, removals and conflicts, and the command that applies the plan", async () => {
    const { seen, url } = await serve({ [path]: { body: full } })
    const { code, out } = await ran(
      [
        "connectors",
        "plan",
        "cin_1",
        "--select",
        "marketplace:alpha",
        "--select",
        "plugins/it's",
        "--share",
        "orgWide"
      ],
      { url }
    )
    expect(code).toBe(0)
    expect(out.trim().split("\n")).toEqual([
      "Revision 0123456789ab, currently imported: fedcba987654",
      "",
      "+ plugin           Alpha",
      "+ command mapping  plugins/alpha/commands  marketplace:alpha",
      "+ command          plugins/alpha/commands/go.md  marketplace:alpha",
      "~ command  old.md -> new.md  marketplace:alpha",
      "- mcp  m.json#/s  marketplace:alpha",
      "",
      "! Another plugin has this name. (marketplace:alpha, Alpha)",
      "",
      "3 to add, 1 to change, 1 to remove; 3 objects unchanged.",
      "digest d1g357",
      String.raw`orgplane connectors apply cin_1 --select marketplace:alpha --select 'plugins/it'\''s' --share orgWide --plan-digest d1g357`
    ])
    expect(JSON.parse(seen[0]?.body ?? "")).toEqual({
      selectedKeys: ["marketplace:alpha", "plugins/it's"],
      autoImportNewPlugins: false,
      share: "orgWide"
    })
  })

  it("prints what plugins could do more, differently or no longer, with the file and line", async () => {
    const part = (sentence: string, place: string) => {
      const [file, line] = place.split(":")
      return { kind: "hook", id: "x", sentence, path: file, line: Number(line) }
    }
    const compared = (name: string, more: object) => ({
      pluginKey: `marketplace:${name}`,
      pluginId: null,
      name,
      change: "changed",
      needsReview: true,
      grew: [],
      changed: [],
      shrank: [],
      truncated: false,
      signals: [],
      problem: null,
      ...more
    })
    const capabilities = [
      compared("tools\u001b[2J", {
        grew: [part("New hook: runs `./setup.sh` after every tool use.", "hooks/hooks.json:8")],
        changed: [part("Changed server: the MCP server `tickets` connects to b.example.", ".mcp.json:3")],
        shrank: [part("Removed tool: the skill `review` may use `Read`.", "skills/review/SKILL.md:4")],
        signals: [
          { rule: "changed_host", path: ".mcp.json", line: 3, message: "The update names another network host." }
        ],
        truncated: true
      }),
      compared("text", { needsReview: false }),
      compared("large", { problem: "The repository has too many files to list." })
    ]
    const { url } = await serve({ [path]: { body: planned({ capabilities }) } })
    const { out } = await ran(["connectors", "plan", "cin_1"], { url })
    expect(out.trim().split("\n").slice(2, -3)).toEqual([
      "Capabilities",
      String.raw`  tools\u001b[2J`,
      "    + New hook: runs `./setup.sh` after every tool use.  hooks/hooks.json:8",
      "    ~ Changed server: the MCP server `tickets` connects to b.example.  .mcp.json:3",
      "    - Removed tool: the skill `review` may use `Read`.  skills/review/SKILL.md:4",
      "    ! changed_host: The update names another network host.  .mcp.json:3",
      "    more changes are not shown",
      "  large",
      "    ! Not compared: The repository has too many files to list."
    ])
  })

  it("prints no command if nothing would change", async () => {
    const { seen, url } = await serve({ [path]: { body: planned() } })
    const { out } = await ran(["connectors", "plan", "cin_1"], { url })
    expect(out.trim().split("\n")).toEqual(["Revision 0123456789ab", "", "No changes.", "digest d1g357"])
    expect(JSON.parse(seen[0]?.body ?? "")).toEqual({ selectedKeys: [], autoImportNewPlugins: false })
  })

  it("waits while the repository is read, and prints JSON with -o json", async () => {
    const busy: Reply = {
      status: 503,
      body: { error: "discovery_in_progress", message: "Still reading." },
      headers: { "retry-after": "7" }
    }
    const { url } = await serve({ [path]: [busy, { body: full }] })
    const { err, out } = await ran(["connectors", "plan", "cin_1", "-o", "json"], { url })
    expect(JSON.parse(out)).toEqual(full)
    expect(err).toContain("Reading the repository")
  })

  it("shows one step for each request with --all", async () => {
    const { seen, url } = await serve({
      "GET /v1/connector-instances/cin_1/discovery": {
        body: { ok: true, item: { discoveredPlugins: [{ key: "marketplace:alpha", supported: true }] } }
      },
      [path]: { body: full }
    })
    const { code, err } = await ran(["connectors", "plan", "cin_1", "--all"], { url })
    expect([code, err]).toEqual([0, "Reading the repository 0s\nComparing with the imported plugins 0s\n"])
    expect(JSON.parse(seen[1]?.body ?? "")).toMatchObject({ selectedKeys: ["marketplace:alpha"] })
  })

  it("escapes control characters and quotes shell arguments", () => {
    const nasty = "\u001b[2J\n+ plugin  owned\u202e"
    const drawn = plan(
      planned({
        added: [change({ name: nasty, pluginKey: nasty })],
        conflicts: [{ code: "file_too_large", pluginKey: null, name: nasty, message: nasty }],
        counts: { added: { ...none, objects: 1 }, changed: none, removed: none, unchangedObjects: 0 },
        warnings: [nasty]
      }),
      plain,
      { ids: ["cin_1"], body: { selectedKeys: [`${nasty}; rm -rf ~`, "$(id)"], autoImportNewPlugins: true } }
    )
    // oxlint-disable-next-line no-control-regex
    expect(drawn).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
    expect(drawn).toContain("--select '$(id)' --auto-import-new-plugins")
    expect(drawn.split("\n")).toHaveLength(11)
  })

  it("sends the plan digest with apply", async () => {
    const { seen, url } = await serve({
      "POST /v1/connector-instances/cin_1/discovery/apply": {
        status: 409,
        body: {
          error: "plan_digest_mismatch",
          message: "The changes to apply differ from the plan. Create a new plan."
        }
      }
    })
    const { code, err } = await ran(["connectors", "apply", "cin_1", "--plan-digest", "d1g357"], { url })
    expect([code === 0, err.includes("Create a new plan")]).toEqual([false, true])
    expect(JSON.parse(seen[0]?.body ?? "")).toMatchObject({ selectedKeys: [], planDigest: "d1g357" })
  })
})

describe("a sync with --watch", () => {
  const event = (status: string, progress: object | null) => ({
    id: "cse_1",
    status,
    counts: { filesScanned: 40 },
    progress,
    warnings: [],
    error: null
  })
  const responded = (...events: ReadonlyArray<object>) =>
    serve({
      "POST /v1/connector-instances/cin_1/rollback": { status: 202, body: { ok: true, item: event("queued", null) } },
      "GET /v1/connector-sync-events/cse_1": events.map((item): Reply => ({ body: { item } }))
    })
  const argv = ["connectors", "rollback", "cin_1", "--revision", "abc", "--watch", "--yes"]

  it("shows a progress bar on a terminal", async () => {
    const { url } = await responded(
      event("running", { done: 10, total: 40 }),
      event("running", { done: 30, total: 40 }),
      event("completed", { done: 40, total: 40 })
    )
    const { code, err } = await ran(argv, { url, columns: 100 })
    expect(code).toBe(0)
    expect(err).toContain(" █████░░░░░░░░░░░░░░░ 25% running: 40 files scanned ")
    expect(err).toContain(" ███████████████░░░░░ 75% running: 40 files scanned ")
    expect(err.endsWith("\r\u001b[2KSync completed: 40 files scanned\n")).toBe(true)
  })

  it("prints percentages in a pipe and fails if the sync fails", async () => {
    const { url } = await responded(
      event("running", null),
      ...Array.from({ length: 4 }, () => event("running", { done: 10, total: 40 })),
      event("failed", { done: 10, total: 40 })
    )
    const { code, err } = await ran(argv, { url })
    expect(code).toBe(1)
    expect(err).toContain("running: 40 files scanned (25%) ")
  })

  it("requires confirmation for a rollback", async () => {
    const { seen, url } = await responded(event("completed", null))
    expect(await ran(argv.slice(0, -1), { url })).toMatchObject({ code: 2 })
    expect(seen).toEqual([])
  })
})
