import type { Call } from "./call.js";
import type { RawOptions } from "./transport.js";
export interface TrackedDimension {
    readonly type: string;
    readonly value?: string | undefined;
    readonly label?: string | undefined;
    readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}
export interface TrackedEvent {
    readonly type: string;
    readonly timestamp?: Date | string | undefined;
    readonly source?: "app" | "worker" | undefined;
    readonly sessionId?: string | undefined;
    readonly durationMs?: number | undefined;
    readonly success?: boolean | undefined;
    readonly dimensions?: ReadonlyArray<TrackedDimension> | undefined;
    readonly id?: string | undefined;
}
export type TelemetryDropReason = "queue_full" | "type_unknown" | "malformed" | "refused" | "disposed" | "undelivered";
export interface TelemetryOptions {
    readonly source: "app" | "worker";
    readonly sessionId?: string | undefined;
    readonly flushMillis?: number | undefined;
    readonly batchMax?: number | undefined;
    readonly queueMax?: number | undefined;
    readonly queueCharactersMax?: number | undefined;
    readonly disposeMillis?: number | undefined;
    readonly beforeExit?: boolean | undefined;
    readonly signals?: ReadonlyArray<string> | undefined;
    readonly onDrop?: ((drop: {
        readonly reason: TelemetryDropReason;
        readonly events: number;
    }) => void) | undefined;
    readonly onError?: ((error: unknown) => void) | undefined;
    readonly now?: (() => number) | undefined;
}
export interface Telemetry extends AsyncDisposable {
    readonly track: (event: TrackedEvent) => void;
    readonly flush: () => Promise<boolean>;
    readonly dispose: () => Promise<void>;
    readonly queued: number;
    readonly sent: number;
    readonly dropped: number;
    readonly fieldsRemoved: number;
}
export interface TelemetryClient {
    readonly request: <Data = unknown>(method: string, path: string, options?: RawOptions) => Call<Data>;
}
