import { createHash } from "node:crypto"
import { quoted, type Query } from "./checks.ts"
import { ask, type Process } from "./people.ts"
import type { Shown } from "./replay.ts"

interface Sample {
  readonly plugin: string
  readonly digest: string
  readonly count: number
  readonly content: string
}

const pauseMillis = 150
const pageMax = 100

const digestOf = (files: ReadonlyArray<readonly [path: string, text: string]>) =>
  createHash("sha256")
    .update(JSON.stringify([...files].sort(([a], [b]) => (a < b ? -1 : 1))))
    .digest("hex")

/** A client that reads plugins continuously, and must only see complete publications. */
export const makeReader = (options: {
  readonly query: Query
  readonly organizationId: string
  readonly token: string
  readonly servers: () => ReadonlyArray<Process>
}) => {
  const { organizationId, query, servers, token } = options
  const of = `organization_id = ${quoted(organizationId)}`
  /** By the name of a plugin: the content digests of all its publications. */
  const legal = new Map<string, Set<string>>()
  const left = new Set<string>()
  let ids: ReadonlyArray<string> = []
  let samples: Array<Sample> = []
  let reads = 0

  const publish = (shown: Shown) => {
    for (const [plugin, files] of Map.groupBy(shown.values(), (file) => file.plugin)) {
      const digests = legal.get(plugin) ?? new Set()
      legal.set(
        plugin,
        digests.add(digestOf(files.map(({ objectType, path, text }) => [`${objectType} ${path}`, text] as const)))
      )
    }
  }

  const look = async (turn: number) => {
    const all = servers()
    const server = all[turn % Math.max(1, all.length)]
    const plugin = ids[turn % Math.max(1, ids.length)]
    if (server === undefined) return
    if (plugin === undefined || turn % 10 === 0) {
      const response = await ask(server, token, "GET", "/v1/plugins?limit=100")
      if (response?.status === 200) ids = response.body.items.map(({ id }: { readonly id: string }) => id)
      return
    }
    if (left.has(plugin)) return
    const response = await ask(server, token, "GET", `/v1/plugins/${plugin}/config-objects?limit=${pageMax}`)
    if (response?.status !== 200) return
    if (response.body.nextCursor !== null) throw new Error(`${plugin} has more than ${pageMax} objects.`)
    const files: ReadonlyArray<readonly [string, string]> = response.body.items.map(
      ({
        configObject: row
      }: {
        configObject: { objectType: string; currentRelativePath: string; latestVersion: { rawSourceText: string } }
      }) => [`${row.objectType} ${row.currentRelativePath}`, row.latestVersion.rawSourceText]
    )
    reads += 1
    samples.push({
      plugin,
      digest: digestOf(files),
      count: files.length,
      content: JSON.stringify(files.map(([path, text]) => [path, /Text \d+/u.exec(text)?.[0]])).slice(0, 4000)
    })
  }

  /** Compares the samples with all publications. An empty plugin was not filled yet, or was removed. */
  const judge = async () => {
    const rows = await query<{ id: string; name: string }>(`SELECT id, name FROM plugins WHERE ${of}`)
    const names = new Map(rows.map(({ id, name }) => [id, name]))
    for (const { content, count, digest, plugin } of samples) {
      if (left.has(plugin) || count === 0) continue
      const name = names.get(plugin) ?? ""
      if (legal.get(name)?.has(digest) !== true)
        throw new Error(`${name} showed content that was never published: ${content}`)
    }
    samples = []
  }

  /** Reads until it is stopped. An error is reported at the end. */
  const begin = () => {
    const over = new AbortController()
    const reading = (async () => {
      for (let turn = 0; !over.signal.aborted; turn += 1) {
        await look(turn)
        await new Promise((resolve) => setTimeout(resolve, pauseMillis))
      }
    })()
    // It is awaited at the end; until then its rejection is unhandled on purpose.
    reading.catch(() => undefined)
    return {
      end: async () => {
        over.abort()
        await reading
      }
    }
  }

  return {
    publish,
    judge,
    begin,
    reads: () => reads,
    /** From here on people archive and restore the plugin, so its content is not checked. */
    leaveOut: (plugin: string) => void left.add(plugin),
    takeIn: (plugin: string) => void left.delete(plugin)
  } as const
}
