import { type OrgplaneError } from "./errors.js";
export interface RequestEvent {
    readonly method: string;
    readonly url: URL;
    readonly headers: Readonly<Record<string, string>>;
    readonly attempt: number;
}
export interface ResponseEvent extends RequestEvent {
    readonly status: number;
    readonly requestId: string | undefined;
    readonly durationMillis: number;
}
export interface RetryEvent extends RequestEvent {
    readonly error: OrgplaneError;
    readonly delayMillis: number;
}
export interface ClientLogger {
    readonly debug: (message: string) => void;
    readonly warn: (message: string) => void;
}
export type Provided = string | (() => string | Promise<string>);
export interface ClientOptions {
    readonly baseUrl?: string | URL | undefined;
    readonly token?: Provided | null | undefined;
    readonly apiKey?: string | undefined;
    readonly organizationId?: string | undefined;
    readonly headers?: Readonly<Record<string, string>> | undefined;
    readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
    readonly timeoutMillis?: number | undefined;
    readonly retries?: number | undefined;
    readonly onRequest?: ((event: RequestEvent) => void) | undefined;
    readonly onResponse?: ((event: ResponseEvent) => void) | undefined;
    readonly onRetry?: ((event: RetryEvent) => void) | undefined;
    readonly onWarning?: ((message: string, event: ResponseEvent) => void) | undefined;
    readonly logger?: ClientLogger | undefined;
}
export declare const showWarning: (client: ClientOptions, message: string, event: ResponseEvent) => void;
export declare const withEnvironment: (options: ClientOptions) => ClientOptions;
export declare const rootOf: (baseUrl: string | URL | undefined) => URL;
export declare const credentialOf: ({ apiKey, token }: Pick<ClientOptions, "apiKey" | "token">) => (() => Promise<Readonly<Record<string, string>>>) | (() => Readonly<Record<string, string>>);
export declare const withoutSecrets: (headers: Readonly<Record<string, string>>) => Readonly<Record<string, string>>;
export declare const withoutLinkTokens: (text: string) => string;
export declare const userAgentOf: (version: string) => string | undefined;
