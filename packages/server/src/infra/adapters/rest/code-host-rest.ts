import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import {
  CodeHostApp,
  type HostPage,
  type Installation,
  type InstallationRef,
  type ListedRepository,
  type Proof
} from "../../ports/code-host-app.ts"
import type { Outbound } from "../../ports/outbound.ts"
import { type Bounds, boundsDefault } from "../git/bounds.ts"
import { failed } from "../git/failure.ts"
import { type AppOptions, decoded, makeApi } from "./api.ts"
import { makeRepositories } from "./repository.ts"
import * as shapes from "./shapes.ts"
import { withoutTrailing } from "../../normalize.ts"

export interface CodeHostRestOptions extends AppOptions {
  readonly bounds?: Partial<Bounds>
}

const provePerPage = 100
/** Maximum number of pages that a verification reads. If there are more, verification fails. */
const provePagesMax = 20

const appPageMillis = 3_600_000

const isInstallationId = (text: string) => /^\d{1,16}$/.test(text)

const notYours = (): Proof => ({
  refused: "installationId",
  message: "must be an installation of this server's app that you administer on the code host"
})

const installed = ({ account, id, suspended_at }: typeof shapes.Installation.Type): Installation => ({
  id: String(id),
  accountName: account?.login ?? String(id),
  isSuspended: suspended_at !== undefined && suspended_at !== null
})

const make = Effect.fnUntraced(function* (options: CodeHostRestOptions) {
  const api = yield* makeApi(options)
  const bounds: Bounds = { ...boundsDefault, ...options.bounds }
  const { asInstallation, refused, ...repositories } = makeRepositories(api, bounds)

  /** The app's page at the host, cached, because all organizations share the app's rate limit. */
  let appPage: { readonly url: string; readonly until: number } | undefined

  const installUrl = Effect.fn("codeHostApp.installUrl")(function* (organizationId: string, state: string) {
    const now = yield* Clock.currentTimeMillis
    if (appPage === undefined || appPage.until <= now) {
      const response = yield* api.request({ kind: "app", organizationId }, "/app")
      if (response.status !== 200) return yield* refused(response)
      const { html_url, slug } = yield* decoded(shapes.App, response.json)
      // Only a page of the host's website is used, so that a response cannot redirect browsers elsewhere.
      const page = html_url === undefined || html_url === null ? null : URL.parse(html_url)
      const url =
        page !== null && page.origin === new URL(api.webUrl).origin
          ? `${page.origin}${withoutTrailing(page.pathname, "/")}`
          : `${api.webUrl}/apps/${encodeURIComponent(slug)}`
      appPage = { url, until: now + appPageMillis }
    }
    return `${appPage.url}/installations/new?state=${encodeURIComponent(state)}`
  })

  const listed = Effect.fnUntraced(function* (ref: InstallationRef, page: number, perPage: number) {
    const path = `/installation/repositories?per_page=${perPage}&page=${page}`
    const response = yield* api.request(asInstallation(ref), path, { conditional: true, bodyBytesMax: 8 * 1024 * 1024 })
    if (response.status !== 200) return yield* refused(response)
    return yield* decoded(shapes.Repositories, response.json)
  })

  const listRepositories = Effect.fn("codeHostApp.repositories")(function* (
    ref: InstallationRef,
    page: number,
    perPage: number
  ) {
    const response = yield* listed(ref, page, perPage)
    return {
      items: response.repositories.map((row) => ({
        id: String(row.id),
        fullName: row.full_name,
        defaultBranch: row.default_branch ?? null,
        isPrivate: row.private
      })),
      next: page * perPage < response.total_count && response.repositories.length > 0 ? page + 1 : null
    } satisfies HostPage<ListedRepository>
  })

  /** Whether the host lists the installation for the person. */
  const knowsInstallation = Effect.fnUntraced(function* (ref: InstallationRef, token: Redacted.Redacted) {
    const person = { kind: "user", token, organizationId: ref.organizationId } as const
    for (let page = 1; page <= provePagesMax; page++) {
      const response = yield* api.request(person, `/user/installations?per_page=${provePerPage}&page=${page}`)
      if (response.status !== 200) return false
      const { installations, total_count } = yield* decoded(shapes.Installations, response.json)
      if (installations.some(({ id }) => String(id) === ref.installationId)) return true
      if (installations.length === 0 || page * provePerPage >= total_count) return false
    }
    return false
  })

  /**
   * Whether the person administers every repository of the installation. The host also lists an installation for users
   * who can only read one of its repositories, so being listed is not sufficient.
   */
  const administers = Effect.fnUntraced(function* (ref: InstallationRef, token: Redacted.Redacted) {
    const person = { kind: "user", token, organizationId: ref.organizationId } as const
    const all = yield* listed(ref, 1, 1)
    if (all.total_count === 0) return false
    let seen = 0
    for (let page = 1; page <= provePagesMax; page++) {
      const path = `/user/installations/${ref.installationId}/repositories?per_page=${provePerPage}&page=${page}`
      const response = yield* api.request(person, path, { bodyBytesMax: 8 * 1024 * 1024 })
      if (response.status !== 200) return false
      const batch = yield* decoded(shapes.Repositories, response.json)
      if (batch.total_count < all.total_count) return false
      if (!batch.repositories.every(({ permissions }) => permissions?.admin === true)) return false
      seen += batch.repositories.length
      if (seen >= all.total_count) return true
      if (batch.repositories.length === 0) return false
    }
    // The maximum number of pages was read, and the person administers every repository.
    return true
  })

  const prove = Effect.fn("codeHostApp.prove")(function* (ref: InstallationRef, code: string) {
    if (!isInstallationId(ref.installationId)) return notYours()
    const token = yield* api.userToken(ref.organizationId, code)
    if (token === undefined) {
      return { refused: "code", message: "must be an unused code issued by the code host" } satisfies Proof
    }
    return yield* Effect.gen(function* () {
      if (!(yield* knowsInstallation(ref, token))) return notYours()
      const response = yield* api.request(
        { kind: "app", organizationId: ref.organizationId },
        `/app/installations/${ref.installationId}`
      )
      if (response.status !== 200) return response.status === 404 ? notYours() : yield* refused(response)
      const installation = installed(yield* decoded(shapes.Installation, response.json))
      if (installation.id !== ref.installationId) return notYours()
      return (yield* administers(ref, token)) ? ({ installation } satisfies Proof) : notYours()
    }).pipe(Effect.ensuring(api.endUserToken(ref.organizationId, token)))
  })

  const installation = Effect.fn("codeHostApp.installation")(function* (ref: InstallationRef) {
    if (!isInstallationId(ref.installationId)) return null
    const path = `/app/installations/${ref.installationId}`
    const response = yield* api.request({ kind: "app", organizationId: ref.organizationId }, path)
    if (response.status === 404) return null
    if (response.status !== 200) return yield* refused(response)
    return installed(yield* decoded(shapes.Installation, response.json))
  })

  return CodeHostApp.of({
    installUrl,
    prove,
    repositories: listRepositories,
    branches: repositories.branches,
    find: repositories.find,
    inspect: repositories.inspect,
    installation,
    state: repositories.state,
    head: repositories.head,
    snapshot: repositories.snapshot,
    setCommitStatus: repositories.setCommitStatus
  })
})

/** A code host with a REST API, used as its app with the outbound HTTP client. */
export const layerCodeHostRest = (options: CodeHostRestOptions): Layer.Layer<CodeHostApp, never, Outbound> =>
  Layer.effect(CodeHostApp, make(options))

/** The app's own record at the host, which shows that the host accepts the app's ID and private key. */
export const findOwnApp = Effect.fnUntraced(function* (options: AppOptions) {
  const api = yield* makeApi(options)
  const response = yield* api.request({ kind: "app", organizationId: "operator" }, "/app")
  if (response.status === 200) return yield* decoded(shapes.App, response.json)
  return yield* failed("unauthorized", `The code host returned status ${response.status} for the app's credentials.`)
})

const absent = () =>
  Effect.fail(failed("not_configured", "No code host app is configured. The operator must set ORGPLANE_CODEHOST_URL."))

/** Used when no app is configured. */
export const layerNoCodeHostRest: Layer.Layer<CodeHostApp> = Layer.succeed(CodeHostApp, {
  installUrl: absent,
  prove: absent,
  repositories: absent,
  branches: absent,
  find: absent,
  inspect: absent,
  installation: absent,
  state: absent,
  head: absent,
  snapshot: absent
})
