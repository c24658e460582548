/** The readiness of a server, with the components that have failed. */
import { isObject, member, textAt } from "../output/value.ts"

export interface FailedCheck {
  readonly check: string
  /** Null if the server is of an earlier release, which has no details. */
  readonly since: string | null
  readonly message: string
}

export interface Readiness {
  readonly status: string
  /** Also components without which the server can serve requests, such as `mail`. */
  readonly failed: ReadonlyArray<FailedCheck>
}

const failedIn = (details: ReadonlyArray<unknown>): ReadonlyArray<FailedCheck> =>
  details
    .filter((detail) => textAt(detail, "status") === "failed")
    .map((detail) => ({
      check: textAt(detail, "check") ?? "",
      since: textAt(detail, "since") ?? null,
      message: textAt(detail, "message") ?? ""
    }))

/** Reads the body of `GET /v1/ready`; undefined if it is of another program, such as a proxy. */
export const readinessOf = (body: unknown): Readiness | undefined => {
  const status = textAt(body, "status")
  const checks = member(body, "checks")
  if (status === undefined || !isObject(checks)) return undefined
  const details = member(body, "details")
  return {
    status,
    failed: Array.isArray(details)
      ? failedIn(details)
      : Object.entries(checks)
          .filter(([, result]) => result === "failed")
          .map(([check]) => ({ check, since: null, message: "" }))
  }
}
