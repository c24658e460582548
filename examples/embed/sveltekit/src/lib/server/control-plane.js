import { ControlPlane } from "@orgplane/server"

export const pathPrefix = "/orgplane"

const { DATABASE_URL, DATA_DIR } = process.env
const make = () =>
  ControlPlane.make({
    database:
      DATABASE_URL === undefined ? ControlPlane.pglite(DATA_DIR ?? "memory") : ControlPlane.postgres(DATABASE_URL),
    pathPrefix
  })

/** The control plane of this process. It is kept outside the module, because hot reload runs this file again. */
export const controlPlane = (globalThis[Symbol.for("host.controlPlane")] ??= make())

// The adapter for Node.js emits this when all requests are finished.
process.once("sveltekit:shutdown", async () => (await controlPlane).dispose())
