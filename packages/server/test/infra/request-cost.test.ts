/** The cost of one request, counted in values rather than in time. */
import { expect, it } from "vitest"
import { makeControlPlane } from "../harness.ts"
import { expectRefused, makeDirectory, makeUser, someUser, userUrn } from "../enterprise/scim.fixture.ts"
import { push, send } from "../content/webhooks.fixture.ts"

const plane = await makeControlPlane({ workers: false })

it("rejects a SCIM body of more than 100000 values with a SCIM error, and accepts large real ones", async () => {
  const directory = await makeDirectory(plane)
  const user = await makeUser(directory)
  // None is complete JSON: parsing would report that instead.
  const many = `{"schemas":["${userUrn}"],"emails":[${"{},".repeat(50_001)}`
  for (const [method, path] of [
    ["POST", "/Users"],
    ["PUT", `/Users/${user.id}`],
    ["PATCH", `/Users/${user.id}`],
    ["POST", "/Groups"],
    ["POST", "/Bulk"],
    ["POST", "/.search"]
  ] as const) {
    const refused = await directory.scim(method, path, many)
    expectRefused(refused, 400, "invalidSyntax")
    expect([path, refused.body.detail]).toEqual([path, "The body contains more than 100000 values."])
  }
  const members = Array.from({ length: 8000 }, () => ({ value: user.id, display: "x", type: "User" }))
  const group = { schemas: ["urn:ietf:params:scim:schemas:core:2.0:Group"], displayName: "All", members }
  expect((await directory.scim("POST", "/Groups", group)).status).toBe(201)
  expect((await directory.scim("POST", "/Users", someUser())).status).toBe(201)
})

it("rejects a signed webhook of over 500000 values or 256 levels unparsed, and accepts a large push", async () => {
  const wholly = push({ cloneUrl: "https://git.example/o/n" })
  const text = JSON.stringify(wholly)
  const withMore = (more: string) => `${text.slice(0, -1)},"commits":${more}}`
  for (const body of [withMore(`[${"1,".repeat(500_001)}1]`), withMore(`${"[".repeat(300)}${"]".repeat(300)}`)]) {
    const refused = await send(plane, { body })
    expect([refused.status, refused.body]).toEqual([400, expect.objectContaining({ error: "invalid_payload" })])
  }
  const files = JSON.stringify(
    Array.from({ length: 20 }, () => ({ modified: Array.from({ length: 3000 }, () => "a/b.md") }))
  )
  expect((await send(plane, { body: withMore(files) })).status).toBe(200)
})
