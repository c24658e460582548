/** login, logout, profiles. */
import { connect } from "./connection.ts"
import { exit, type ExitCode, Failure, usage } from "./failure.ts"
import type { Globals } from "./globals.ts"
import { canAsk, type Io, print, say } from "./io.ts"
import { type Look, renderOne, renderRows, renderWhole } from "./output/answer.ts"
import { member } from "./output/cell.ts"
import { harmless } from "./output/harmless.ts"
import { checkName, loadProfiles, type Profile, saveProfiles, withoutProfile, withProfile } from "./profiles.ts"
import { checkBaseUrl, credentialOf, tokenFromStdin, warnOfPlainHttp } from "./settings.ts"
import { ask, askHidden } from "./terminal.ts"

const baseUrlFor = async (io: Io, globals: Globals, known: Profile | undefined): Promise<string> => {
  const told = globals.baseUrl ?? io.env["ORGPLANE_BASE_URL"] ?? known?.baseUrl
  if (told !== undefined && told !== "") return checkBaseUrl(told)
  if (!canAsk(io) || globals.tokenStdin) throw usage("Name the server with --base-url.")
  return checkBaseUrl(await ask(io, "Server (https://…):"))
}

export const login = async (io: Io, globals: Globals, look: Look, named: string | undefined): Promise<ExitCode> => {
  const all = await loadProfiles(io)
  const name = checkName(named ?? globals.profile ?? "default")
  const baseUrl = await baseUrlFor(io, globals, all.profiles.get(name))
  const piped = globals.tokenStdin || !canAsk(io)
  const token = piped ? await tokenFromStdin(io) : await askHidden(io, "Session token or API key (unseen):")
  const settings = {
    baseUrl,
    credential: credentialOf(token),
    organization: globals.organization ?? io.env["ORGPLANE_ORGANIZATION"]
  }
  await warnOfPlainHttp(io, settings)
  const body = await connect(io, settings, globals.debug).send({
    method: "GET",
    path: "/v1/organization",
    query: {},
    body: undefined
  })
  const organization = member(body, "organization")
  const [id, title] = [member(organization, "id"), member(organization, "name")]
  if (typeof id !== "string" || typeof title !== "string") {
    throw new Failure(exit.failure, `${baseUrl} does not answer like an orgplane server.`)
  }
  const profile: Profile = {
    baseUrl,
    token,
    organizationName: title,
    ...(settings.organization === undefined ? {} : { organization: settings.organization })
  }
  await saveProfiles(io, withProfile(all, name, profile))
  if (look.format === "json" || look.format === "yaml" || look.format === "ndjson") {
    await print(io, renderOne({ profile: name, baseUrl, organization }, { ...look, quiet: false }, {}))
  } else if (!look.quiet) {
    await say(io, `Signed in to ${harmless(title)} (${harmless(id)}) at ${baseUrl} as profile '${name}'.`)
  }
  return exit.ok
}

export const logout = async (io: Io, globals: Globals, look: Look): Promise<ExitCode> => {
  const all = await loadProfiles(io)
  const name = globals.profile ?? all.current
  const profile = name === undefined ? undefined : all.profiles.get(name)
  if (name === undefined || profile === undefined)
    throw new Failure(exit.notSignedIn, "There is no profile to sign out of.")
  const credential = credentialOf(profile.token)
  if (credential.kind === "session") {
    try {
      const settings = { baseUrl: checkBaseUrl(profile.baseUrl), credential, organization: undefined }
      await connect(io, settings, globals.debug).send({
        method: "DELETE",
        path: "/v1/sessions/current",
        query: {},
        body: undefined
      })
    } catch (error) {
      // 401 is what we want: the session is over already.
      if (member(error, "status") !== 401) {
        await say(io, `orgplane: ${profile.baseUrl} did not end the session; it lives until it expires.`)
      }
    }
  }
  await saveProfiles(io, withoutProfile(all, name))
  if (!look.quiet) await say(io, `Signed out; the profile '${name}' is forgotten.`)
  return exit.ok
}

export const profiles = async (
  io: Io,
  look: Look,
  verb: "list" | "use" | "remove",
  name: string
): Promise<ExitCode> => {
  const all = await loadProfiles(io)
  if (verb === "list") {
    // Never the token.
    const rows = [...all.profiles].map(([each, profile]) => ({
      name: each,
      current: each === all.current,
      baseUrl: profile.baseUrl,
      organization: profile.organizationName ?? null,
      credential: credentialOf(profile.token).kind
    }))
    const whole = look.format === "json" || look.format === "yaml"
    const columns = ["name", "current", "baseUrl", "organization", "credential"]
    await print(
      io,
      whole
        ? renderWhole({ items: rows }, look)
        : renderRows(look.quiet ? rows.map(({ name }) => ({ id: name })) : rows, look, { columns })
    )
    return exit.ok
  }
  if (!all.profiles.has(name)) throw new Failure(exit.notFound, `There is no profile '${name}'.`)
  await saveProfiles(io, verb === "use" ? { ...all, current: name } : withoutProfile(all, name))
  if (!look.quiet) await say(io, verb === "use" ? `'${name}' is in use.` : `The profile '${name}' is forgotten.`)
  return exit.ok
}
