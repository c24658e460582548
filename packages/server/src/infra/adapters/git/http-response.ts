import type { CodeHostFailed } from "../../ports/code-host.ts"
import type { OutboundMetadata } from "../../ports/outbound.ts"
import { failed } from "./failure.ts"

const retryAfterOf = (headers: Readonly<Record<string, string>>): number | undefined => {
  const seconds = headers["retry-after"]
  return seconds !== undefined && /^\d{1,6}$/.test(seconds) ? Number(seconds) * 1000 : undefined
}

const retryDefaultMillis = 60_000

/**
 * The failure that a response's status and headers indicate; undefined if the response may be from a git server. The
 * body is never quoted, because it is untrusted text.
 */
export const refusalOf = (
  response: OutboundMetadata,
  hasCredential: boolean,
  contentType: string
): CodeHostFailed | undefined => {
  const { status, headers } = response
  const retryAfter = retryAfterOf(headers)
  if (status === 429 || (status === 403 && (retryAfter !== undefined || headers["x-ratelimit-remaining"] === "0"))) {
    return failed("rate_limited", "The code host's rate limit is exceeded.", retryAfter ?? retryDefaultMillis)
  }
  if (status === 401 || status === 403) {
    return failed(
      "unauthorized",
      hasCredential ? "The code host rejected the credential." : "The code host requires a credential."
    )
  }
  if (status === 404 || status === 410) {
    return hasCredential
      ? failed("unauthorized", "The repository does not exist, or the credential has no access to it.")
      : failed("not_a_repository", "The repository does not exist, or it is private and requires a credential.")
  }
  if (status >= 300 && status < 400) {
    return failed(
      "not_a_repository",
      "The URL redirects, and redirects are not followed. Use the URL that it redirects to."
    )
  }
  if (status >= 500) return failed("unreachable", `The code host responded with status ${status}.`, retryAfter)
  if (status !== 200)
    return failed("not_a_repository", `The URL responded with status ${status}. It does not point to a git repository.`)
  const actual = (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase()
  if (actual !== contentType) return failed("not_a_repository", "The URL does not point to a git repository.")
  return undefined
}
