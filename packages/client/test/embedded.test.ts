import { expect, it, vi } from "vitest"
import { createEmbeddedClient } from "../src/embedded.ts"
import { failure, json } from "./server.ts"

it("sends requests to the control plane in the process, below its path prefix and with the caller's address", async () => {
  vi.stubEnv("ORGPLANE_BASE_URL", "https://elsewhere.example")
  vi.stubEnv("ORGPLANE_TOKEN", "ops_of_elsewhere")
  const seen: Array<readonly [string, string | null, unknown]> = []
  const controlPlane = {
    fetch: (request: Request, peer?: { readonly remoteAddress?: string }) => {
      seen.push([request.url, request.headers.get("authorization"), peer])
      return Promise.resolve(json(200, { item: { id: "plg_1" } }))
    }
  }
  await createEmbeddedClient(controlPlane).plugins.get("plg_1")
  await createEmbeddedClient({ ...controlPlane, pathPrefix: "/api" }).plugins.get("plg_1")
  const options = { token: "ops_1", pathPrefix: "/orgplane", remoteAddress: "192.0.2.1" } as const
  await createEmbeddedClient(controlPlane, options).plugins.get("plg_1")
  expect(seen).toEqual([
    ["http://localhost/v1/plugins/plg_1", null, undefined],
    ["http://localhost/api/v1/plugins/plg_1", null, undefined],
    ["http://localhost/orgplane/v1/plugins/plg_1", "Bearer ops_1", { remoteAddress: "192.0.2.1" }]
  ])
  const broken = createEmbeddedClient({ fetch: () => Promise.reject(new Error("disposed")) }, { retries: 0 })
  expect(await failure(broken.plugins.get("plg_1"))).toMatchObject({ code: "connection_failed" })
  vi.unstubAllEnvs()
})
