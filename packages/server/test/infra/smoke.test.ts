import { expect, it } from "vitest"
import { makeControlPlane, makeWorkspace } from "../harness.ts"

const plane = await makeControlPlane()

it("makes a workspace and answers its owner", async () => {
  const { client, organizationId } = await makeWorkspace(plane)
  const { organization } = await client.organizations.get()
  expect(organization.id).toBe(organizationId)
})
