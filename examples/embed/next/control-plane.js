import { ControlPlane } from "@orgplane/server"

export const pathPrefix = "/orgplane"

const { DATABASE_URL, DATA_DIR } = process.env
const make = () =>
  ControlPlane.make({
    database:
      DATABASE_URL === undefined ? ControlPlane.pglite(DATA_DIR ?? "memory") : ControlPlane.postgres(DATABASE_URL),
    pathPrefix
  })

/**
 * The control plane of this process. Hot reload runs this file again, and a data directory has one control plane at a time,
 * so it is kept outside the module.
 */
export const controlPlane = (globalThis[Symbol.for("host.controlPlane")] ??= make())
