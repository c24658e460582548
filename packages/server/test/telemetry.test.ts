import { expect, it } from "vitest"
import { makeControlPlane, makeWorkspace } from "./harness.ts"

const plane = await makeControlPlane()

const event = (more: object = {}) => ({
  type: "task.completed",
  timestamp: new Date().toISOString(),
  source: "app",
  ...more
})

it("keeps", async () => {
  const me = await makeWorkspace(plane)
  const answer = await me.call("POST", "/v1/telemetry/ingest", {
    events: [
      event({ id: "a", durationMs: 5, dimensions: [{ type: "model", value: "x" }] }),
      event({ id: "a", foo: 1 }),
      {}
    ]
  })
  expect(answer.text).toBe("")
  expect(answer.status).toBe(204)
  const l = await me.call("GET", "/v1/telemetry/ledger")
  console.log(l.text)
  console.log((await me.call("GET", "/v1/telemetry/schema")).text)
})
