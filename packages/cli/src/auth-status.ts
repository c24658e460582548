/** `auth status` and `whoami`: which server, credential and organization the commands use. */
import { connect } from "./connection.ts"
import { exit, type ExitCode } from "./exit-code.ts"
import { describeFailure, Failure } from "./failure.ts"
import type { Globals } from "./global-flags.ts"
import type { Io } from "./io.ts"
import { printOne } from "./output/print.ts"
import type { OutputOptions } from "./output/render.ts"
import { listAt, member, textAt } from "./output/value.ts"
import { loadProfiles } from "./profiles.ts"
import { resolveSettings, type Settings, warnAboutPlainHttp } from "./settings.ts"

/** Where the credential comes from. */
const sourceOf = async (io: Io, globals: Globals): Promise<string> => {
  if (globals.tokenStdin) return "stdin"
  if (globals.profile === undefined) {
    for (const name of ["ORGPLANE_TOKEN", "ORGPLANE_API_KEY"]) if ((io.env[name] ?? "") !== "") return name
  }
  const { current } = await loadProfiles(io)
  return `profile ${globals.profile ?? current ?? ""}`.trim()
}

const isStatus = (error: unknown, status: number) => member(error, "status") === status

interface Identity {
  readonly id: string | null
  readonly name: string | null
  readonly email: string | null
  readonly organizationId: string | null
  readonly organization: string | null
  readonly role: string | null
  readonly expiresAt: string | null
}

/** Gets the owner of the credential from the server. */
const identityOf = async (io: Io, settings: Settings, globals: Globals): Promise<Identity> => {
  const connection = connect(io, settings, globals)
  const get = (path: string, query: Readonly<Record<string, string>> = {}) =>
    connection.send({ method: "GET", path, query, body: undefined })
  const isKey = settings.credential?.kind === "key"
  const own = await get(isKey ? "/v1/api-keys/current" : "/v1/me")
  const principal = member(own, isKey ? "apiKey" : "user")
  const organization = await get("/v1/organization").catch((error: unknown) => {
    // A user who is in no organization, or in several without an active one.
    if (isStatus(error, 404)) return undefined
    throw error
  })
  const organizationId = textAt(organization, "organization.id") ?? null
  const memberships = isKey ? undefined : await get("/v1/me/organizations", { limit: "100" })
  const membership = listAt(memberships, "items").find((row) => textAt(row, "organization.id") === organizationId)
  return {
    id: textAt(principal, "id") ?? null,
    name: textAt(principal, "name") ?? null,
    email: textAt(principal, "email") ?? null,
    organizationId,
    organization: textAt(organization, "organization.name") ?? null,
    role: textAt(membership, "role") ?? null,
    expiresAt: textAt(principal, "expiresAt") ?? null
  }
}

export const authStatus = async (io: Io, globals: Globals, output: OutputOptions): Promise<ExitCode> => {
  const settings = await resolveSettings(io, globals)
  if (settings.credential === undefined) {
    throw new Failure(
      exit.notSignedIn,
      `No credential for ${settings.baseUrl}. Run 'orgplane login', or set ORGPLANE_TOKEN or ORGPLANE_API_KEY.`
    )
  }
  const source = await sourceOf(io, globals)
  await warnAboutPlainHttp(io, settings)
  const identity = await identityOf(io, settings, globals).catch((error: unknown) => {
    if (!isStatus(error, 401)) throw error
    throw new Failure(
      exit.notSignedIn,
      `${settings.baseUrl} does not accept the credential from ${source}: ${describeFailure(error).message}`
    )
  })
  const status = {
    server: settings.baseUrl,
    source,
    credential: settings.credential.kind === "key" ? "api_key" : "session",
    ...identity
  }
  await printOne(io, status, output, {})
  return exit.ok
}
