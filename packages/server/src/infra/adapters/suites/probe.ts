/** Checks a configured suite without an account: its API, and the OAuth app at its token endpoint. */
import type { Suite } from "@orgplane/schema/capabilities"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Outbound } from "../../ports/outbound.ts"
import type { SuiteSettings } from "../../ports/suites.ts"
import { baseOf, jsonOf } from "./ask.ts"
import { signInOf } from "./configuration.ts"

/** Identifies no object and no token. */
const probeId = "orgplane-check-config"
const timeoutMillis = 10_000
const bodyBytesMax = 65_536

const paths: Readonly<Record<Suite, string>> = {
  "suite-a": `/me/messages/${probeId}`,
  "suite-b": `/calendars/primary/events/${probeId}`
}

/** The status with which the API responds to a request without a token. */
export const probeSuiteApi = (suite: Suite, settings: SuiteSettings) =>
  Effect.gen(function* () {
    const outbound = yield* Outbound
    const { status } = yield* outbound.request({
      destination: "configured",
      url: baseOf(settings.url) + paths[suite],
      headers: { accept: "application/json", "user-agent": "orgplane" },
      redirectsMax: 0,
      timeoutMillis,
      bodyBytesMax
    })
    return status
  })

/** `rejected`: the endpoint knows no such client, or the secret is wrong. */
export type TokenEndpointResult =
  | { readonly kind: "accepted" }
  | { readonly kind: "rejected"; readonly error: "invalid_client" | "unauthorized_client" }
  | { readonly kind: "unexpected"; readonly status: number }

/** How the token endpoint responds to an invalid refresh token of the app, sent as the server sends valid ones. */
export const probeSuiteTokenEndpoint = (suite: Suite, settings: SuiteSettings) =>
  Effect.gen(function* () {
    const outbound = yield* Outbound
    const { clientId, clientSecret, tokenUrl } = signInOf(suite, settings)
    const response = yield* outbound.request({
      destination: "configured",
      url: tokenUrl,
      method: "POST",
      headers: {
        accept: "application/json",
        "content-type": "application/x-www-form-urlencoded",
        "user-agent": "orgplane"
      },
      body: new URLSearchParams({
        grant_type: "refresh_token",
        refresh_token: probeId,
        client_id: clientId,
        ...(clientSecret === null ? {} : { client_secret: Redacted.value(clientSecret) })
      }).toString(),
      redirectsMax: 0,
      timeoutMillis,
      bodyBytesMax
    })
    const json = jsonOf(response)
    const error = typeof json === "object" && json !== null && "error" in json ? json.error : undefined
    const { status } = response
    if (typeof error !== "string" || status < 400 || status > 499) {
      return { kind: "unexpected", status } satisfies TokenEndpointResult
    }
    return error === "invalid_client" || error === "unauthorized_client"
      ? ({ kind: "rejected", error } satisfies TokenEndpointResult)
      : ({ kind: "accepted" } satisfies TokenEndpointResult)
  })
