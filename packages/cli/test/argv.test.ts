import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { parse } from "../src/parse.ts"
import { commands } from "../src/generated/commands.ts"
import { globalNames } from "../src/global-flag-names.ts"
import { toRequest, type WireRequest } from "../src/request.ts"
import { folder, ran } from "./harness.ts"

/** Builds the request of a command line without sending it. */
const requestOf = async (line: string, stdin = ""): Promise<WireRequest | string> => {
  const parsed = await parse(line.split(" "), { table: commands, colors: false, columns: 80 })
  if (parsed.kind !== "run" || parsed.invocation.kind !== "operation")
    return parsed.kind === "usage" ? parsed.message : parsed.kind
  const { Readable } = await import("node:stream")
  const io = { stdin: Readable.from([Buffer.from(stdin)]) } as unknown as Parameters<typeof toRequest>[0]
  return toRequest(io, parsed.invocation).catch((error: unknown) => (error instanceof Error ? error.message : "?"))
}

const get = (path: string, query = {}) => ({ method: "GET", path, query, body: undefined })
const post = (path: string, body: unknown, query = {}) => ({ method: "POST", path, query, body })

describe("requests from the command line", () => {
  const table: ReadonlyArray<readonly [line: string, request: unknown]> = [
    ["plugins get plg_1", get("/v1/plugins/plg_1")],
    ["-o json plugins get plg_1", get("/v1/plugins/plg_1")],
    ["plugins --profile work get plg_1 -q", get("/v1/plugins/plg_1")],
    ["plugins get a/b?c", get("/v1/plugins/a%2Fb%3Fc")],
    ["plugins get -- -x", get("/v1/plugins/-x")],
    ["connectors list", get("/v1/connector-instances")],
    ["connectors list-instances --search=acme", get("/v1/connector-instances", { q: "acme" })],
    [
      "connectors list-mappings ctg_1 --object-type skill --plugin-id plg_1",
      get("/v1/connector-targets/ctg_1/mappings", { objectType: "skill", pluginId: "plg_1" })
    ],
    ["config-objects list --archived", get("/v1/config-objects", { archived: "true" })],
    ["config-objects list --no-archived", get("/v1/config-objects", { archived: "false" })],
    ["config-objects get-version cob_1 cov_1", get("/v1/config-objects/cob_1/versions/cov_1")],
    [
      "connectors enable cin_1",
      { method: "POST", path: "/v1/connector-instances/cin_1/enable", query: {}, body: undefined }
    ],
    [
      "plugins revoke-access plg_1 pag_1",
      { method: "DELETE", path: "/v1/plugins/plg_1/access/pag_1", query: {}, body: undefined }
    ],
    ["plugins create --name Reviews", post("/v1/plugins", { name: "Reviews" })],
    [
      "connectors setup --clone-url https://git.example/a.git",
      post("/v1/connectors/codehost/setup", { adapter: "git", cloneUrl: "https://git.example/a.git" })
    ],
    [
      "marketplaces grant-access mkt_1 --org-wide --role viewer",
      post("/v1/marketplaces/mkt_1/access", { orgWide: true, role: "viewer" })
    ],
    [
      "connectors apply cin_1 --select a --select b --auto-import-new-plugins",
      post("/v1/connector-instances/cin_1/discovery/apply", { autoImportNewPlugins: true, selectedKeys: ["a", "b"] })
    ],
    [
      "connectors apply cin_1 --select a",
      post("/v1/connector-instances/cin_1/discovery/apply", { autoImportNewPlugins: false, selectedKeys: ["a"] })
    ]
  ]
  it.each(table)("builds the request of `%s`", async (line, request) => {
    expect(await requestOf(line)).toEqual(request)
  })

  it("reads the body from --input and overrides its members with flags", async () => {
    const input = JSON.stringify({ name: "from input", config: { depth: 1 } })
    expect(await requestOf("connectors update cin_1 --input - --name told", input)).toEqual({
      method: "PATCH",
      path: "/v1/connector-instances/cin_1",
      query: {},
      body: { name: "told", config: { depth: 1 } }
    })
  })

  it("puts the flags of a flattened member into that member, and a file's text into its own", async () => {
    const file = join(await folder(), "SKILL.md")
    await writeFile(file, "# Review\n")
    const input = JSON.stringify({ input: { metadata: { title: "Review" } } })
    expect(
      await requestOf(`config-objects create --type skill --source ${file} --plugin-id plg_1 --input -`, input)
    ).toEqual(
      post("/v1/config-objects", {
        input: { type: "skill", rawSourceText: "# Review\n", metadata: { title: "Review" } },
        pluginIds: ["plg_1"]
      })
    )
  })
})

describe("usage errors", () => {
  const table: ReadonlyArray<readonly [line: string, said: RegExp]> = [
    ["connectors create-account", /^Missing: --url\./],
    ["plugins create --input -", /is not valid JSON/],
    ["plugins get .", /Invalid plugin-id: '\.'/],
    ["config-objects create --type skill --source - --input -", /Only one flag can read stdin/],
    ["plugins lst", /Unknown subcommand "lst".*Did you mean: list/],
    ["plugins get", /Missing required argument: plugin-id/],
    ["plugins get a b", /Unexpected/],
    ["plugins list --nme x", /Unrecognized flag: --nme/],
    ["members list --limit many", /Invalid value for flag --limit/],
    ["config-objects list --type spell", /"spell"/],
    ["pluggins list", /Unknown subcommand "pluggins"/]
  ]
  it.each(table)("explains the usage error of `%s`", async (line, message) => {
    expect(await requestOf(line)).toMatch(message)
  })

  it("prints usage errors to stderr with exit code 2, and as a JSON object with -o json", async () => {
    expect(await ran(["plugins", "lst"])).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringMatching(/^orgplane: Unknown/) as string
    })
    const result = await ran(["plugins", "lst", "-o", "json"])
    expect(JSON.parse(result.err)).toMatchObject({ error: "usage" })
  })
})

describe("the generated command table", () => {
  const operations = commands.flatMap((group) => group.operations)
  it("has no flag with the name of a global flag", () => {
    for (const { flags } of operations) for (const flag of flags) expect(globalNames).not.toContain(flag.name)
  })
  it("has no flag for a secret, which other processes could read on the command line", () => {
    const names = operations.flatMap(({ flags }) =>
      // File names, enum values and expiry times are not secrets.
      flags
        .filter(
          (flag) => flag.in === "body" && flag.file === undefined && flag.time === undefined && flag.type !== "enum"
        )
        .map(({ name }) => name)
    )
    expect(names.filter((name) => /token|secret|password|credential/.test(name))).toEqual([])
  })
})
