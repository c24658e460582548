/** Your own code host: repositories in a database, behind an API, or, as here, in memory. */
import { createClient } from "@orgplane/client"
import { CodeHost, CodeHostFailed, ControlPlane, type Repository, type Snapshot } from "@orgplane/server"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createHash } from "node:crypto"

const files: Record<string, string> = {
  ".claude-plugin/plugin.json": JSON.stringify({ name: "reviewer", description: "How we review" }),
  "skills/review/SKILL.md": "---\nname: review\ndescription: Reviews a change\n---\nRead the diff first.\n"
}

const sha = (text: string) => createHash("sha1").update(text).digest("hex")
const revision = sha(JSON.stringify(files))
const contents = new Map(Object.values(files).map((text) => [sha(text), new TextEncoder().encode(text)]))

const snapshot: Snapshot = {
  revision,
  entries: Object.entries(files)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, text]) => ({ path, kind: "file", sha: sha(text), size: Buffer.byteLength(text) })),
  truncated: false,
  strategy: "git-tree-recursive",
  read: (shas) =>
    Effect.succeed(
      new Map(
        shas.flatMap((sha) => {
          const bytes = contents.get(sha)
          return bytes === undefined ? [] : [[sha, bytes] as const]
        })
      )
    )
}

const cloneUrl = "https://catalog.example/team/reviewer"
const ifKnown = <A>(repository: Repository, response: A) =>
  repository.cloneUrl === cloneUrl
    ? Effect.succeed(response)
    : Effect.fail(new CodeHostFailed({ code: "not_a_repository", message: "There is no such repository." }))

const codeHost = Layer.succeed(CodeHost, {
  normalize: (typed) => Effect.succeed(typed.replace(/\/+$/, "")),
  inspect: (repository) => ifKnown(repository, { cloneUrl, fullName: "team/reviewer", defaultBranch: "main" }),
  head: (repository) => ifKnown(repository, revision),
  snapshot: (repository) => ifKnown(repository, snapshot)
})

const controlPlane = await ControlPlane.make({ database: ControlPlane.pglite("memory"), ports: { codeHost } })
const connection = { baseUrl: "http://localhost", fetch: controlPlane.fetch }
const { session } = await createClient(connection).bootstrap.workspace({ workspaceName: "Acme" })
const client = createClient({ ...connection, token: session.token })

const { connectorInstance } = await client.connectors.setup({ adapter: "git", cloneUrl })
console.log(connectorInstance.name) // => team/reviewer

const discovery = await client.connectors.discovery(connectorInstance.id)
const keys = discovery.discoveredPlugins.map((plugin) => plugin.key)
console.log(keys.length) // => 1

const applied = await client.connectors.apply(connectorInstance.id, { selectedKeys: keys, autoImportNewPlugins: true })
console.log(applied.plugins[0]?.name) // => reviewer

const objects = await client.configObjects.list()
console.log(objects.items.map((object) => object.title).join(" ")) // => review

await controlPlane.dispose()
