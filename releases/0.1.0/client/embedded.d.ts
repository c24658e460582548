import type { ClientOptions } from "./client-options.js";
import { type OrgplaneClient } from "./create.js";
export * from "./index.js";
export interface EmbeddedControlPlane {
    readonly fetch: (request: Request, peer?: {
        readonly remoteAddress?: string;
    }) => Promise<Response>;
    readonly pathPrefix?: "" | `/${string}` | undefined;
}
export interface EmbeddedOptions extends Omit<ClientOptions, "baseUrl" | "fetch"> {
    readonly pathPrefix?: "" | `/${string}` | undefined;
    readonly remoteAddress?: string | undefined;
}
export declare const createEmbeddedClient: (controlPlane: EmbeddedControlPlane, { pathPrefix, remoteAddress, ...options }?: EmbeddedOptions) => OrgplaneClient;
