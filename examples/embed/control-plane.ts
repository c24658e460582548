/** The control plane that the recipes in this folder embed, and the code that does not depend on the framework. */
import { createEmbeddedClient } from "@orgplane/client/embedded"
import { ControlPlane } from "@orgplane/server"

export const pathPrefix = "/orgplane"

/**
 * Starts the control plane. The data is in `DATABASE_URL`, in the directory `DATA_DIR`, or in memory. With `DATABASE_URL`,
 * set `SECRET_KEYS` to a comma-separated list of keys, newest first.
 */
export const makeControlPlane = () => {
  const { DATABASE_URL, DATA_DIR, SECRET_KEYS } = process.env
  return ControlPlane.make({
    database:
      DATABASE_URL === undefined ? ControlPlane.pglite(DATA_DIR ?? "memory") : ControlPlane.postgres(DATABASE_URL),
    ...(SECRET_KEYS === undefined ? {} : { secretKeys: SECRET_KEYS.split(",") }),
    pathPrefix,
    // The reverse proxy on this machine. Its `x-forwarded-for` header has the address of the caller.
    trustedProxies: ["127.0.0.1"]
  })
}

/** A function of the host: the names of the plugins that the caller can see, without a request over the network. */
export const pluginNames = async (
  controlPlane: ControlPlane.ControlPlane,
  authorization: string | null | undefined
): Promise<ReadonlyArray<string>> => {
  const token = /^Bearer (.+)$/u.exec(authorization ?? "")?.[1]
  if (token === undefined) return []
  const plugins = await createEmbeddedClient(controlPlane, { token }).plugins.list().take(100)
  return plugins.map(({ name }) => name)
}

/** The port that the recipe listens on. Default: 3000. */
export const port = Number(process.env["PORT"] ?? 3000)

/** Runs the function once, when the process receives a signal to stop. */
export const onShutdown = (shutdown: () => Promise<void>): void => {
  let stopping: Promise<void> | undefined
  const stop = () => {
    stopping ??= shutdown().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error)
        process.exit(1)
      }
    )
  }
  process.once("SIGTERM", stop)
  process.once("SIGINT", stop)
}
