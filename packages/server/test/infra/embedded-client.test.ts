/** The client for a control plane in the same process, against a real one. */
import { createEmbeddedClient } from "@orgplane/client/embedded"
import { expect, it } from "vitest"
import { ControlPlane } from "../../src/index.ts"
import { makeDatabase } from "../harness.ts"

it.each(["", "/orgplane", "/api/orgplane"] as const)(
  "reads the path prefix of the control plane: %j",
  async (prefix) => {
    const controlPlane = await ControlPlane.make({
      database: await makeDatabase(),
      secretKeys: ["a secret for tests only, long enough to be one"],
      logLevel: "none",
      modelsUrl: "off",
      ...(prefix === "" ? {} : { pathPrefix: prefix })
    })
    expect(controlPlane.pathPrefix).toBe(prefix)
    const { session } = await createEmbeddedClient(controlPlane).bootstrap.workspace({ workspaceName: "Acme" })
    const client = createEmbeddedClient(controlPlane, { token: session.token })
    const { id } = await client.plugins.create({ name: "Reviewer" })
    expect(await client.plugins.get(id)).toMatchObject({ name: "Reviewer" })
    const elsewhere = createEmbeddedClient(controlPlane, { token: session.token, pathPrefix: "/elsewhere" })
    await expect(elsewhere.plugins.get(id)).rejects.toMatchObject({ status: 404, code: "route_not_found" })
    await controlPlane.dispose()
  }
)
