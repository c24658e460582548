import { expect, it } from "vitest"
import { makeControlPlane, makeWorkspace } from "../harness.ts"

const plane = await makeControlPlane()

it("creates a workspace and responds to its owner", async () => {
  const { client, organizationId } = await makeWorkspace(plane)
  const organization = await client.organizations.get()
  expect(organization.id).toBe(organizationId)
})
