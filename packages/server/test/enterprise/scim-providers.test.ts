/** Request sequences of Okta, Entra ID and Google Workspace, as sent by `scim conformance`. */
import { describe, expect, it } from "vitest"
import { entra } from "../../../cli/src/scim-conformance/entra.ts"
import { google } from "../../../cli/src/scim-conformance/google.ts"
import { okta } from "../../../cli/src/scim-conformance/okta.ts"
import { runSequences, type Send } from "../../../cli/src/scim-conformance/run.ts"
import { testName } from "../../../cli/src/scim-conformance/sequence.ts"
import { makeControlPlane, makeWorkspace, type TestPlane, type Workspace } from "../harness.ts"

const plane = await makeControlPlane()

const directoryOf = async (owner: Workspace) => {
  const { body } = await owner.call("POST", "/v1/scim/directories", { name: "Of the provider" })
  return { id: body.directory.id as string, token: body.token as string }
}

/** A raw request with the provider's own headers. */
const sender =
  ({ fetch }: TestPlane, token: string): Send =>
  async ({ body, contentType, method, path, userAgent }) => {
    const response = await fetch(
      new Request(`http://localhost/v1/scim/v2${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          accept: "application/scim+json",
          "user-agent": userAgent,
          ...(body === undefined ? {} : { "content-type": contentType })
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
    )
    const text = await response.text()
    return {
      status: response.status,
      contentType: response.headers.get("content-type") ?? "",
      body: text === "" ? undefined : (JSON.parse(text) as unknown)
    }
  }

const namesOf = async (owner: Workspace, path: string): Promise<ReadonlyArray<string>> =>
  ((await owner.call("GET", path)).body.items as ReadonlyArray<{ readonly name: string }>)
    .map(({ name }) => name)
    .sort()

describe("a SCIM directory", () => {
  it.each([okta, entra, google])("passes $title and is unchanged afterwards", async (sequence) => {
    const owner = await makeWorkspace(plane)
    const { id, token } = await directoryOf(owner)
    const before = [await namesOf(owner, "/v1/members"), await namesOf(owner, "/v1/teams")]

    const { leftovers, steps } = await runSequences({ sequences: [sequence], run: "t1", send: sender(plane, token) })

    expect(
      steps.flatMap(({ faults, method, path, title }) => faults.map((fault) => `${title}: ${method} ${path}: ${fault}`))
    ).toEqual([])
    expect(steps).toHaveLength(sequence.steps.length)
    expect(leftovers).toEqual([])
    const after = [await namesOf(owner, "/v1/members"), await namesOf(owner, "/v1/teams")]
    expect(after).toEqual(before)
    const { directory } = (await owner.call("GET", `/v1/scim/directories/${id}`)).body
    expect(directory).toMatchObject({ users: { active: 0, inactive: 0 }, groups: 0, pendingHoldId: null })
  })

  it("passes all sequences concurrently and holds nothing", async () => {
    const owner = await makeWorkspace(plane)
    const { id, token } = await directoryOf(owner)
    const send = sender(plane, token)
    const outcomes = await Promise.all(
      [okta, entra, google].map((sequence) => runSequences({ sequences: [sequence], run: "t2", send }))
    )
    expect(outcomes.flatMap(({ steps }) => steps.flatMap(({ faults }) => faults))).toEqual([])
    const holds = await owner.call("GET", `/v1/scim/directories/${id}/holds`)
    expect(holds.body.items).toEqual([])
  })

  it("is cleaned up when a step fails or the run is interrupted", async () => {
    const owner = await makeWorkspace(plane)
    const { id, token } = await directoryOf(owner)
    const send = sender(plane, token)
    let sent = 0
    const { leftovers } = await runSequences({
      sequences: [okta],
      run: "t3",
      send: (request) => {
        sent++
        return send(request)
      },
      isStopped: () => sent >= 11
    })
    expect(leftovers).toEqual([])
    const { directory } = (await owner.call("GET", `/v1/scim/directories/${id}`)).body
    expect(directory).toMatchObject({ users: { active: 0, inactive: 0 }, groups: 0 })
    expect((await owner.call("GET", "/v1/members")).text).not.toContain(testName)
  })
})
