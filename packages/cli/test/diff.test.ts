import { describe, expect, it } from "vitest"
import { diff } from "../src/output/version-diff.ts"
import { ran, serve } from "./harness.ts"

const version = (ordinal: number) => ({
  id: `cov_${ordinal}`,
  ordinal,
  contentDigest: "0",
  createdAt: "2026-03-01T09:30:00.000Z"
})
const text = "--- version 1\n+++ version 2\n@@ -1,2 +1,2 @@\n-# One\n+# Two\n kept\there\n"
const body = (more: object = {}) => ({
  item: {
    configObjectId: "cob_1",
    from: version(1),
    to: version(2),
    textDiff: text,
    payloadChanges: [
      { op: "replace", path: "/a", before: 1, after: [2] },
      { op: "add", path: "/b", before: null, after: null },
      { op: "remove", path: "/c", before: "x", after: null }
    ],
    truncated: false,
    ...more
  }
})
const path = "GET /v1/config-objects/cob_1/versions/cov_2/diff"
const command = ["config-objects", "diff", "cob_1", "cov_2"]

describe("the diff of two versions", () => {
  it("is colored on a terminal, followed by the payload diff", () => {
    expect(diff(body(), { terminal: true, colors: true }).split("\n")).toEqual([
      "\u001b[1m--- version 1\u001b[0m",
      "\u001b[1m+++ version 2\u001b[0m",
      "\u001b[36m@@ -1,2 +1,2 @@\u001b[0m",
      "\u001b[31m-# One\u001b[0m",
      "\u001b[32m+# Two\u001b[0m",
      " kept    here",
      "",
      "\u001b[1mpayload\u001b[0m",
      "\u001b[31m- /a: 1\u001b[0m",
      "\u001b[32m+ /a: [2]\u001b[0m",
      "\u001b[32m+ /b: null\u001b[0m",
      '\u001b[31m- /c: "x"\u001b[0m'
    ])
  })

  it("is followed by changes of capabilities and signals on a terminal, with the file and line", () => {
    const part = { path: "hooks/hooks.json", line: 8 }
    const capabilities = {
      grew: [{ ...part, sentence: "New hook: runs `./setup.sh` after every tool use." }],
      changed: [],
      shrank: [{ ...part, line: 9, sentence: "Removed hook: runs `./old.sh` after every tool use." }],
      signals: [{ ...part, rule: "download_to_shell", message: "The line runs a downloaded script." }],
      truncated: true
    }
    const compared = body({ payloadChanges: [], capabilities })
    expect(diff(compared, { terminal: true, colors: false }).split("\n").slice(-6)).toEqual([
      "",
      "capabilities",
      "+ New hook: runs `./setup.sh` after every tool use.  hooks/hooks.json:8",
      "- Removed hook: runs `./old.sh` after every tool use.  hooks/hooks.json:9",
      "! download_to_shell: The line runs a downloaded script.  hooks/hooks.json:8",
      "more changes are not shown"
    ])
    expect(diff(compared, { terminal: false, colors: false })).toBe(text.trimEnd())
  })

  it("is the unchanged patch in a pipe", async () => {
    const { seen, url } = await serve({ [path]: { body: body() } })
    expect(await ran([...command, "--against", "cov_1"], { url })).toMatchObject({ code: 0, out: text, err: "" })
    expect(seen[0]?.path).toBe("/v1/config-objects/cob_1/versions/cov_2/diff?against=cov_1")
  })

  it("is only the payload diff if the texts are identical, and a message if nothing differs", async () => {
    const { url } = await serve({
      [path]: [{ body: body({ textDiff: "", truncated: true }) }, { body: body({ textDiff: "", payloadChanges: [] }) }]
    })
    expect((await ran(command, { url })).out).toBe(
      'payload\n- /a: 1\n+ /a: [2]\n+ /b: null\n- /c: "x"\n(more changes are not shown)\n'
    )
    expect(await ran(command, { url, columns: 80 })).toMatchObject({
      code: 0,
      out: "",
      err: "The versions are identical.\n"
    })
  })

  it("escapes control characters on a terminal", () => {
    const bad = "\u001b[2J\u009b31m\u202e\u0007"
    const change = { op: "replace", path: `/${bad}`, before: bad, after: { [bad]: bad } }
    const shown = diff(body({ textDiff: `--- a${bad}\n+++ b\n+${bad}\r\n`, payloadChanges: [change] }), {
      terminal: true,
      colors: false
    })
    // oxlint-disable-next-line no-control-regex
    expect(shown).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
  })

  it("is the response body with -o json, and the version ID with -q", async () => {
    const { url } = await serve({ [path]: { body: body() } })
    expect(JSON.parse((await ran([...command, "-o", "json"], { url })).out)).toEqual(body())
    expect((await ran([...command, "-q"], { url })).out).toBe("cov_2\n")
  })
})

describe("commands that add and remove members", () => {
  it.each([
    ["plugins add-object plg_1 cob_1", "/v1/plugins/plg_1/config-objects", { configObjectId: "cob_1" }],
    ["config-objects attach-plugin cob_1 plg_1", "/v1/config-objects/cob_1/plugins", { pluginId: "plg_1" }],
    ["marketplaces add-plugin mkt_1 plg_1", "/v1/marketplaces/mkt_1/plugins", { pluginId: "plg_1" }]
  ])("sends the body of `%s`", async (argv, path, sent) => {
    const { seen, url } = await serve({ [`POST ${path}`]: { status: 201, body: { ok: true, item: { id: "pco_1" } } } })
    expect(await ran([...argv.split(" "), "-q"], { url })).toMatchObject({ code: 0, out: "pco_1\n" })
    expect(seen.map(({ body }) => JSON.parse(body) as unknown)).toEqual([sent])
  })

  it.each([
    ["plugins remove-object plg_1 cob_1", "/v1/plugins/plg_1/config-objects/cob_1", "Remove cob_1 from plg_1?"],
    ["config-objects detach-plugin cob_1 plg_1", "/v1/config-objects/cob_1/plugins/plg_1", "Remove cob_1 from plg_1?"],
    ["marketplaces remove-plugin mkt_1 plg_1", "/v1/marketplaces/mkt_1/plugins/plg_1", "Remove plg_1 from mkt_1?"],
    [
      "config-objects remove cob_1",
      "/v1/config-objects/cob_1",
      "Remove cob_1 from every plugin and delete every grant on it?"
    ]
  ])("asks for confirmation before `%s`", async (argv, path, question) => {
    const { seen, url } = await serve({ [`DELETE ${path}`]: { status: 204 } })
    const result = await ran(argv.split(" "), { url, columns: 80, typed: ["n"] })
    expect([result.code, result.err.includes(question)]).toEqual([1, true])
    expect(seen).toEqual([])
    expect(await ran([...argv.split(" "), "--yes"], { url })).toMatchObject({ code: 0, out: "" })
    expect(seen).toHaveLength(1)
  })
})
