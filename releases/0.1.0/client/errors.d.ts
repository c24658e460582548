import type { ErrorCode, ForbiddenReason, McpDiagnostic, McpInspection } from "./generated/types.js";
export interface InvalidDetail {
    readonly message: string;
    readonly path: ReadonlyArray<string | number>;
    readonly code?: string;
}
export interface Failure {
    readonly code: string;
    readonly message: string;
    readonly status?: number | undefined;
    readonly requestId?: string | undefined;
    readonly body?: unknown;
    readonly retryAfterMillis?: number | undefined;
    readonly challenge?: string | undefined;
    readonly cause?: unknown;
}
export declare class OrgplaneError extends Error {
    readonly name: string;
    readonly code: ErrorCode | (string & {});
    readonly status: number | undefined;
    readonly requestId: string | undefined;
    readonly body: unknown;
    constructor(failure: Failure);
}
export declare class InvalidRequestError extends OrgplaneError {
    readonly name = "InvalidRequestError";
    readonly details: ReadonlyArray<InvalidDetail>;
    constructor(failure: Failure);
}
export declare class UnauthorizedError extends OrgplaneError {
    readonly name = "UnauthorizedError";
    readonly credential: "missing" | "invalid" | undefined;
    constructor(failure: Failure);
}
export declare class PlanRequiredError extends OrgplaneError {
    readonly name = "PlanRequiredError";
    readonly feature: string;
    constructor(failure: Failure);
}
export declare class ForbiddenError extends OrgplaneError {
    readonly name = "ForbiddenError";
    readonly reason: ForbiddenReason | (string & {});
    constructor(failure: Failure);
}
export declare class NotFoundError extends OrgplaneError {
    readonly name = "NotFoundError";
}
export declare class ConflictError extends OrgplaneError {
    readonly name = "ConflictError";
}
export declare class PreconditionFailedError extends OrgplaneError {
    readonly name = "PreconditionFailedError";
}
export declare class PayloadTooLargeError extends OrgplaneError {
    readonly name = "PayloadTooLargeError";
}
export declare class RateLimitedError extends OrgplaneError {
    readonly name = "RateLimitedError";
    readonly retryAfterMillis: number | undefined;
    constructor(failure: Failure);
}
export declare class ServerError extends OrgplaneError {
    readonly name = "ServerError";
    readonly retryAfterMillis: number | undefined;
    readonly diagnostic: McpDiagnostic | undefined;
    readonly inspection: McpInspection | undefined;
    constructor(failure: Failure);
}
export declare class ConnectionError extends OrgplaneError {
    readonly name = "ConnectionError";
}
export declare class TimeoutError extends OrgplaneError {
    readonly name = "TimeoutError";
}
export declare class AbortedError extends OrgplaneError {
    readonly name = "AbortedError";
}
export declare class NotModifiedError extends OrgplaneError {
    readonly name = "NotModifiedError";
}
export declare const codeOf: (body: unknown) => string | undefined;
export declare const errorOf: (status: number, body: unknown, requestId: string | undefined, retryAfterMillis: number | undefined, challenge?: string) => OrgplaneError;
