/** The flags that every command has. */
import * as Effect from "effect/Effect"
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Option from "effect/Option"

export const formats = ["table", "json", "yaml", "ndjson"] as const
export type Format = (typeof formats)[number]

export interface Globals {
  readonly output: Format | undefined
  readonly profile: string | undefined
  readonly baseUrl: string | undefined
  readonly organization: string | undefined
  readonly tokenStdin: boolean
  readonly quiet: boolean
  readonly yes: boolean
  readonly noColor: boolean
  readonly debug: boolean
}

const text = (name: string, metavar: string, help: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(help), Flag.optional)

const toggle = (name: string, help: string) =>
  Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDescription(help), Flag.withDefault(false))

const output = GlobalFlag.Setting("output")({
  flag: Flag.Literals("output", formats).pipe(
    Flag.withAlias("o"),
    Flag.withMetavar("format"),
    Flag.withDescription("How to print; a table on a terminal and tab-separated in a pipe unless told"),
    Flag.optional
  )
})
const quiet = GlobalFlag.Setting("quiet")({
  flag: toggle("quiet", "Print only ids").pipe(Flag.withAlias("q"))
})
const yes = GlobalFlag.Setting("yes")({
  flag: toggle("yes", "Do not ask before what cannot be taken back").pipe(Flag.withAlias("y"))
})
const profile = GlobalFlag.Setting("profile")({
  flag: text("profile", "name", "The signed-in server to use (see 'orgplane profiles')")
})
const baseUrl = GlobalFlag.Setting("base-url")({
  flag: text("base-url", "url", "The server; ORGPLANE_BASE_URL says it too")
})
const organization = GlobalFlag.Setting("organization")({
  flag: text("organization", "id", "The organization, for a session of several; also ORGPLANE_ORGANIZATION")
})
const tokenStdin = GlobalFlag.Setting("token-stdin")({
  flag: toggle(
    "token-stdin",
    "Read the session token or API key from standard input; also ORGPLANE_TOKEN, ORGPLANE_API_KEY"
  )
})
const noColor = GlobalFlag.Setting("no-color")({
  flag: toggle("no-color", "No colours; NO_COLOR says it too")
})
const debug = GlobalFlag.Setting("debug")({
  flag: toggle("debug", "Tell each request on standard error, without secrets")
})

export const settings = [output, quiet, yes, profile, baseUrl, organization, tokenStdin, noColor, debug] as const

/** What was told, wherever on the line it stood. */
export const globals: Effect.Effect<
  Globals,
  never,
  GlobalFlag.Setting.Identifier<
    "output" | "quiet" | "yes" | "profile" | "base-url" | "organization" | "token-stdin" | "no-color" | "debug"
  >
> = Effect.gen(function* () {
  return {
    output: Option.getOrUndefined(yield* output),
    profile: Option.getOrUndefined(yield* profile),
    baseUrl: Option.getOrUndefined(yield* baseUrl),
    organization: Option.getOrUndefined(yield* organization),
    tokenStdin: yield* tokenStdin,
    quiet: yield* quiet,
    yes: yield* yes,
    noColor: yield* noColor,
    debug: yield* debug
  }
})
