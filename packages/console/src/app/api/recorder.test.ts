import { beforeEach, expect, it } from "vitest"
import { asCurl, asTypeScript } from "./code.ts"
import { asCommand } from "./command.ts"
import { forgetRequests, record, recorded, type RecordedRequest, startPage } from "./recorder.ts"

const request = (operation: string, path: string): RecordedRequest => ({
  operation,
  args: [],
  method: "GET",
  path,
  body: undefined
})
const operations = () => recorded().map(({ operation }) => operation)

beforeEach(() => {
  startPage("/")
  forgetRequests()
})

it("keeps the list of a page that reads many names one by one", () => {
  startPage("/grants")
  record(request("plugins.listAccess", "/v1/plugins/plg_1/access"))
  for (let index = 0; index < 50; index++) record(request("members.get", `/v1/members/mem_${index}`))
  expect(recorded()).toHaveLength(20)
  expect(operations()[0]).toBe("plugins.listAccess")
  expect(recorded().at(-1)?.path).toBe("/v1/members/mem_49")
})

it("restores the requests of a page that was shown before", () => {
  startPage("/plugins")
  record(request("plugins.list", "/v1/plugins"))
  startPage("/teams")
  expect(operations()).toEqual([])
  record(request("teams.list", "/v1/teams"))
  startPage("/plugins")
  expect(operations()).toEqual(["plugins.list"])
})

it("forgets the requests of all pages", () => {
  startPage("/plugins")
  record(request("plugins.list", "/v1/plugins"))
  startPage("/teams")
  forgetRequests()
  startPage("/plugins")
  expect(operations()).toEqual([])
})

it("names the organization in the code of a request", () => {
  const shown = { ...request("memory.list", "/v1/memory?organization=all"), args: [{ organization: "all" }] }
  expect(asCurl(shown, "https://orgplane.example", "org_1")).toContain("--header 'x-organization-id: org_1'")
  expect(asTypeScript(shown, "org_1")).toContain('createClient({ organizationId: "org_1" })')
  expect(asCommand(shown, "org_1")).toBe("orgplane memory list --organization org_1 --organizations all")
  expect(asCommand(shown, undefined)).toBe("orgplane memory list --organizations all")
})

it("shows a request without a command of its own as a request of `orgplane api`, and keeps its secrets hidden", () => {
  const shown: RecordedRequest = {
    operation: "sso.test",
    args: [{ redirectUri: "https://orgplane.example/a?b=it's", codeVerifier: "<secret>" }],
    method: "POST",
    path: "/v1/sso/test?x=1&y=2",
    body: JSON.stringify({ redirectUri: "https://orgplane.example/a?b=it's", codeVerifier: "<secret>" })
  }
  expect(asCommand(shown, "org_1").split("\n")).toEqual([
    "orgplane api POST '/v1/sso/test?x=1&y=2' --organization org_1 --input - <<'JSON'",
    "{",
    `  "redirectUri": "https://orgplane.example/a?b=it's",`,
    `  "codeVerifier": "<secret>"`,
    "}",
    "JSON"
  ])
})
