/** Lists: `await` returns the first page, `for await` iterates over the rows of all pages. */
import { createClient } from "@orgplane/client"
import { ControlPlane } from "@orgplane/server"

const controlPlane = await ControlPlane.make({ database: ControlPlane.pglite("memory") })
const connection = { baseUrl: "http://localhost", fetch: controlPlane.fetch }
const { session } = await createClient(connection).bootstrap.workspace({ workspaceName: "Acme" })
const client = createClient({ ...connection, token: session.token })

for (const name of ["one", "two", "three", "four", "five"]) await client.plugins.create({ name })

const page = await client.plugins.list({ limit: 2 })
console.log(page.items.map((plugin) => plugin.name).join(" ")) // => five four
console.log(page.nextCursor === null) // => false

// Request the next page with its cursor, as a web page would.
const next = await client.plugins.list({ limit: 2, cursor: page.nextCursor ?? "" })
console.log(next.items.map((plugin) => plugin.name).join(" ")) // => three two

// Iterate over all rows, two per page. Pages are fetched on demand.
const names: Array<string> = []
for await (const plugin of client.plugins.list({ limit: 2 })) names.push(plugin.name)
console.log(names.join(" ")) // => five four three two one

let pages = 0
for await (const { items } of client.plugins.list({ limit: 2 }).pages()) pages += items.length > 0 ? 1 : 0
console.log(pages) // => 3

await controlPlane.dispose()
