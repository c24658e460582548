/** `events verify`: verifies the lines that a receiver of an event stream stored. */
import { type ReceivedLine, verifyEvents } from "@orgplane/client/transport"
import { createReadStream } from "node:fs"
import { open, readdir, readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { pipeline } from "node:stream"
import { createGunzip } from "node:zlib"
import { connect } from "./connection.ts"
import { exit, type ExitCode } from "./exit-code.ts"
import { Failure, usage } from "./failure.ts"
import type { Globals } from "./global-flags.ts"
import type { VerifyEventsInvocation } from "./invocation.ts"
import { type Io, print } from "./io.ts"
import { escapeControls } from "./output/escape.ts"
import { printOne } from "./output/print.ts"
import type { OutputOptions } from "./output/render.ts"
import { listAt, textAt } from "./output/value.ts"
import { resolveSettings } from "./settings.ts"

type Verification = Awaited<ReturnType<typeof verifyEvents>>

const unreadable = (path: string, error: unknown) =>
  usage(`Cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`)

/** The files at a path, in order. */
const filesAt = async (path: string): Promise<ReadonlyArray<string>> => {
  try {
    if (!(await stat(path)).isDirectory()) return [path]
    const entries = await readdir(path, { recursive: true, withFileTypes: true })
    return entries
      .filter((entry) => entry.isFile() && /\.(ndjson|jsonl|json|log)(\.gz)?$/u.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
  } catch (error) {
    throw unreadable(path, error)
  }
}

const isGzipped = async (path: string): Promise<boolean> => {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0)
    return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b
  } finally {
    await file.close()
  }
}

async function* linesOf(paths: ReadonlyArray<string>): AsyncGenerator<ReceivedLine> {
  for (const path of paths) {
    try {
      const file = createReadStream(path)
      const text = (await isGzipped(path)) ? pipeline(file, createGunzip(), () => {}) : file
      text.setEncoding("utf8")
      let number = 0
      let rest = ""
      // `readline` also ends lines at U+2028 and U+2029, which JSON text can contain.
      for await (const chunk of text) {
        const lines = (rest + String(chunk)).split("\n")
        rest = lines.pop() ?? ""
        for (const line of lines) {
          number += 1
          yield { text: line, place: `${path}:${number}` }
        }
      }
      yield { text: rest, place: `${path}:${number + 1}` }
    } catch (error) {
      throw unreadable(path, error)
    }
  }
}

const keysFrom = async (io: Io, globals: Globals, file: string | undefined) => {
  let source: unknown
  if (file === undefined) {
    const connection = connect(io, await resolveSettings(io, globals), globals)
    source = await connection.send({ method: "GET", path: "/v1/keys", query: {}, body: undefined })
  } else {
    try {
      source = JSON.parse(await readFile(file, "utf8"))
    } catch (error) {
      throw unreadable(file, error)
    }
  }
  const keys = listAt(Array.isArray(source) ? { keys: source } : source, "keys").flatMap((key) => {
    const [kid, x] = [textAt(key, "kid"), textAt(key, "x")]
    return kid === undefined || x === undefined ? [] : [{ kid, x }]
  })
  if (keys.length === 0)
    throw usage(`${file ?? "The server"} contains no public keys. Save the response of GET /v1/keys.`)
  return keys
}

const reportOf = ({ organizations, problem }: Verification): string => {
  const lines = organizations.flatMap((one) => {
    const start = one.isStart ? "the start of the chain" : `earlier events are not in these files`
    const withheld = [
      ...(one.omitted === 0 ? [] : [`${one.omitted} of other types`]),
      ...(one.personal === 0 ? [] : [`${one.personal} about personal data`])
    ]
    return [
      `Organization ${one.organizationId}`,
      one.provenThrough === null
        ? "  Proven:      nothing, because no signed checkpoint matches"
        : `  Proven:      events ${one.first} to ${one.provenThrough}, signed at ${one.provenAt}`,
      ...(one.first === null ? [] : [`  First event: ${one.first} (${start})`]),
      ...(one.last !== null && one.last > (one.provenThrough ?? 0)
        ? [
            `  Not signed:  events ${(one.provenThrough ?? (one.first ?? 1) - 1) + 1} to ${one.last}, until the next checkpoint`
          ]
        : []),
      ...(withheld.length === 0 ? [] : [`  No content:  ${withheld.join(", ")}`])
    ]
  })
  if (problem !== null) {
    lines.push(`Not verified: ${problem.message}${problem.place === null ? "" : ` (${problem.place})`}`)
  } else if (organizations.length === 0) lines.push("Not verified: the files contain no events.")
  return lines.map(escapeControls).join("\n")
}

export const verify = async (
  io: Io,
  globals: Globals,
  output: OutputOptions,
  { keys, paths }: VerifyEventsInvocation
): Promise<ExitCode> => {
  const files = (await Promise.all(paths.map(filesAt))).flat()
  if (files.length === 0) throw new Failure(exit.failure, "The directories contain no .ndjson or .ndjson.gz files.")
  const verification = await verifyEvents(linesOf(files), { keys: await keysFrom(io, globals, keys) })
  const isReport = output.format === undefined && output.selection === undefined
  if (!output.quiet) await (isReport ? print(io, reportOf(verification)) : printOne(io, verification, output, {}))
  return verification.valid ? exit.ok : exit.failure
}
