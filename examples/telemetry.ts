/** Sends usage events in batches and counts each event once, even if the server was unreachable for a while. */
import { createClient, createTelemetry } from "@orgplane/client"
import { ControlPlane } from "@orgplane/server"

const controlPlane = await ControlPlane.make({ database: ControlPlane.pglite("memory") })
const connection = { baseUrl: "http://localhost", fetch: controlPlane.fetch }
const { session } = await createClient(connection).bootstrap.workspace({ workspaceName: "Acme" })
const client = createClient({ ...connection, token: session.token })

// A connection that loses the response to the first batch.
let responses = 0
const flaky = createClient({
  ...connection,
  token: session.token,
  fetch: async (request) => {
    const response = await controlPlane.fetch(request)
    if (request.method === "POST" && (responses += 1) === 1) throw new TypeError("the connection was closed")
    return response
  }
})

const telemetry = createTelemetry(flaky, {
  source: "app",
  sessionId: "desktop-1",
  onDrop: ({ events, reason }) => console.log(`${events} dropped: ${reason}`), // => 1 dropped: type_unknown
  onError: (error) => console.log(error instanceof Error ? error.message : "?") // => No response from http://localhost.
})
telemetry.track({ type: "task.started" })
telemetry.track({ type: "task.completed", durationMs: 1200, success: true })
telemetry.track({ type: "something.else" })

console.log(await telemetry.flush(), telemetry.queued) // => false 2

// The same events are sent again with the same IDs.
await telemetry.dispose()
console.log(telemetry.sent, telemetry.dropped) // => 2 1

const ledger = await client.telemetry.ledger()
console.log(ledger.items.map((entry) => `${entry.accepted} new, ${entry.duplicate} duplicate`).join("; ")) // => 0 new, 2 duplicate; 2 new, 0 duplicate

await controlPlane.dispose()
