/** The operations of a running server for the commands `backup`, `rotate-keys` and `support-bundle` of the operator. */
import * as Effect from "effect/Effect"
import { resolve } from "node:path"
import { listenForOperator, refuse, type Respond } from "../../infra/operator-channel/index.ts"
import type { ControlPlaneOptions } from "../../infra/options.ts"
import { backupPath, backupResponder } from "../backup/index.ts"
import { keysPath, keysResponder } from "../reseal/serve.ts"
import { statePath, stateResponder } from "../support-bundle/serve.ts"

/** Listens in the data directory. Other databases have none. */
export const serveOperator = Effect.fnUntraced(function* (options: ControlPlaneOptions) {
  const { database } = options
  if (database.kind !== "pglite" || database.dataDir === "memory") return
  const backup = yield* backupResponder(options)
  const keys = yield* keysResponder(options)
  const state = yield* stateResponder(options)
  let isRunning = false
  const respond: Respond = async (request, response, signal) => {
    const { pathname } = new URL(request.url ?? "/", "http://operator")
    // A support bundle explains a backup that does not end.
    if (request.method === "POST" && pathname === statePath) return state(request, response, signal)
    const operation = pathname === backupPath ? backup : pathname === keysPath ? keys : undefined
    if (request.method !== "POST" || operation === undefined) return refuse(response, 404, "Unknown operation.")
    // The key file in a backup must have the keys of its copy of the database.
    if (isRunning) {
      return refuse(
        response,
        409,
        "Another backup or rotation of keys of this data directory is running. Wait until it ends."
      )
    }
    isRunning = true
    try {
      await operation(request, response, signal)
    } finally {
      isRunning = false
    }
  }
  yield* listenForOperator(resolve(database.dataDir), respond)
})
