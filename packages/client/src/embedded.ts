/** The client for a control plane in the same process. Requests do not use a socket. */
import type { ClientOptions } from "./client-options.ts"
import { clientOf, type OrgplaneClient } from "./create.ts"

export * from "./index.ts"

/** The part of a `ControlPlane` from `@orgplane/server` that the client uses. */
export interface EmbeddedControlPlane {
  readonly fetch: (request: Request, peer?: { readonly remoteAddress?: string }) => Promise<Response>
  /** The prefix of all its paths. */
  readonly pathPrefix?: "" | `/${string}` | undefined
}

/** Options of an embedded client. It does not read the environment variables for remote clients. */
export interface EmbeddedOptions extends Omit<ClientOptions, "baseUrl" | "fetch"> {
  /** The prefix of all paths. Default: the control plane's `pathPrefix`. */
  readonly pathPrefix?: "" | `/${string}` | undefined
  /** The caller's IP address, for rate limits and the audit log. Default: none. */
  readonly remoteAddress?: string | undefined
}

/**
 * Creates a client for a control plane in this process.
 *
 * ```ts
 * const controlPlane = await ControlPlane.make({ database: ControlPlane.pglite("memory") })
 * const { session } = await createEmbeddedClient(controlPlane).bootstrap.workspace({ workspaceName: "Acme" })
 * const client = createEmbeddedClient(controlPlane, { token: session.token })
 * ```
 */
export const createEmbeddedClient = (
  controlPlane: EmbeddedControlPlane,
  { pathPrefix = controlPlane.pathPrefix ?? "", remoteAddress, ...options }: EmbeddedOptions = {}
): OrgplaneClient =>
  clientOf({
    ...options,
    baseUrl: `http://localhost${pathPrefix}`,
    fetch: (request) => controlPlane.fetch(request, remoteAddress === undefined ? undefined : { remoteAddress })
  })
