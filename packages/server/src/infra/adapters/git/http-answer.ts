import type { CodeHostFailed } from "../../ports/code-host.ts"
import type { OutboundHead } from "../../ports/outbound.ts"
import { failed } from "./failure.ts"

const retryAfterOf = (headers: Readonly<Record<string, string>>): number | undefined => {
  const seconds = headers["retry-after"]
  return seconds !== undefined && /^\d{1,6}$/.test(seconds) ? Number(seconds) * 1000 : undefined
}

const retryDefaultMillis = 60_000

/** What an answer's head alone says; undefined when it may be git. Its body is never quoted: it is a stranger's text. */
export const refusalOf = (
  head: OutboundHead,
  hasCredential: boolean,
  contentType: string
): CodeHostFailed | undefined => {
  const { status, headers } = head
  const retryAfter = retryAfterOf(headers)
  if (status === 429 || (status === 403 && (retryAfter !== undefined || headers["x-ratelimit-remaining"] === "0"))) {
    return failed("rate_limited", "The code host asks to slow down.", retryAfter ?? retryDefaultMillis)
  }
  if (status === 401 || status === 403) {
    return failed(
      "unauthorized",
      hasCredential ? "The code host refused the credential." : "The code host asks for a credential."
    )
  }
  if (status === 404 || status === 410) {
    return hasCredential
      ? failed("unauthorized", "There is no such repository, or the credential may not see it.")
      : failed("not_a_repository", "There is no such repository, or it is private and needs a credential.")
  }
  if (status >= 300 && status < 400) {
    return failed(
      "not_a_repository",
      "The address redirects, and redirects are not followed: use the address it leads to."
    )
  }
  if (status >= 500) return failed("unreachable", `The code host answered with status ${status}.`, retryAfter)
  if (status !== 200)
    return failed("not_a_repository", `The address answered with status ${status}, not as a git repository does.`)
  const actual = (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase()
  if (actual !== contentType) return failed("not_a_repository", "The address does not answer as a git repository does.")
  return undefined
}
