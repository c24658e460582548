/** Where a candidate spends its CPU time: a CPU profile of one slice, taken through Node's inspector. */
import { writeFile } from "node:fs/promises"
import { relative } from "node:path"
import { fileURLToPath } from "node:url"
import { freePort } from "../../test/free-port.ts"
import { say, startCandidate } from "../harness.ts"
import { visiblePages } from "./visible-pages.ts"
import { load } from "../load.ts"
import { type Effort, prepare, requestsOf } from "./compare.ts"
import type { candidates, Work } from "./works.ts"

interface Profile {
  readonly nodes: ReadonlyArray<{
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  }>
  /** The node that was running at each sample, and the microseconds since the previous sample. */
  readonly samples: ReadonlyArray<number>
  readonly timeDeltas: ReadonlyArray<number>
}

const intervalMicros = 200
const linesMax = 20

interface Reply {
  readonly id: number
  readonly result: { readonly profile: Profile }
}

/** Connects to the inspector of a process; the returned function runs one command. */
const inspect = async (port: number) => {
  const response = await fetch(`http://127.0.0.1:${port}/json/list`)
  const [target] = (await response.json()) as ReadonlyArray<{ readonly webSocketDebuggerUrl: string }>
  const socket = new WebSocket(target?.webSocketDebuggerUrl ?? "")
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve)
    socket.addEventListener("error", () => reject(new Error("Cannot connect to the inspector.")))
  })
  const waiting = new Map<number, (reply: Reply) => void>()
  socket.addEventListener("message", ({ data }) => {
    const reply = JSON.parse(String(data)) as Reply
    waiting.get(reply.id)?.(reply)
  })
  let id = 0
  const command = (method: string, params: object = {}) =>
    new Promise<Reply>((resolve) => {
      waiting.set((id += 1), resolve)
      socket.send(JSON.stringify({ id, method, params }))
    })
  return { command, close: () => socket.close() }
}

const root = fileURLToPath(new URL("../..", import.meta.url))
const placeOf = (url: string, line: number) =>
  url === "" ? "" : `${url.startsWith("file:") ? relative(root, fileURLToPath(url)) : url}:${line + 1}`

/** The functions with the most self time as a Markdown table. Idle time is excluded. */
export const hottest = ({ nodes, samples, timeDeltas }: Profile, requests: number): string => {
  const names = new Map(
    nodes.map(({ callFrame: { functionName, lineNumber, url }, id }) => [
      id,
      `${functionName || "(anonymous)"} | ${placeOf(url, lineNumber)}`
    ])
  )
  const micros = new Map<string, number>()
  let total = 0
  for (const [i, sample] of samples.entries()) {
    const name = names.get(sample) ?? ""
    if (name.startsWith("(idle)")) continue
    const delta = timeDeltas[i] ?? 0
    micros.set(name, (micros.get(name) ?? 0) + delta)
    total += delta
  }
  const top = [...micros].toSorted(([, a], [, b]) => b - a).slice(0, linesMax)
  return [
    "| function | place | self time | µs per request |",
    "|---|---|---:|---:|",
    ...top.map(
      ([name, spent]) => `| ${name} | ${((spent / total) * 100).toFixed(1)} % | ${(spent / requests).toFixed(2)} |`
    ),
    `| all | | 100 % | ${(total / requests).toFixed(1)} |`
  ].join("\n")
}

/** Warms one candidate up, profiles one slice of one kind of request, writes the profile and returns the top functions. */
export const profileOf = async (
  candidate: (typeof candidates)[number],
  work: Work,
  effort: Effort,
  file: string
): Promise<string> => {
  const { callers, server } = await prepare()
  try {
    const inspectorPort = await freePort()
    const options = [`--inspect=127.0.0.1:${inspectorPort}`]
    const running = await startCandidate(candidate, server.url, options, await visiblePages(server.url))
    try {
      const { connections, warmRequests, warmSeconds = 30 } = effort
      const { port } = running
      const next = requestsOf(work, callers)
      await load({ port, connections, seconds: warmSeconds, requestsMax: warmRequests, next })
      const { close, command } = await inspect(inspectorPort)
      await command("Profiler.enable")
      await command("Profiler.setSamplingInterval", { interval: intervalMicros })
      await command("Profiler.start")
      const { requests } = await load({ port, connections, seconds: effort.seconds * effort.slices, next })
      const { profile } = (await command("Profiler.stop")).result
      close()
      await writeFile(file, JSON.stringify(profile))
      say(`Wrote ${file}`)
      return `${candidate.name}, ${work.name}: ${requests} requests\n\n${hottest(profile, requests)}`
    } finally {
      await running.stop()
    }
  } finally {
    await server.stop()
  }
}
