import type { Caller } from "@orgplane/schema/shared/caller"
import type { InvalidRequest } from "@orgplane/schema/shared/errors"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import type { Headers } from "effect/http/Headers"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { ByteSize } from "effect/ByteSize"
import type { ResponseState } from "../current-response.ts"

/** How requests to one endpoint are admitted without waiting. */
export interface EndpointAdmission {
  /**
   * The caller, if the credential is cached and nothing is refused. Otherwise undefined, without any effect: the request
   * must pass the `Authentication` middleware.
   */
  readonly admit: (state: ResponseState, headers: Headers, nowMillis: number) => Caller | undefined
  /** Rejects a body that would take long to parse; undefined if the body is small or absent. */
  readonly checkBody: (request: HttpServerRequest) => Effect.Effect<void, InvalidRequest> | undefined
  readonly bodySizeMax: ByteSize
}

/** Admits most requests without a fiber. The wing `identity` provides it, because it knows credentials. */
export class Admission extends Context.Service<
  Admission,
  (group: HttpApiGroup.Top, endpoint: HttpApiEndpoint.Top) => EndpointAdmission
>()("@orgplane/server/http/Admission") {}
