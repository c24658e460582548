/** Waits until a new worker is running. */
import { exit, type ExitCode } from "./exit-code.ts"
import { Failure } from "./failure.ts"
import { notify } from "./io.ts"
import { isObject, textAt } from "./output/value.ts"
import { waitFor, type WaitOptions } from "./wait.ts"

/** `provisioning: the runtime exited` */
const describe = (body: unknown): string => {
  const [status, reason] = [textAt(body, "worker.status") ?? "unknown", textAt(body, "worker.statusReason")]
  return reason === undefined ? status : `${status}: ${reason}`
}

/** The exit code of a command that waited for a worker. */
export const exitOfWorker = (body: unknown): ExitCode =>
  textAt(body, "worker.status") === "healthy" ? exit.ok : exit.failure

/** Polls a new worker until it and its runtime have started, or have failed. Returns its last state. */
export const waitForWorker = async (options: WaitOptions, initial: unknown): Promise<unknown> => {
  const { connection, io, quiet } = options
  const id = textAt(initial, "worker.id") ?? ""
  const body = await waitFor(options, {
    initial,
    // The first heartbeat can arrive before the server has recorded that the runtime has started.
    isRunning: (body) => {
      const status = textAt(body, "worker.status")
      return status === "provisioning" || (status === "healthy" && textAt(body, "instance.status") === "starting")
    },
    load: async () => {
      const path = `/v1/workers/${encodeURIComponent(id)}`
      const response = await connection.send({ method: "GET", path, query: {}, body: undefined })
      if (!isObject(response))
        throw new Failure(exit.failure, "Unexpected response: the server did not return a worker.")
      return { ...response, token: null }
    },
    describe,
    unfinished: "The worker is not ready",
    continues: `The worker is still being provisioned: orgplane workers get ${id}`
  })
  if (!quiet) await notify(io, `Worker ${describe(body)}`)
  return body
}
