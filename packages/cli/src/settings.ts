/** Resolves server and credential, in this order: flags, a profile named by --profile, environment, current profile. */
import { exit } from "./exit-code.ts"
import { Failure, usage } from "./failure.ts"
import type { Globals } from "./global-flags.ts"
import { type Io, notify, readAll } from "./io.ts"
import { loadProfiles, type Profile } from "./profiles.ts"

export interface Credential {
  readonly kind: "session" | "key"
  readonly secret: string
}

export interface Settings {
  /** Without a trailing slash. */
  readonly baseUrl: string
  readonly credential: Credential | undefined
  readonly organization: string | undefined
}

/** Creates a credential. API keys are recognized by their prefix. */
export const credentialOf = (secret: string, kind?: Credential["kind"]): Credential => {
  // `fetch` would reject the header with a message that contains the secret.
  if (!/^[\u0021-\u007e]+$/.test(secret))
    throw usage("The token is empty or contains characters that are not allowed in a token.")
  return { kind: kind ?? (secret.startsWith("opk_") ? "key" : "session"), secret }
}

export const checkBaseUrl = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw usage(`'${text}' is not an http or https URL.`)
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw usage("The base URL must not contain credentials, a query string or a fragment.")
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`
}

const isLoopback = (url: URL) =>
  /^(localhost|.*\.localhost|127(\.(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}|\[::1\])$/.test(url.hostname)

export const warnAboutPlainHttp = async (io: Io, settings: Settings): Promise<void> => {
  const url = new URL(settings.baseUrl)
  if (settings.credential !== undefined && url.protocol === "http:" && !isLoopback(url)) {
    await notify(
      io,
      `orgplane: The connection to ${url.origin} is not encrypted. Anyone on the network path can read the credential. Use https.`
    )
  }
}

/** Reads standard input and trims it. */
export const tokenFromStdin = async (io: Io): Promise<string> => (await readAll(io.stdin)).toString("utf8").trim()

const present = (value: string | undefined) => (value === undefined || value === "" ? undefined : value)

/** The global flags that choose the server and the credential. */
type Choice = Partial<Pick<Globals, "baseUrl" | "organization" | "profile" | "tokenStdin">>

const profileOf = async (io: Io, globals: Choice): Promise<Profile | undefined> => {
  const all = await loadProfiles(io)
  const name = globals.profile ?? all.current
  const profile = name === undefined ? undefined : all.profiles.get(name)
  if (profile === undefined && globals.profile !== undefined) {
    throw new Failure(exit.notSignedIn, `No profile '${globals.profile}'. Run 'orgplane profiles list'.`)
  }
  return profile
}

export const resolveSettings = async (io: Io, globals: Choice): Promise<Settings> => {
  const env = (name: string) => (globals.profile === undefined ? present(io.env[name]) : undefined)
  const profile = await profileOf(io, globals)
  const baseUrlText = globals.baseUrl ?? env("ORGPLANE_BASE_URL") ?? profile?.baseUrl
  if (baseUrlText === undefined) {
    throw new Failure(exit.notSignedIn, "No server is configured. Run 'orgplane login', or set ORGPLANE_BASE_URL.")
  }
  const baseUrl = checkBaseUrl(baseUrlText)
  // A profile's credential is only sent to the profile's server.
  const matchingProfile = profile !== undefined && checkBaseUrl(profile.baseUrl) === baseUrl ? profile : undefined
  const token = globals.tokenStdin ? await tokenFromStdin(io) : env("ORGPLANE_TOKEN")
  const key = env("ORGPLANE_API_KEY")
  const credential =
    token !== undefined
      ? credentialOf(token)
      : key !== undefined
        ? credentialOf(key, "key")
        : matchingProfile === undefined
          ? undefined
          : credentialOf(matchingProfile.token)
  return {
    baseUrl,
    credential,
    organization: globals.organization ?? env("ORGPLANE_ORGANIZATION") ?? matchingProfile?.organization
  }
}

export const headersOf = (settings: Settings): Record<string, string> => ({
  ...(settings.credential === undefined
    ? {}
    : settings.credential.kind === "key"
      ? { "x-api-key": settings.credential.secret }
      : { authorization: `Bearer ${settings.credential.secret}` }),
  ...(settings.organization === undefined ? {} : { "x-organization-id": settings.organization })
})
