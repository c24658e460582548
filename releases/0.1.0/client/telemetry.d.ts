import type { Telemetry, TelemetryClient, TelemetryOptions } from "./telemetry-api.js";
export declare const createTelemetry: (client: TelemetryClient, options: TelemetryOptions) => Telemetry;
