/** Waits until a new worker is running. */
import { exit, type ExitCode } from "./exit-code.ts"
import { Failure, Interrupted } from "./failure.ts"
import { notify } from "./io.ts"
import { isObject, textAt } from "./output/value.ts"
import { startProgress } from "./progress.ts"
import type { WatchOptions } from "./wait-for-sync.ts"

const firstPollMillis = 500
const pollMillisMax = 4_000

/** `provisioning: the runtime ended by itself` */
const describe = (body: unknown): string => {
  const [status, reason] = [textAt(body, "worker.status") ?? "unknown", textAt(body, "worker.statusReason")]
  return reason === undefined ? status : `${status}: ${reason}`
}

/** The exit code of a command that waited for a worker. */
export const exitOfWorker = (body: unknown): ExitCode =>
  textAt(body, "worker.status") === "healthy" ? exit.ok : exit.failure

/** Polls a new worker until it is no longer provisioning. Returns its last state. */
export const watchWorker = async (options: WatchOptions, created: unknown): Promise<unknown> => {
  const { connection, io } = options
  const id = textAt(created, "worker.id") ?? ""
  const deadline = io.now() + options.timeoutSeconds * 1000
  const progress = await startProgress(io, describe(created), options.quiet)
  let body = created
  try {
    for (
      let wait = firstPollMillis;
      textAt(body, "worker.status") === "provisioning";
      wait = Math.min(wait * 1.5, pollMillisMax)
    ) {
      if (io.now() + wait > deadline) {
        throw new Failure(
          exit.failure,
          `The worker is not ready after ${options.timeoutSeconds} s. It is still being provisioned: orgplane workers get ${id}`
        )
      }
      await io.sleep(wait)
      const path = `/v1/workers/${encodeURIComponent(id)}`
      const response = await connection.send({ method: "GET", path, query: {}, body: undefined })
      if (!isObject(response))
        throw new Failure(exit.failure, "Unexpected response: the server did not return a worker.")
      body = { ...response, token: null }
      await progress.update(describe(body))
    }
  } catch (error) {
    await progress.stop()
    if (error instanceof Interrupted)
      await notify(io, `The worker is still being provisioned: orgplane workers get ${id}`)
    throw error
  }
  await progress.stop()
  if (!options.quiet) await notify(io, `Worker ${describe(body)}`)
  return body
}
