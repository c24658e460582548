/** A control plane that can send requests to counterparts on this machine. */
import { expect } from "vitest"
import { ControlPlane } from "../packages/server/src/index.ts"

export interface Workspace {
  /** A request of the owner. Checks that it succeeds. */
  // oxlint-disable-next-line typescript/no-explicit-any -- responses, checked by expect()
  readonly call: (method: string, path: string, body?: object) => Promise<any>
  readonly close: () => Promise<void>
}

export const startWorkspace = async (): Promise<Workspace> => {
  const controlPlane = await ControlPlane.make({
    database: ControlPlane.pglite("memory"),
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
  return { call, close: () => controlPlane.dispose() }
}
