import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, vi } from "vitest"
import { toNodeHandler } from "../../src/node-handler.ts"
import type { ControlPlaneOptions } from "../../src/infra/options.ts"
import { makeControlPlane, type Person, type TestPlane } from "../harness.ts"
import { releases } from "../setup/file-state.ts"

export const exampleRuntime = join(import.meta.dirname, "../../../../examples/worker-runtime.ts")
export const anyRuntime = join(import.meta.dirname, "worker-runtime.fixture.ts")

const pidIn = (place: string): number | undefined => {
  try {
    return (JSON.parse(readFileSync(join(place, "process.json"), "utf8")) as { pid: number }).pid
  } catch {
    return undefined
  }
}

/** Does nothing if the number now belongs to another process. */
const endProcess = (pid: number) => {
  try {
    if (pid === process.pid || !readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("runtime")) return
    process.kill(pid, "SIGKILL")
  } catch {
    // It has exited.
  }
}

/** A folder for runtimes; those still running after the tests are stopped with it. */
export const makeRuntimeFolder = (): string => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "orgplane-runtimes-")))
  // Vitest ignores hooks that are registered during a test. The control plane ends first, and restarts nothing.
  releases.push(() => {
    for (const name of readdirSync(folder)) {
      const pid = pidIn(join(folder, name))
      if (pid !== undefined) endProcess(pid)
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  return folder
}

/** A listening control plane, which its runtimes call, with this command as their program. */
export const makeProviding = async (
  command: ReadonlyArray<string>,
  options: Partial<ControlPlaneOptions> = {},
  folder = makeRuntimeFolder()
): Promise<{ readonly plane: TestPlane; readonly folder: string }> => {
  let handle: ReturnType<typeof toNodeHandler> | undefined
  const server = createServer((request, response) => handle?.(request, response))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const plane = await makeControlPlane({
    workerHeartbeatSeconds: 1,
    hosts: ["127.0.0.1"],
    provisioner: { command, directory: folder, environment: { PATH: "/usr/bin:/bin" }, controlPlaneUrl: baseUrl },
    ...options
  })
  handle = toNodeHandler(plane)
  releases.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { plane, folder }
}

export const placesIn = (folder: string): ReadonlyArray<string> => readdirSync(folder).map((name) => join(folder, name))

export const pidOf = (place: string): number => {
  const pid = pidIn(place)
  if (pid === undefined) throw new Error(`Nothing runs in ${place}.`)
  return pid
}

/** Whether a process runs; a zombie does not count. */
export const isAlive = (pid: number): boolean => {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, "utf8")
    return !line.slice(line.lastIndexOf(")") + 2).startsWith("Z")
  } catch {
    return false
  }
}

export const makeCloudWorker = async (person: Person, name = "In the cloud") => {
  const result = await person.call("POST", "/v1/workers", { name, destination: "cloud" })
  expect([result.status, result.body.token]).toEqual([201, null])
  return { id: result.body.worker.id as string, path: `/v1/workers/${result.body.worker.id}` }
}

/** Polls a worker until it matches. */
export const becomes = (
  person: Person,
  path: string,
  wanted: { readonly worker?: object; readonly instance?: object }
) =>
  vi.waitFor(
    async () => {
      const { body } = await person.call("GET", path)
      expect(body).toMatchObject(wanted)
      return body
    },
    { timeout: 90_000, interval: 200 }
  )
