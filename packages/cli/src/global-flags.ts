/** The global flags, which every command accepts. */
import * as Effect from "effect/Effect"
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Option from "effect/Option"
import { text, toggle } from "./flags.ts"

export const formats = ["table", "json", "yaml", "ndjson"] as const
export type Format = (typeof formats)[number]

export interface Globals {
  readonly output: Format | undefined
  /** Names of fields, separated by commas. */
  readonly json: string | undefined
  readonly jq: string | undefined
  readonly template: string | undefined
  readonly profile: string | undefined
  readonly baseUrl: string | undefined
  readonly organization: string | undefined
  readonly tokenStdin: boolean
  readonly quiet: boolean
  readonly yes: boolean
  readonly noColor: boolean
  readonly debug: boolean
  readonly noPager: boolean
}

const output = GlobalFlag.Setting("output")({
  flag: Flag.Literals("output", formats).pipe(
    Flag.withAlias("o"),
    Flag.withMetavar("format"),
    Flag.withDescription("Output format. Default: table on a terminal, tab-separated otherwise"),
    Flag.optional
  )
})
const jsonFields = GlobalFlag.Setting("json")({
  flag: text("json", "fields", "Print only these fields as JSON, such as id,name. Lists are arrays")
})
const jq = GlobalFlag.Setting("jq")({
  flag: text("jq", "filter", "Filter the JSON output with a jq filter. jq does not need to be installed")
})
const template = GlobalFlag.Setting("template")({
  flag: text("template", "text", "Format the JSON output with a Go template")
})
const quiet = GlobalFlag.Setting("quiet")({
  flag: toggle("quiet", "Print only IDs, or the secret, URL or text that the command returns").pipe(Flag.withAlias("q"))
})
const yes = GlobalFlag.Setting("yes")({
  flag: toggle("yes", "Skip confirmation prompts").pipe(Flag.withAlias("y"))
})
const profile = GlobalFlag.Setting("profile")({
  flag: text("profile", "name", "Profile to use (see 'orgplane profiles')")
})
const baseUrl = GlobalFlag.Setting("base-url")({
  flag: text("base-url", "url", "Server URL. Env: ORGPLANE_BASE_URL")
})
const organization = GlobalFlag.Setting("organization")({
  flag: text("organization", "id", "Organization to act in, if you belong to several. Env: ORGPLANE_ORGANIZATION")
})
const tokenStdin = GlobalFlag.Setting("token-stdin")({
  flag: toggle("token-stdin", "Read the session token or API key from stdin. Env: ORGPLANE_TOKEN, ORGPLANE_API_KEY")
})
const noColor = GlobalFlag.Setting("no-color")({
  flag: toggle("no-color", "Disable colors. Env: NO_COLOR")
})
const debug = GlobalFlag.Setting("debug")({
  flag: toggle("debug", "Log each request to stderr, with secrets redacted")
})

const noPager = GlobalFlag.Setting("no-pager")({
  flag: toggle("no-pager", "Disable the pager. Env: ORGPLANE_PAGER, PAGER")
})

export const settings = [
  output,
  jsonFields,
  jq,
  template,
  quiet,
  yes,
  profile,
  baseUrl,
  organization,
  tokenStdin,
  noColor,
  noPager,
  debug
] as const

/** The global flags of a command line. They may be before or after the command. */
export const globals: Effect.Effect<
  Globals,
  never,
  GlobalFlag.Setting.Identifier<
    | "output"
    | "json"
    | "jq"
    | "template"
    | "no-pager"
    | "quiet"
    | "yes"
    | "profile"
    | "base-url"
    | "organization"
    | "token-stdin"
    | "no-color"
    | "debug"
  >
> = Effect.gen(function* () {
  return {
    output: Option.getOrUndefined(yield* output),
    json: Option.getOrUndefined(yield* jsonFields),
    jq: Option.getOrUndefined(yield* jq),
    template: Option.getOrUndefined(yield* template),
    noPager: yield* noPager,
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
