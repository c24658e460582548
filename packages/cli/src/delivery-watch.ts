/** `delivery watch`: shows the delivery of plugins until it is interrupted, or until nothing is behind or missing. */
import { type Connection, connectSignedIn } from "./connection.ts"
import { exit, type ExitCode } from "./exit-code.ts"
import { describeFailure, Interrupted, usage } from "./failure.ts"
import type { Globals } from "./global-flags.ts"
import type { WatchInvocation } from "./invocation.ts"
import { type Io, notify, print } from "./io.ts"
import { isTransient } from "./keep-polling.ts"
import { deliveryStatus, numberAt, statusSummary } from "./output/delivery.ts"
import { escapeControls } from "./output/escape.ts"
import { json, type OutputOptions, unwrap } from "./output/render.ts"
import { printSelected } from "./output/selection.ts"
import { isObject, member, textAt } from "./output/value.ts"
import { truncate } from "./output/width.ts"
import { yaml } from "./output/yaml.ts"
import { nameResolver } from "./resolve-names.ts"

const intervalSecondsMax = 3600
/** Longest interval while the server is unavailable. */
const unavailableMillisMax = 60_000

const enterScreen = "\u001b[?1049h\u001b[?25l"
const leaveScreen = "\u001b[?25h\u001b[?1049l"
const home = "\u001b[H"
const clearRest = "\u001b[J"
const clearLine = "\u001b[K"

/**
 * Does not wait for offline devices, because they may never report again. A device counts for a release after its next
 * poll, so a selected release must be wanted by at least one device.
 */
const isDone = (body: unknown, digest: string | undefined): boolean =>
  (digest === undefined || numberAt(body, "item.installations.wanted") > 0) &&
  numberAt(body, "item.installations.behind") + numberAt(body, "item.installations.missing") === 0

const exitOf = (body: unknown): ExitCode => (numberAt(body, "item.installations.failed") === 0 ? exit.ok : exit.failure)

/** A status without the time at which it was computed, to notice a change. */
const withoutTime = (body: unknown): string => {
  const item = member(body, "item")
  return JSON.stringify(isObject(item) ? { ...item, generatedAt: null } : body)
}

/** A line for a pipe: the time, and the summary. */
const lineOf = (body: unknown): string =>
  escapeControls(`${textAt(body, "item.generatedAt") ?? "-"}  ${statusSummary(body)}`)

const render = (body: unknown, output: OutputOptions): string => {
  if (output.quiet) return statusSummary(body)
  if (output.format === "json" || output.format === "ndjson") return json(unwrap(body), false)
  if (output.format === "yaml") return `---\n${yaml(unwrap(body))}`
  return lineOf(body)
}

const queryOf = async (connection: Connection, { digest, member, pluginId, teamId }: WatchInvocation) => {
  const names = nameResolver(connection)
  const filters = { pluginId, digest, teamId, orgMembershipId: member }
  const query: Record<string, string> = {}
  for (const [name, value] of Object.entries(filters)) {
    if (value !== undefined) query[name] = await names.idOf("delivery.status", name, value)
  }
  return query
}

interface Display {
  readonly show: (body: unknown) => Promise<void>
  /** The server is not available. */
  readonly warn: (message: string) => Promise<void>
}

/** Prints the status when it changes. */
const lines = (io: Io, output: OutputOptions): Display => {
  let shown: string | undefined
  let isWarned = false
  return {
    show: async (body) => {
      isWarned = false
      if (withoutTime(body) === shown) return
      shown = withoutTime(body)
      if (!(await printSelected(io, unwrap(body), output))) await print(io, render(body, output))
    },
    warn: async (message) => {
      // Print this once, not at every attempt.
      if (!isWarned && !output.quiet) await notify(io, `orgplane: ${escapeControls(message)} Retrying.`)
      isWarned = true
    }
  }
}

/** Draws the status on the whole terminal. */
const screen = (io: Io, output: OutputOptions, footer: string): Display => {
  let body: unknown
  const draw = async (last: string) => {
    const [columns, rows] = [io.out.columns ?? 80, io.out.rows ?? 24]
    const text = body === undefined ? "" : deliveryStatus(body, { ...output, columns, now: io.now() })
    const shown = [...text.split("\n").slice(0, Math.max(1, rows - 2)), "", truncate(escapeControls(last), columns)]
    await io.out.write(`${home}${shown.map((each) => `${each}${clearLine}`).join("\r\n")}${clearRest}`)
  }
  return {
    show: async (next) => {
      body = next
      await draw(footer)
    },
    warn: (message) => draw(`${message} Retrying.`)
  }
}

export const watchDelivery = async (
  io: Io,
  globals: Globals,
  output: OutputOptions,
  invocation: WatchInvocation
): Promise<ExitCode> => {
  const { intervalSeconds, untilDone } = invocation
  if (!(intervalSeconds >= 1 && intervalSeconds <= intervalSecondsMax)) {
    throw usage(`--interval must be a number of seconds from 1 to ${intervalSecondsMax}.`)
  }
  const connection = await connectSignedIn(io, globals)
  const query = await queryOf(connection, invocation)
  const read = () => connection.send({ method: "GET", path: "/v1/delivery/status", query, body: undefined })

  // An error of the first request is not retried: the command line may be wrong.
  let body = await read()
  const isLive = output.terminal && output.format === undefined && output.selection === undefined && !output.quiet
  const watch = async (display: Display): Promise<ExitCode> => {
    let wait = intervalSeconds * 1000
    await display.show(body)
    for (;;) {
      if (untilDone && isDone(body, invocation.digest)) return exitOf(body)
      await io.sleep(wait)
      try {
        body = await read()
        wait = intervalSeconds * 1000
      } catch (error) {
        if (io.signal.aborted || !isTransient(error)) throw error
        await display.warn(describeFailure(error).message)
        wait = Math.max(wait, Math.min(unavailableMillisMax, wait * 2))
        continue
      }
      await display.show(body)
    }
  }
  if (!isLive) return watch(lines(io, output))
  await io.out.write(enterScreen)
  let code: ExitCode
  try {
    code = await watch(screen(io, output, `Press Ctrl+C to quit. Refreshes every ${intervalSeconds} s.`))
  } catch (error) {
    if (!(error instanceof Interrupted) && !io.signal.aborted) throw error
    code = untilDone ? exit.interrupted : exit.ok
  } finally {
    await io.out.write(leaveScreen)
  }
  // The screen is restored, so the last status is printed again.
  await print(io, deliveryStatus(body, output))
  return code
}
