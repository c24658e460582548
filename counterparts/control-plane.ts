/** A control plane that can send requests to counterparts on this machine. */
import * as Effect from "effect/Effect"
import { expect } from "vitest"
import { AuditChain } from "../packages/server/src/identity/audit/chain.ts"
import { start } from "../packages/server/src/start.ts"

export interface Workspace {
  /** A request of the owner. Checks that it succeeds. */
  // oxlint-disable-next-line typescript/no-explicit-any -- responses, checked by expect()
  readonly call: (method: string, path: string, body?: object) => Promise<any>
  /** Signs a checkpoint of all events now. By itself, the server signs one a minute after the first new event. */
  readonly sign: () => Promise<void>
  readonly close: () => Promise<void>
}

export const startWorkspace = async (): Promise<Workspace> => {
  const controlPlane = await start({
    database: { kind: "pglite", dataDir: "memory" },
    outbound: { allowHttp: true, allowCidrs: ["127.0.0.0/8"] }
  })
  let token = ""
  const call: Workspace["call"] = async (method, path, body) => {
    const response = await controlPlane.fetch(
      new Request(`http://localhost${path}`, {
        method,
        headers: { "content-type": "application/json", ...(token === "" ? {} : { authorization: `Bearer ${token}` }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
    )
    const text = await response.text()
    expect([path, response.status < 300 ? 200 : response.status, text]).toEqual([path, 200, text])
    return text === "" ? undefined : JSON.parse(text)
  }
  token = (await call("POST", "/v1/bootstrap/workspace", { workspaceName: "Acme" })).session.token
  const signed = Effect.flatMap(AuditChain, (chain) => Effect.andThen(chain.seal, chain.checkpoint(0)))
  return {
    call,
    sign: async () => void (await Effect.runPromise(Effect.provideContext(signed, controlPlane.services))),
    close: () => controlPlane.dispose()
  }
}
