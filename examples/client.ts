/** The typed client. Here it calls a control plane in this process; for a remote one, pass only `baseUrl`. */
import { ConflictError, createClient, ForbiddenError, NotFoundError } from "@orgplane/client"
import { ControlPlane } from "@orgplane/server"

const controlPlane = await ControlPlane.make({ database: ControlPlane.pglite("memory") })
const connection = { baseUrl: "http://localhost", fetch: controlPlane.fetch }

// Creating a workspace requires no credential. The response contains its first session.
const { session } = await createClient(connection).bootstrap.workspace({ workspaceName: "Acme" })
const client = createClient({ ...connection, token: session.token })

// Arguments: path IDs first, then one input, then options. The result is the object itself.
const plugin = await client.plugins.create({ name: "Reviewer", description: "How we review" })
console.log(plugin.name) // => Reviewer
console.log((await client.plugins.get(plugin.id)).description) // => How we review

const skill = await client.configObjects.create({
  pluginIds: [plugin.id],
  input: {
    type: "skill",
    rawSourceText: "---\nname: review\ndescription: Reviews a change\n---\nRead the diff first.\n"
  }
})
console.log(skill.title) // => review

// A request that is repeated with the same idempotency key takes effect only once.
const once = await client.plugins.create({ name: "Releases" }, { idempotencyKey: "releases-1" })
const twice = await client.plugins.create({ name: "Releases" }, { idempotencyKey: "releases-1" })
console.log(once.id === twice.id) // => true

// Each kind of failure has its own error class, with the status, the code and the request ID.
const outcome = await client.plugins.get("plg_01h455vb4pex5vsknk084sn02q").catch((error: unknown) => {
  if (error instanceof NotFoundError) return error.code
  if (error instanceof ForbiddenError) return error.reason
  if (error instanceof ConflictError) return error.code
  throw error
})
console.log(outcome) // => plugin_not_found

// Use `withResponse()` to read status and headers.
const { response } = await client.plugins.get(plugin.id).withResponse()
console.log(response.status) // => 200

await controlPlane.dispose()
