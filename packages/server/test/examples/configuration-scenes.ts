/** Requests of the examples about configuration as code: an organization with a role and a team. */
import { commit } from "../../../../test/fixtures/git.ts"
import { connect, repositoryIn } from "../content/connectors.fixture.ts"
import { makeControlPlane, makeWorkspace } from "../harness.ts"
import { reported } from "../operations/configuration-source.fixture.ts"
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

const teamsOf = (keys: ReadonlyArray<string>) =>
  JSON.stringify({ version: 1, teams: keys.map((key) => ({ key, name: `Team ${key}` })), prune: { teams: true } })

const keys = ["a", "b", "c", "d", "e", "f", "g"]

/** A connected repository with configuration files, which is the source unless `isSet` is false. */
const followed = async (isSet = true) => {
  const plane = await makeControlPlane()
  const owner = await makeWorkspace(plane, "Acme")
  const dir = repositoryIn(plane, { "orgplane.yaml": teamsOf(keys) }, "acme/org")
  const { instance } = await connect(owner, `file://${dir}`)
  if (isSet) {
    await owner.client.configurationSource.set({
      connectorInstanceId: instance.id,
      path: "orgplane.yaml",
      mode: "apply"
    })
    await reported(owner, 1)
  }
  return { plane, owner, dir, token: owner.token, instance }
}

/** A run that would remove six of seven teams. */
const heldRun = async () => {
  const { dir, owner, ...scene } = await followed()
  commit(dir, { "orgplane.yaml": teamsOf(["a"]) })
  await owner.client.configurationSource.run()
  const run = await reported(owner, 2)
  return { ...scene, owner, run, things: { ConfigurationRunId: run.id } }
}

const sourceScene = async (): Promise<Scene> => {
  const { plane, token } = await followed()
  return { plane, token }
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
  "configurationSource.get": sourceScene,
  "configurationSource.set": async () => {
    const { instance, plane, token } = await followed(false)
    return { plane, token, body: { connectorInstanceId: instance.id, path: "orgplane.yaml", mode: "apply" } }
  },
  "configurationSource.remove": sourceScene,
  "configurationSource.run": sourceScene,
  "configurationRuns.list": sourceScene,
  "configurationRuns.get": async () => {
    const { plane, things, token } = await heldRun()
    return { plane, things, token }
  },
  "configurationRuns.approve": async () => {
    const { plane, run, things, token } = await heldRun()
    return { plane, things, token, body: { planDigest: run.planDigest } }
  },
  "configurationRuns.reject": async () => {
    const { plane, things, token } = await heldRun()
    return { plane, things, token, body: { comment: "Keep these teams until March." } }
  },
  "configuration.adopt": async () => {
    const { owner, plane, token } = await configured()
    const { body } = await owner.call("POST", "/v1/teams", { name: "Design" })
    const adoption = { kind: "teams", id: body.team.id, key: "design" }
    return { plane, token, body: { adoptions: [adoption] } }
  }
}
