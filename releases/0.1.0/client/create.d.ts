import type { Call } from "./call.js";
import type { ClientOptions } from "./client-options.js";
import { type Operations } from "./generated/operations.js";
import { type RawOptions } from "./transport.js";
export interface OrgplaneClient extends Operations {
    readonly request: <Data = unknown>(method: string, path: string, options?: RawOptions) => Call<Data>;
    readonly withOptions: (options: ClientOptions) => OrgplaneClient;
}
export declare const clientOf: (options: ClientOptions) => OrgplaneClient;
