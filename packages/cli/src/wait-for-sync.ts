/** Waits for work on the server: syncs and discoveries. */
import { exit, type ExitCode } from "./exit-code.ts"
import { Failure } from "./failure.ts"
import { notify } from "./io.ts"
import { isObject, member, textAt } from "./output/value.ts"
import { startProgress } from "./progress.ts"
import { waitFor, type WaitOptions } from "./wait.ts"

const retryMillisMax = 30_000
const running = new Set(["queued", "running"])

const countLabels: ReadonlyArray<readonly [name: string, word: string]> = [
  ["filesScanned", "files scanned"],
  ["objectsCreated", "objects created"],
  ["objectsUpdated", "objects updated"],
  ["objectsDeleted", "objects deleted"],
  ["objectsUnchanged", "objects unchanged"],
  ["pluginsCreated", "plugins created"],
  ["filesAdded", "other files added"],
  ["filesChanged", "other files changed"],
  ["filesRemoved", "other files removed"]
]

/** `running: 12 files scanned, 4 objects created` */
export const describeSync = (event: unknown): string => {
  const counts = member(event, "counts")
  const parts = countLabels.flatMap(([name, word]) => {
    const count = member(counts, name)
    return typeof count === "number" && count > 0
      ? [`${count} ${count === 1 ? word.replace(/(file|object|plugin)s/, "$1") : word}`]
      : []
  })
  return `${textAt(event, "status") ?? "waiting"}${parts.length === 0 ? "" : `: ${parts.join(", ")}`}`
}

/** The fraction of files that a sync has read, from 0 to 1; undefined until it is known. */
const shareOf = (event: unknown): number | undefined => {
  const [done, total] = [member(event, "progress.done"), member(event, "progress.total")]
  return typeof done === "number" && typeof total === "number" && total > 0 ? Math.min(1, done / total) : undefined
}

/** The exit code of a command that waited for a sync. A sync held for approval has not imported anything. */
export const exitOfSync = (event: unknown): ExitCode => {
  switch (textAt(event, "status")) {
    case "failed":
    case "rejected":
      return exit.failure
    case "review_required":
      return exit.conflict
    default:
      return exit.ok
  }
}

/** Polls a sync event until it ends. Returns its last state. */
export const waitForSync = async (options: WaitOptions, initial: unknown): Promise<unknown> => {
  const { connection, io, quiet } = options
  const id = textAt(initial, "id") ?? ""
  const event = await waitFor(options, {
    initial,
    isRunning: (event) => running.has(textAt(event, "status") ?? ""),
    load: async () => {
      const path = `/v1/connector-sync-events/${encodeURIComponent(id)}`
      const event = member(await connection.send({ method: "GET", path, query: {}, body: undefined }), "item")
      if (isObject(event)) return event
      throw new Failure(exit.failure, "Unexpected response: the server did not return a sync event.")
    },
    describe: describeSync,
    shareOf,
    unfinished: "The sync is not finished",
    continues: `The sync continues on the server: orgplane connectors get-sync-event ${id}`
  })
  if (!quiet) await notify(io, `Sync ${describeSync(event)}`)
  if (!quiet && textAt(event, "status") === "review_required") {
    await notify(io, `The sync is held for approval: orgplane connectors approve-sync ${id}, or reject-sync`)
  }
  return event
}

const inProgress = (error: unknown) =>
  member(error, "status") === 503 && textAt(error, "body.error") === "discovery_in_progress"

/** Retries while the server is still reading the repository, at the interval it requests. */
export const retryUntilDiscovered = async (
  options: WaitOptions,
  send: () => Promise<unknown>,
  text = "Reading the repository"
): Promise<unknown> => {
  const { io } = options
  const deadline = io.now() + options.timeoutSeconds * 1000
  const progress = await startProgress(io, text, options.quiet)
  try {
    for (;;) {
      try {
        return await send()
      } catch (error) {
        if (!inProgress(error)) throw error
        const retryAfter = member(error, "retryAfterMillis")
        const wait = Math.min(retryMillisMax, Math.max(1_000, typeof retryAfter === "number" ? retryAfter : 2_000))
        if (io.now() + wait > deadline) {
          throw new Failure(
            exit.failure,
            `The server is still reading the repository after ${options.timeoutSeconds} s. Try again later.`
          )
        }
        await io.sleep(wait)
        await progress.update("Still reading the repository")
      }
    }
  } finally {
    await progress.stop()
  }
}
