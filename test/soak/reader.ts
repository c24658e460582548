import { createHash } from "node:crypto"
import { quoted, type Query } from "./checks.ts"
import { ask, type Process } from "./people.ts"
import type { Shown } from "./replay.ts"

interface Sample {
  readonly plugin: string
  readonly digest: string
  readonly count: number
  readonly found: string
}

const pauseMillis = 150
const pageMax = 100

const digestOf = (files: ReadonlyArray<readonly [path: string, text: string]>) =>
  createHash("sha256")
    .update(JSON.stringify([...files].sort(([a], [b]) => (a < b ? -1 : 1))))
    .digest("hex")

/** Somebody who looks at plugins all the time, and never sees anything but the whole of one publication. */
export const makeReader = (options: {
  readonly query: Query
  readonly organizationId: string
  readonly token: string
  readonly servers: () => ReadonlyArray<Process>
}) => {
  const { organizationId, query, servers, token } = options
  const of = `organization_id = ${quoted(organizationId)}`
  /** By the name of a plugin: what it showed in some publication. */
  const legal = new Map<string, Set<string>>()
  const left = new Set<string>()
  let ids: ReadonlyArray<string> = []
  let samples: Array<Sample> = []
  let reads = 0

  const publish = (shown: Shown) => {
    for (const [plugin, files] of Map.groupBy(shown.values(), (file) => file.plugin)) {
      const known = legal.get(plugin) ?? new Set()
      legal.set(
        plugin,
        known.add(digestOf(files.map(({ objectType, path, text }) => [`${objectType} ${path}`, text] as const)))
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
      found: JSON.stringify(files.map(([path, text]) => [path, /Text \d+/u.exec(text)?.[0]])).slice(0, 4000)
    })
  }

  /** Compares what was seen with all that was published; what shows nothing was not filled yet, or is gone. */
  const judge = async () => {
    const rows = await query<{ id: string; name: string }>(`SELECT id, name FROM plugins WHERE ${of}`)
    const names = new Map(rows.map(({ id, name }) => [id, name]))
    for (const { count, digest, found, plugin } of samples) {
      if (left.has(plugin) || count === 0) continue
      const name = names.get(plugin) ?? ""
      if (legal.get(name)?.has(digest) !== true) throw new Error(`${name} showed what was never published: ${found}`)
    }
    samples = []
  }

  /** Reads until it is ended; a fault of its own is told at the end. */
  const begin = () => {
    const over = new AbortController()
    const reading = (async () => {
      for (let turn = 0; !over.signal.aborted; turn += 1) {
        await look(turn)
        await new Promise((resolve) => setTimeout(resolve, pauseMillis))
      }
    })()
    // It is awaited at the end; until then a fault of it is nobody's.
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
    /** People hide and show it from here on: what it shows is theirs to say. */
    leaveOut: (plugin: string) => void left.add(plugin),
    takeIn: (plugin: string) => void left.delete(plugin)
  } as const
}
