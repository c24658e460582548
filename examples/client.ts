/** The typed client. Here it speaks to a control plane in this process; give `baseUrl` alone for one elsewhere. */
import { ConflictError, createClient, ForbiddenError, NotFoundError } from "@orgplane/client"
import { ControlPlane } from "@orgplane/server"

const controlPlane = await ControlPlane.make({ database: ControlPlane.pglite("memory") })
const connection = { baseUrl: "http://localhost", fetch: controlPlane.fetch }

// A workspace needs no credential; its session is the first one.
const { session } = await createClient(connection).bootstrap.workspace({ workspaceName: "Acme" })
const client = createClient({ ...connection, token: session.token })

// Ids of the path first, then one input, then options. The answer is the thing itself.
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

// A change and its repetition with the same key are one change.
const once = await client.plugins.create({ name: "Releases" }, { idempotencyKey: "releases-1" })
const twice = await client.plugins.create({ name: "Releases" }, { idempotencyKey: "releases-1" })
console.log(once.id === twice.id) // => true

// What fails is an error of its own class, with the status, the code and the request's id.
const outcome = await client.plugins.get("plg_01h455vb4pex5vsknk084sn02q").catch((error: unknown) => {
  if (error instanceof NotFoundError) return error.code
  if (error instanceof ForbiddenError) return error.reason
  if (error instanceof ConflictError) return error.code
  throw error
})
console.log(outcome) // => plugin_not_found

// Status and headers, where they matter.
const { response } = await client.plugins.get(plugin.id).withResponse()
console.log(response.status) // => 200

await controlPlane.dispose()
