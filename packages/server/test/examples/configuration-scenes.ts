/** Requests of the examples about configuration as code: an organization with a role and a team. */
import { makeControlPlane, makeWorkspace } from "../harness.ts"
import type { Scene } from "./scenes.ts"

const reviewer = { key: "reviewer", name: "Reviewer", permissions: ["approvals:read", "plugins:read"] }
const platform = { key: "platform", name: "Platform", description: "Runs the control plane" }

const document = {
  version: 1,
  roles: [{ ...reviewer, permissions: [...reviewer.permissions, "audit:read"] }],
  teams: [platform, { key: "design", name: "Design" }]
}

const configured = async () => {
  const plane = await makeControlPlane({ workers: false })
  const owner = await makeWorkspace(plane, "Acme")
  await owner.call("POST", "/v1/configuration/apply", {
    document: { version: 1, roles: [reviewer], teams: [platform] }
  })
  return { plane, owner, token: owner.token }
}

export const configurationScenes: Readonly<Record<string, () => Promise<Scene>>> = {
  "configuration.export": async () => {
    const { plane, token } = await configured()
    return { plane, token, query: { kinds: "organization,roles,teams" } }
  },
  "configuration.plan": async () => {
    const { plane, token } = await configured()
    return { plane, token, body: { document } }
  },
  "configuration.apply": async () => {
    const { owner, plane, token } = await configured()
    const { body } = await owner.call("POST", "/v1/configuration/plan", { document })
    return { plane, token, body: { document, planDigest: body.plan.planDigest } }
  },
  "configuration.adopt": async () => {
    const { owner, plane, token } = await configured()
    const { body } = await owner.call("POST", "/v1/teams", { name: "Design" })
    const adoption = { kind: "teams", id: body.team.id, key: "design" }
    return { plane, token, body: { adoptions: [adoption] } }
  }
}
