/** Commit statuses of the hosts whose API can be recognized: GitHub, Gitea with Forgejo, and GitLab. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { BoundedMap } from "../../bounded-map.ts"
import type { CommitStatus, Repository } from "../../ports/code-host.ts"
import type { Outbound, OutboundRequest, OutboundResponse } from "../../ports/outbound.ts"
import { failed, ofOutbound } from "./failure.ts"
import { isSha } from "./objects.ts"
import { noSuchRevision } from "./snapshot-reader.ts"

type OutboundService = Outbound["Service"]

interface HostApi {
  readonly kind: "github" | "gitea" | "gitlab"
  /** The URL of the API, without a final slash. */
  readonly url: string
}

interface CachedApi {
  readonly api: HostApi | null
  readonly until: number
}

const timeoutMillis = 15_000
const bodyBytesMax = 64 * 1024
const hostsMax = 1000
const cachedMillis = 3_600_000
/** The response of Gitea and Forgejo to every anonymous request if they require users to sign in. */
const giteaSignIn = "Only signed in user is allowed to call APIs."

const jsonOf = ({ body }: OutboundResponse): unknown => {
  try {
    return JSON.parse(Buffer.from(body).toString("utf8"))
  } catch {
    return undefined
  }
}

const textOf = (json: unknown, name: string): string | undefined => {
  const value: unknown = typeof json === "object" && json !== null ? Reflect.get(json, name) : undefined
  return typeof value === "string" ? value : undefined
}

/** The failure of a status code with which the host may respond only for a while. */
const failureOf = (status: number) =>
  status >= 500
    ? failed("unreachable", "The code host failed with an internal error.")
    : status === 429
      ? failed("rate_limited", "The code host's rate limit is exceeded.")
      : undefined

/** The path segments of a repository, decoded. `normalizeRemote` has rejected those that cannot be decoded. */
const segmentsOf = (url: URL): ReadonlyArray<string> =>
  url.pathname
    .split("/")
    .filter((part) => part !== "")
    .map((part) => decodeURIComponent(part))

const encoded = (segments: ReadonlyArray<string>) => segments.map(encodeURIComponent).join("/")

/** Creates the function that sets a commit status; it returns false if the host is not recognized. */
export const makeCommitStatuses = (outbound: OutboundService) => {
  const apis = new BoundedMap<string, CachedApi>(hostsMax)

  const exchange = (repository: Repository, request: Omit<OutboundRequest, "destination" | "organizationId">) =>
    outbound.request({
      destination: repository.destination ?? "supplied",
      organizationId: repository.organizationId,
      redirectsMax: 0,
      timeoutMillis,
      bodyBytesMax,
      ...request
    })

  /** The response of a probe, which is sent without the credential; undefined if it cannot be one of the API. */
  const probe = Effect.fnUntraced(function* (repository: Repository, url: string) {
    const sent = yield* Effect.result(
      exchange(repository, { url, headers: { accept: "application/json", "user-agent": "orgplane" } })
    )
    if (sent._tag === "Failure") {
      // Hosts answer unknown paths with a redirect to the sign-in page, or with a long page.
      const { code } = sent.failure
      return code === "too_many_redirects" || code === "too_large" ? undefined : yield* ofOutbound(sent.failure)
    }
    const failure = failureOf(sent.success.status)
    if (failure !== undefined) return yield* failure
    return { status: sent.success.status, json: jsonOf(sent.success) }
  })

  const detect = Effect.fnUntraced(function* (repository: Repository, url: URL) {
    if (url.host === "github.com") return { kind: "github", url: "https://api.github.com" } satisfies HostApi
    // Gitea can be served below a path.
    const base = [url.origin, ...segmentsOf(url).slice(0, -2).map(encodeURIComponent)].join("/")
    const gitea = yield* probe(repository, `${base}/api/v1/version`)
    const isGitea =
      (gitea?.status === 200 && textOf(gitea.json, "version") !== undefined) ||
      (gitea?.status === 403 && textOf(gitea.json, "message") === giteaSignIn)
    if (isGitea) return { kind: "gitea", url: `${base}/api/v1` } satisfies HostApi
    const gitlab = yield* probe(repository, `${url.origin}/api/v4/version`)
    const isGitlab =
      (gitlab?.status === 200 && textOf(gitlab.json, "revision") !== undefined) ||
      (gitlab?.status === 401 && textOf(gitlab.json, "message") === "401 Unauthorized")
    if (isGitlab) return { kind: "gitlab", url: `${url.origin}/api/v4` } satisfies HostApi
    const github = yield* probe(repository, `${url.origin}/api/v3/meta`)
    return github?.status === 200 && textOf(github.json, "installed_version") !== undefined
      ? ({ kind: "github", url: `${url.origin}/api/v3` } satisfies HostApi)
      : null
  })

  const apiOf = Effect.fnUntraced(function* (repository: Repository, url: URL) {
    const key = `${repository.organizationId} ${url.origin}/${segmentsOf(url).slice(0, -2).join("/")}`
    const now = yield* Clock.currentTimeMillis
    const cached = apis.get(key)
    if (cached !== undefined && cached.until > now) return cached.api
    const api = yield* detect(repository, url)
    apis.set(key, { api, until: now + cachedMillis })
    return api
  })

  const requestFor = ({ kind, url: base }: HostApi, path: ReadonlyArray<string>, status: CommitStatus) => {
    const { context, description, revision, state } = status
    return kind === "gitlab"
      ? {
          url: `${base}/projects/${encodeURIComponent(path.join("/"))}/statuses/${revision}`,
          body: { state: state === "failure" ? "failed" : state, name: context, description }
        }
      : {
          url: `${base}/repos/${encoded(path.slice(-2))}/statuses/${revision}`,
          body: { state, context, description }
        }
  }

  const authorizationOf = (kind: HostApi["kind"], { token, username }: NonNullable<Repository["credential"]>) =>
    // Gitea accepts a token or a password like this, and the others a token.
    kind === "gitea"
      ? `Basic ${Buffer.from(`${username}:${Redacted.value(token)}`).toString("base64")}`
      : `Bearer ${Redacted.value(token)}`

  return Effect.fnUntraced(function* (repository: Repository, status: CommitStatus) {
    const { credential } = repository
    // A host accepts no status without one.
    if (credential === null) return false
    if (!isSha(status.revision)) return yield* noSuchRevision()
    const url = new URL(repository.cloneUrl)
    const path = segmentsOf(url)
    if (path.length < 2) return false
    const api = yield* apiOf(repository, url)
    if (api === null) return false
    const { body, url: target } = requestFor(api, path, status)
    const response = yield* exchange(repository, {
      url: target,
      method: "POST",
      headers: {
        accept: "application/json",
        "content-type": "application/json",
        "user-agent": "orgplane",
        authorization: authorizationOf(api.kind, credential)
      },
      body: JSON.stringify(body)
    }).pipe(Effect.mapError(ofOutbound))
    if (response.status >= 200 && response.status < 300) return true
    const failure = failureOf(response.status)
    if (failure !== undefined) return yield* failure
    if (response.status === 401 || response.status === 403 || response.status === 404) {
      return yield* failed(
        "unauthorized",
        "The credential of the connector is not allowed to set commit statuses. Give it permission to write them."
      )
    }
    return yield* failed("not_a_repository", `The code host rejected the commit status with HTTP ${response.status}.`)
  })
}
