/**
 * Code that was written for the client of the last release must compile with this one. The type check compares them; an
 * error here is a breaking change of the client's types. To accept it in a major release, record the new release.
 */
import type * as released from "../../releases/0.1.0/client/index.js"
import type * as releasedEmbedded from "../../releases/0.1.0/client/embedded.js"
import * as embedded from "../../packages/client/src/embedded.ts"
import * as current from "../../packages/client/src/index.ts"

export type * from "../../releases/0.1.0/client/exported-types.ts"

/** `routes` is exported only as a type. */
type Values<Module> = Omit<Module, "routes">

/** Every exported value, with all operations: their parameters accept what they accepted, and results still fit. */
export const values: Values<typeof released> = current
export const embeddedValues: Values<typeof releasedEmbedded> = embedded

/** What an application passes to the client. */
export const options = (value: released.ClientOptions): current.ClientOptions => value
export const requestOptions = (value: released.RequestOptions): current.RequestOptions => value
export const telemetryOptions = (value: released.TelemetryOptions): current.TelemetryOptions => value
