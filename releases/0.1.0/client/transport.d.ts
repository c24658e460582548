import type { Call, CallResult } from "./call.js";
import { type ClientOptions } from "./client-options.js";
export type { CallResult } from "./call.js";
export { type ClientOptions, withoutLinkTokens } from "./client-options.js";
export interface RequestOptions {
    readonly signal?: AbortSignal | undefined;
    readonly timeoutMillis?: number | undefined;
    readonly idempotencyKey?: string | undefined;
    readonly ifMatch?: string | undefined;
    readonly ifNoneMatch?: string | undefined;
    readonly headers?: Readonly<Record<string, string>> | undefined;
    readonly retries?: number | undefined;
}
export interface RawOptions extends RequestOptions {
    readonly query?: Readonly<Record<string, QueryValue | ReadonlyArray<QueryValue> | undefined>> | undefined;
    readonly body?: unknown;
    readonly streams?: boolean | undefined;
}
type QueryValue = string | number | boolean;
export interface SentRequest {
    readonly method: string;
    readonly url: URL;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string | Uint8Array<ArrayBuffer> | undefined;
    readonly signal: AbortSignal;
}
type HeaderReader = Pick<Headers, "get">;
export interface ReceivedResponse<ResponseHeaders extends HeaderReader = Headers> extends Pick<Response, "arrayBuffer" | "body" | "status" | "text"> {
    readonly headers: ResponseHeaders;
}
export type Send<ResponseHeaders extends HeaderReader = Headers> = (request: SentRequest) => Promise<ReceivedResponse<ResponseHeaders>>;
interface Plan {
    readonly method: string;
    readonly path: string;
    readonly query?: RawOptions["query"];
    readonly body?: unknown;
    readonly idempotencyKey?: string | undefined;
    readonly reads?: boolean | undefined;
    readonly declaredFailure?: number | undefined;
    readonly member?: string | undefined;
    readonly paged?: boolean | undefined;
    readonly streams?: boolean | undefined;
    readonly options: RequestOptions;
}
export declare const sendWithFetch: (send?: (request: Request) => Promise<Response>) => Send;
export declare const makeTransport: <ResponseHeaders extends HeaderReader>(client: Omit<ClientOptions, "fetch">, send: Send<ResponseHeaders>) => {
    run: (plan: Plan) => Promise<CallResult<unknown, ResponseHeaders>>;
    request: <Data = unknown>(method: string, path: string, options?: RawOptions) => Call<Data, ResponseHeaders>;
};
export declare const operationWith: (run: (plan: Plan) => Promise<CallResult<unknown>>) => (name: string, route: string) => (...args: ReadonlyArray<unknown>) => Call<unknown, Headers> | import("./page.ts").List<unknown>;
