/** Telling what happens: in batches, each event once, also when the server was away for a while. */
import { createClient, createTelemetry } from "@orgplane/client"
import { ControlPlane } from "@orgplane/server"

const controlPlane = await ControlPlane.make({ database: ControlPlane.pglite("memory") })
const connection = { baseUrl: "http://localhost", fetch: controlPlane.fetch }
const { session } = await createClient(connection).bootstrap.workspace({ workspaceName: "Acme" })
const client = createClient({ ...connection, token: session.token })

// A connection whose first answer to events gets lost on the way.
let answers = 0
const flaky = createClient({
  ...connection,
  token: session.token,
  fetch: async (request) => {
    const response = await controlPlane.fetch(request)
    if (request.method === "POST" && (answers += 1) === 1) throw new TypeError("the connection is gone")
    return response
  }
})

const telemetry = createTelemetry(flaky, {
  source: "app",
  sessionId: "desktop-1",
  onDrop: ({ events, reason }) => console.log(`${events} dropped: ${reason}`), // => 1 dropped: type_unknown
  onError: (error) => console.log(error instanceof Error ? error.message : "?") // => No answer from http://localhost.
})
telemetry.track({ type: "task.started" })
telemetry.track({ type: "task.completed", durationMs: 1200, success: true })
telemetry.track({ type: "something.else" })

console.log(await telemetry.flush(), telemetry.queued) // => false 2

// The same events go again with the same ids.
await telemetry.dispose()
console.log(telemetry.sent, telemetry.dropped) // => 2 1

const ledger = await client.telemetry.ledger()
console.log(ledger.items.map((entry) => `${entry.accepted} new, ${entry.duplicate} known`).join("; ")) // => 0 new, 2 known; 2 new, 0 known

await controlPlane.dispose()
