/** Completion of values that are not IDs in the path of an operation: roles, teams, settings and fields. */
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "vitest"
import { folder, ran, serve } from "./harness.ts"

const page = (...items: ReadonlyArray<unknown>) => ({ body: { items, nextCursor: null } })

const lists = {
  "GET /v1/roles": page({ id: "rol_1", name: "Release managers" }),
  "GET /v1/teams": page({ id: "tem_1", name: "Platform" }),
  "GET /v1/members": page({ id: "om_1", email: "ada@acme.example", name: "Ada" }),
  "GET /v1/mcp-connections": page({ id: "emc_1", name: "Search" })
}

const candidates = async (words: ReadonlyArray<string>, options: Parameters<typeof ran>[1]) => {
  const { code, err, out } = await ran(["__complete", "--", ...words], options)
  expect([code, err]).toEqual([0, ""])
  return out.trim() === "" ? [] : out.trimEnd().split("\n")
}

const valuesOf = async (words: ReadonlyArray<string>, options: Parameters<typeof ran>[1] = {}) =>
  (await candidates(words, options)).map((line) => line.split("\t")[0])

it.each([
  [["members", "update", "om_1", "--role", ""]],
  [["members", "add", "--role", ""]],
  [["members", "list", "--role", ""]],
  [["members", "invite", "eve@acme.example", "--role", ""]],
  [["invitations", "create", "--role", ""]]
])("completes the built-in and the custom roles: %j", async (words) => {
  const { url } = await serve(lists)
  expect(await candidates(words, { url })).toEqual(["owner\t", "admin\t", "member\t", "rol_1\tRelease managers"])
  // Without a server, the built-in roles are known.
  expect(await valuesOf([...words.slice(0, -1), "a"])).toEqual(["admin"])
})

it("completes the roles that a SCIM group can assign", async () => {
  const { url } = await serve(lists)
  const words = ["scim", "groups", "set-role", "scd_1", "tem_1", "--role", ""]
  expect(await valuesOf(words, { url })).toEqual(["admin", "member", "rol_1"])
})

it.each([
  [["members", "invite", "eve@acme.example", "--team-id", ""], "tem_1\tPlatform"],
  [["audit", "list", "--member", ""], "om_1\tada@acme.example"],
  [["audit", "tail", "--member", ""], "om_1\tada@acme.example"],
  [["mcp-connections", "call", ""], "emc_1\tSearch"],
  [["mcp-connections", "connect", ""], "emc_1\tSearch"]
])("completes the objects of commands that are not generated: %j", async (words, candidate) => {
  const { url } = await serve(lists)
  expect(await candidates(words, { url })).toEqual([candidate])
})

it("completes settings, their values, and aliases", async () => {
  const config = await folder()
  await mkdir(join(config, "orgplane"))
  await writeFile(join(config, "orgplane", "config.json"), JSON.stringify({ aliases: { pl: "plugins list" } }))
  for (const verb of ["get", "set", "unset"]) {
    expect(await valuesOf(["config", verb, ""], { config })).toEqual(["output", "pager"])
  }
  expect(await valuesOf(["config", "set", "output", ""], { config })).toEqual(["table", "json", "yaml", "ndjson"])
  expect(await valuesOf(["config", "set", "pager", ""], { config })).toEqual([])
  expect(await candidates(["alias", "remove", ""], { config })).toEqual(["pl\tplugins list"])
})

it("completes the fields of a response, one after another", async () => {
  expect(await valuesOf(["teams", "list", "--json", ""])).toEqual(
    expect.arrayContaining(["id", "name", "memberCount", "updatedAt"])
  )
  expect(await valuesOf(["plugins", "get", "plg_1", "--json", "na"])).toEqual(["name"])
  expect(await valuesOf(["teams", "list", "--json", "name,memb"])).toEqual(["name,memberCount"])
  expect(await valuesOf(["teams", "list", "--json", "name,na"])).toEqual([])
  expect(await valuesOf(["teams", "list", "--json=i"])).toEqual(["id"])
  expect(await valuesOf(["audit", "tail", "--json", "act"])).toEqual(["action", "actorKind", "actorId"])
  expect(await valuesOf(["teams", "remove", "tem_1", "--json", ""])).toEqual([])
})
