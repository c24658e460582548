/** `login`, `logout` and `profiles`. */
import type { LoginInvocation } from "./invocation.ts"
import { connect, type Connection } from "./connection.ts"
import { exit, type ExitCode } from "./exit-code.ts"
import { Failure, usage } from "./failure.ts"
import type { Globals } from "./global-flags.ts"
import { canPrompt, type Io, notify } from "./io.ts"
import { printOne, printRows } from "./output/print.ts"
import type { OutputOptions } from "./output/render.ts"
import { member, textAt } from "./output/value.ts"
import { escapeControls } from "./output/escape.ts"
import { changeProfiles, checkName, loadProfiles, type Profile, withoutProfile, withProfile } from "./profiles.ts"
import { checkBaseUrl, credentialOf, tokenFromStdin, warnAboutPlainHttp } from "./settings.ts"
import { shellQuoted } from "./shell.ts"
import { tokenBySso } from "./sso-commands.ts"
import { prompt, promptHidden } from "./terminal.ts"

const baseUrlFor = async (io: Io, globals: Globals, existing: Profile | undefined): Promise<string> => {
  const baseUrl = globals.baseUrl ?? io.env["ORGPLANE_BASE_URL"] ?? existing?.baseUrl
  if (baseUrl !== undefined && baseUrl !== "") return checkBaseUrl(baseUrl)
  if (!canPrompt(io) || globals.tokenStdin) throw usage("Specify the server with --base-url.")
  return checkBaseUrl(await prompt(io, "Server URL (https://…):"))
}

/** The first line of standard input. */
const firstLine = async (io: Io): Promise<string> => {
  let text = ""
  for await (const chunk of io.stdin) {
    text += String(chunk)
    if (/[\r\n]/.test(text.trimStart())) break
  }
  return text.trim().split(/[\r\n]/, 1)[0] ?? ""
}

/** Signs in with a code that was already sent by email, or sends one. Returns the session token. */
const tokenByCode = async (
  io: Io,
  connection: Connection,
  output: OutputOptions,
  invocation: LoginInvocation
): Promise<string> => {
  let challenge = invocation.challenge
  if (challenge === undefined) {
    const body = await connection.send({
      method: "POST",
      path: "/v1/sessions/email",
      query: {},
      body: { email: invocation.email }
    })
    challenge = textAt(body, "challengeId")
    if (challenge === undefined)
      throw new Failure(exit.failure, "Unexpected response: the server might not be an orgplane server.")
    if (!output.quiet)
      await notify(io, `A code was sent to ${escapeControls(invocation.email ?? "")}. It is valid for ten minutes.`)
  }
  const code = canPrompt(io) ? await prompt(io, "Code:") : await firstLine(io)
  if (code === "") {
    throw new Failure(
      exit.failure,
      `No code was entered. To continue, enter the code or pass it on stdin to: orgplane login --challenge=${shellQuoted(escapeControls(challenge))}`
    )
  }
  const body = await connection.send({
    method: "POST",
    path: "/v1/sessions/email/verify",
    query: {},
    body: { challengeId: challenge, code }
  })
  const token = textAt(body, "session.token")
  if (token === undefined)
    throw new Failure(exit.failure, "Unexpected response: the server might not be an orgplane server.")
  return token
}

/** The organization of the credential; undefined for a user who is in none, or in several without an active one. */
const organizationOf = async (connection: Connection, baseUrl: string, isPerson: boolean) => {
  try {
    const body = await connection.send({ method: "GET", path: "/v1/organization", query: {}, body: undefined })
    const organization = member(body, "organization")
    const [id, title] = [member(organization, "id"), member(organization, "name")]
    if (typeof id === "string" && typeof title === "string") return { id, title, whole: organization }
  } catch (error) {
    if (isPerson && textAt(error, "body.error") === "organization_not_found") return undefined
    throw error
  }
  throw new Failure(exit.failure, `Unexpected response from ${baseUrl}: the server might not be an orgplane server.`)
}

/** Gets a token by SSO, with an email code, or from user input. On a terminal, the user can choose. */
const tokenOf = async (
  io: Io,
  globals: Globals,
  output: OutputOptions,
  invocation: LoginInvocation,
  baseUrl: string
) => {
  const byCode = (email: string | undefined) =>
    tokenByCode(io, connect(io, { baseUrl, credential: undefined, organization: undefined }, globals), output, {
      ...invocation,
      email
    })
  if (invocation.sso) {
    if (globals.tokenStdin || invocation.challenge !== undefined) {
      throw usage("--sso cannot be combined with --token-stdin or --challenge.")
    }
    const organizationId = globals.organization ?? io.env["ORGPLANE_ORGANIZATION"]
    return tokenBySso(io, connect(io, { baseUrl, credential: undefined, organization: undefined }, globals), {
      email:
        invocation.email ??
        (organizationId === undefined && canPrompt(io) ? await prompt(io, "Email address:") : undefined),
      organizationId: invocation.email === undefined ? organizationId : undefined,
      browser: invocation.browser,
      paste: invocation.paste,
      quiet: output.quiet
    })
  }
  if (invocation.paste || !invocation.browser) throw usage("--paste and --no-browser require --sso.")
  if (invocation.challenge !== undefined || invocation.email !== undefined) {
    if (globals.tokenStdin) throw usage("--token-stdin cannot be combined with --email or --challenge.")
    return byCode(invocation.email)
  }
  if (globals.tokenStdin || !canPrompt(io)) return tokenFromStdin(io)
  const email = await prompt(io, "Email address, or Enter to use a token:")
  if (email === "") return promptHidden(io, "Session token or API key (hidden):")
  if (!email.includes("@")) throw usage("Not an email address. To use a token, press Enter at this prompt.")
  return byCode(email)
}

export const login = async (
  io: Io,
  globals: Globals,
  output: OutputOptions,
  invocation: LoginInvocation
): Promise<ExitCode> => {
  const all = await loadProfiles(io)
  const name = checkName(invocation.name ?? globals.profile ?? "default")
  const baseUrl = await baseUrlFor(io, globals, all.profiles.get(name))
  const token = await tokenOf(io, globals, output, invocation, baseUrl)
  const settings = {
    baseUrl,
    credential: credentialOf(token),
    organization: globals.organization ?? io.env["ORGPLANE_ORGANIZATION"]
  }
  await warnAboutPlainHttp(io, settings)
  const organization = await organizationOf(
    connect(io, settings, globals),
    baseUrl,
    settings.credential.kind === "session" && settings.organization === undefined
  )
  const profile: Profile = {
    baseUrl,
    token,
    ...(organization === undefined ? {} : { organizationName: organization.title }),
    ...(settings.organization === undefined ? {} : { organization: settings.organization })
  }
  await changeProfiles(io, (latest) => withProfile(latest, name, profile))
  const isForScripts = output.format === "json" || output.format === "yaml" || output.format === "ndjson"
  if (isForScripts || output.selection !== undefined) {
    const body = { profile: name, baseUrl, organization: organization?.whole ?? null }
    await printOne(io, body, { ...output, quiet: false }, {})
  } else if (!output.quiet) {
    await notify(
      io,
      organization === undefined
        ? `Signed in to ${baseUrl} as profile '${name}'. No organization is selected. Run 'orgplane users organizations' to list yours, accept an invitation, or create an organization.`
        : `Signed in to ${escapeControls(organization.title)} (${escapeControls(organization.id)}) at ${baseUrl} as profile '${name}'.`
    )
  }
  return exit.ok
}

export const logout = async (io: Io, globals: Globals, output: OutputOptions): Promise<ExitCode> => {
  const all = await loadProfiles(io)
  const name = globals.profile ?? all.current
  const profile = name === undefined ? undefined : all.profiles.get(name)
  if (name === undefined || profile === undefined)
    throw new Failure(exit.notSignedIn, "No profile to sign out of. Run 'orgplane profiles list'.")
  const credential = credentialOf(profile.token)
  if (credential.kind === "session") {
    try {
      const settings = { baseUrl: checkBaseUrl(profile.baseUrl), credential, organization: undefined }
      await connect(io, settings, globals).send({
        method: "DELETE",
        path: "/v1/sessions/current",
        query: {},
        body: undefined
      })
    } catch (error) {
      // 401: the session has already ended.
      if (member(error, "status") !== 401) {
        await notify(io, `orgplane: ${profile.baseUrl} did not revoke the session. It stays valid until it expires.`)
      }
    }
  }
  await changeProfiles(io, (latest) => withoutProfile(latest, name))
  if (!output.quiet) await notify(io, `Signed out and deleted the profile '${name}'.`)
  return exit.ok
}

export const profiles = async (
  io: Io,
  output: OutputOptions,
  verb: "list" | "use" | "remove",
  name: string
): Promise<ExitCode> => {
  const all = await loadProfiles(io)
  if (verb === "list") {
    // The token is never printed.
    const rows = [...all.profiles].map(([each, profile]) => ({
      name: each,
      current: each === all.current,
      baseUrl: profile.baseUrl,
      organization: profile.organizationName ?? null,
      credential: credentialOf(profile.token).kind
    }))
    const columns = ["name", "current", "baseUrl", "organization", "credential"]
    await printRows(io, rows, output, { columns, id: "name" })
    return exit.ok
  }
  if (!all.profiles.has(name)) throw new Failure(exit.notFound, `No profile '${name}'. Run 'orgplane profiles list'.`)
  await changeProfiles(io, (latest) => (verb === "use" ? { ...latest, current: name } : withoutProfile(latest, name)))
  if (!output.quiet)
    await notify(io, verb === "use" ? `Switched to the profile '${name}'.` : `Deleted the profile '${name}'.`)
  return exit.ok
}
