/** Waits until a new worker is running. */
import { exit, type ExitCode, Failure, Interrupted } from "./failure.ts"
import { say } from "./io.ts"
import { isObject, textAt } from "./output/cell.ts"
import { startProgress } from "./progress.ts"
import type { Watch } from "./watch.ts"

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
export const watchWorker = async (watch: Watch, made: unknown): Promise<unknown> => {
  const { connection, io } = watch
  const id = textAt(made, "worker.id") ?? ""
  const deadline = io.now() + watch.timeoutSeconds * 1000
  const progress = await startProgress(io, describe(made), watch.quiet)
  let body = made
  try {
    for (
      let wait = firstPollMillis;
      textAt(body, "worker.status") === "provisioning";
      wait = Math.min(wait * 1.5, pollMillisMax)
    ) {
      if (io.now() + wait > deadline) {
        throw new Failure(
          exit.failure,
          `The worker is not ready after ${watch.timeoutSeconds} s. It is still being provisioned: orgplane workers get ${id}`
        )
      }
      await io.sleep(wait)
      const path = `/v1/workers/${encodeURIComponent(id)}`
      const responded = await connection.send({ method: "GET", path, query: {}, body: undefined })
      if (!isObject(responded))
        throw new Failure(exit.failure, "Unexpected response: the server did not return a worker.")
      body = { ...responded, token: null }
      await progress.update(describe(body))
    }
  } catch (error) {
    await progress.stop()
    if (error instanceof Interrupted) await say(io, `The worker is still being provisioned: orgplane workers get ${id}`)
    throw error
  }
  await progress.stop()
  if (!watch.quiet) await say(io, `Worker ${describe(body)}`)
  return body
}
