/** A request as code: for the shell, for the SDK, and for the CLI. Each names the organization, if one is selected. */
import type { RecordedRequest } from "./recorder.ts"

const shellQuote = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

export const asCurl = (
  { body, method, path }: RecordedRequest,
  baseUrl: string,
  organizationId: string | undefined
): string =>
  [
    `curl ${method === "GET" ? "" : `--request ${method} `}${shellQuote(baseUrl + path)}`,
    `--header "authorization: Bearer $ORGPLANE_TOKEN"`,
    ...(organizationId === undefined ? [] : [`--header ${shellQuote(`x-organization-id: ${organizationId}`)}`]),
    ...(body === undefined ? [] : [`--header 'content-type: application/json'`, `--data ${shellQuote(body)}`])
  ].join(" \\\n  ")

export const asTypeScript = ({ args, operation }: RecordedRequest, organizationId: string | undefined): string => {
  const options = organizationId === undefined ? "" : `{ organizationId: ${JSON.stringify(organizationId)} }`
  const shown = args
    .filter((each) => each !== undefined)
    .map((each) => JSON.stringify(each, null, 2).replace(/"([A-Za-z_$][\w$]*)":/g, "$1:"))
    .join(", ")
  return `import { createClient } from "@orgplane/client"\n\nconst orgplane = createClient(${options})\nawait orgplane.${operation}(${shown})`
}

const isInput = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Flags that are not named like the field: `--organization` selects the organization of every command. */
const flagNames: Readonly<Record<string, string>> = {
  organization: "organizations",
  orgMembershipId: "member",
  q: "search"
}

const flagOf = (field: string) => `--${flagNames[field] ?? kebab(field)}`

export const asCommand = ({ args, operation }: RecordedRequest, organizationId: string | undefined): string => {
  const [group = "", name = ""] = operation.split(".")
  const words = ["orgplane", kebab(group), kebab(name)]
  const input = args.find(isInput) ?? {}
  for (const id of args) if (typeof id === "string") words.push(shellQuote(id))
  if (organizationId !== undefined) words.push("--organization", shellQuote(organizationId))
  const isPlain = Object.values(input).every((value) => !isInput(value) && !Array.isArray(value))
  if (!isPlain) return `${words.join(" ")} --input - <<'JSON'\n${JSON.stringify(input, null, 2)}\nJSON`
  for (const [field, value] of Object.entries(input)) {
    if (value === undefined || field === "cursor") continue
    if (value === true) words.push(flagOf(field))
    else words.push(flagOf(field), shellQuote(typeof value === "string" ? value : JSON.stringify(value)))
  }
  return words.join(" ")
}
