import { SigningKeys } from "../../../src/infra/crypto/signing-keys.ts"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import {
  addMember,
  makeControlPlane,
  makeKey,
  makeMarketplace,
  makeRole,
  makeTeam,
  makeWorkspace,
  withServices
} from "../../harness.ts"
import { approvePending, hookFiles, importTools } from "../approvals.fixture.ts"
import { skill } from "../connectors.fixture.ts"
import { polled, stateOf } from "./desired-state.fixture.ts"

const plane = await makeControlPlane()
const owner = await makeWorkspace(plane)
const member = await addMember(plane, owner, "member")
const teamId = await makeTeam(owner, [member], "Engineers")
const otherTeamId = await makeTeam(owner, [], "Sales")

const ok = async (method: string, path: string, body?: unknown, person = owner) => {
  const response = await person.call(method, path, body)
  if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${response.text}`)
  return response.body
}

const created = async (path: string, body: object) => {
  const response = await ok("POST", path, body)
  return (response.item ?? Object.values(response).find((value) => typeof value === "object")) as { id: string }
}
const grant = (kind: string, id: string, receiver: object) =>
  created(`/v1/${kind}/${id}/access`, { role: "viewer", ...receiver })

const plugin = await created("/v1/plugins", { name: "Handbook" })
await grant("plugins", plugin.id, { orgWide: true })
const object = await created("/v1/config-objects", { input: { type: "context", rawSourceText: "# One\n" } })
const marketplaceId = await makeMarketplace(plane, owner, [], "Tools")
await grant("marketplaces", marketplaceId, { teamId })
const connection = await created("/v1/mcp-connections", {
  name: "Search",
  url: "https://mcp.example/mcp",
  authType: "apikey",
  credentialMode: "shared"
})
const provider = await created("/v1/llm-providers", {
  name: "Models",
  providerId: "custom",
  apiFormat: "openai_compatible",
  baseUrl: "https://llm.example/v1",
  credentialMode: "shared"
})
const tools = await importTools(plane, owner)
let assignmentId = ""
let policyId = ""

/** Each kind of change that affects the state of the member, in order. */
const relevantChanges: ReadonlyArray<readonly [name: string, change: () => Promise<unknown>]> = [
  ["a grant", () => grant("mcp-connections", connection.id, { orgMembershipId: member.membershipId })],
  ["a grant for a team", () => grant("llm-providers", provider.id, { teamId })],
  [
    "a credential of a connection",
    () => ok("PUT", `/v1/mcp-connections/${connection.id}/api-key`, { apiKey: "secret-1" })
  ],
  ["a key of a provider", () => ok("PUT", `/v1/llm-providers/${provider.id}/credential`, { apiKey: "secret-2" })],
  ["a connection", () => ok("PATCH", `/v1/mcp-connections/${connection.id}`, { name: "Search 2" })],
  ["the models of a provider", () => ok("PATCH", `/v1/llm-providers/${provider.id}`, { models: [{ id: "small" }] })],
  ["the name of a plugin", () => ok("PATCH", `/v1/plugins/${plugin.id}`, { name: "Handbook 2" })],
  [
    "the content of a plugin",
    () => ok("POST", `/v1/plugins/${plugin.id}/config-objects`, { configObjectId: object.id })
  ],
  [
    "a version of an object",
    () => ok("POST", `/v1/config-objects/${object.id}/versions`, { input: { rawSourceText: "# Two\n" } })
  ],
  ["a plugin of a marketplace", () => ok("POST", `/v1/marketplaces/${marketplaceId}/plugins`, { pluginId: plugin.id })],
  ["the name of a marketplace", () => ok("PATCH", `/v1/marketplaces/${marketplaceId}`, { name: "Tools 2" })],
  [
    "a desktop policy",
    async () => {
      const policy = { policyName: "All", policy: { allowAlphaUpdates: false } }
      policyId = (await created("/v1/desktop-policies", policy)).id
    }
  ],
  [
    "a setting of a policy",
    () => ok("PATCH", `/v1/desktop-policies/${policyId}`, { policy: { showWelcomePage: false } })
  ],
  [
    "an assignment",
    async () => {
      assignmentId = (await created("/v1/assignments", { pluginId: plugin.id, mode: "default_on" })).id
    }
  ],
  ["a choice", () => ok("PUT", `/v1/me/plugin-choices/${plugin.id}`, { enabled: false }, member)],
  ["a reset choice", () => ok("DELETE", `/v1/me/plugin-choices/${plugin.id}`, undefined, member)],
  ["the mode of an assignment", () => ok("PATCH", `/v1/assignments/${assignmentId}`, { mode: "required" })],
  ["a block", () => ok("PATCH", `/v1/assignments/${assignmentId}`, { mode: "blocked" })],
  ["the end of a block", () => ok("DELETE", `/v1/assignments/${assignmentId}`)],
  ["a block of a marketplace", () => created("/v1/assignments", { marketplaceId, mode: "blocked", teamIds: [teamId] })],
  ["a team", () => ok("DELETE", `/v1/teams/${teamId}/members/${member.membershipId}`)],
  ["a team again", () => ok("PUT", `/v1/teams/${teamId}/members/${member.membershipId}`)],
  ["a served release", () => tools.push({ "tools/skills/review/SKILL.md": skill("review", "Do it better.") })],
  [
    "an approved release",
    async () => {
      const { etag } = await stateOf(plane, member.token)
      await tools.push(hookFiles)
      // A release that is pending approval changes nothing for members.
      expect(await polled(plane, member.token, etag)).toBe(304)
      await approvePending(owner, tools.pluginId)
    }
  ],
  ["an archived plugin", () => ok("POST", `/v1/plugins/${tools.pluginId}/archive`)],
  [
    "the role",
    async () => {
      const role = await makeRole(owner, ["plugins:read", "marketplaces:read", "llmProviders:read"])
      await ok("PATCH", `/v1/members/${member.membershipId}`, { role })
    }
  ],
  ["the signing key", () => withServices(plane, Effect.flatMap(SigningKeys, (keys) => keys.rotate) as never)]
]

/** Changes that affect no state, or that of others. */
const unrelatedChanges: ReadonlyArray<readonly [name: string, change: () => Promise<unknown>]> = [
  ["a memory", () => ok("POST", "/v1/memory", { content: "I like tea." })],
  ["an API key", () => makeKey(plane, owner, ["plugins:read"])],
  ["a private plugin of another member", () => created("/v1/plugins", { name: "Private" })],
  ["another team", () => ok("PUT", `/v1/teams/${otherTeamId}/members/${owner.membershipId}`)],
  ["a worker", () => ok("POST", "/v1/workers", { name: "Worker", destination: "local" })],
  ["the name of the organization", () => ok("PATCH", "/v1/organization", { name: "Acme 2" })]
]

describe("the ETag of a desired state", () => {
  it.each(relevantChanges)("changes with %s", async (_, change) => {
    const before = await stateOf(plane, member.token)
    expect(await polled(plane, member.token, before.etag)).toBe(304)
    await change()
    const after = await stateOf(plane, member.token)
    expect(await polled(plane, member.token, before.etag)).toBe(200)
    expect(after.etag).not.toBe(before.etag)
    expect(await polled(plane, member.token, after.etag)).toBe(304)
  })

  it.each(unrelatedChanges)("does not change with %s", async (_, change) => {
    const before = await stateOf(plane, member.token)
    await change()
    expect(await polled(plane, member.token, before.etag)).toBe(304)
    expect((await stateOf(plane, member.token)).body.revision).toBe(before.body.revision)
  })
})
