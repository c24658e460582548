/** A request as code: for the shell, for the SDK, and for the CLI. */
import type { RecordedRequest } from "./recorder.ts"

const shellQuote = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

export const asCurl = ({ body, method, path }: RecordedRequest, baseUrl: string): string =>
  [
    `curl ${method === "GET" ? "" : `--request ${method} `}${shellQuote(baseUrl + path)}`,
    `--header "authorization: Bearer $ORGPLANE_TOKEN"`,
    ...(body === undefined ? [] : [`--header 'content-type: application/json'`, `--data ${shellQuote(body)}`])
  ].join(" \\\n  ")

export const asTypeScript = ({ args, operation }: RecordedRequest): string => {
  const shown = args
    .filter((each) => each !== undefined)
    .map((each) => JSON.stringify(each, null, 2).replace(/"([A-Za-z_$][\w$]*)":/g, "$1:"))
    .join(", ")
  return `import { createClient } from "@orgplane/client"\n\nconst orgplane = createClient()\nawait orgplane.${operation}(${shown})`
}

const isInput = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const asCommand = ({ args, operation }: RecordedRequest): string => {
  const [group = "", name = ""] = operation.split(".")
  const words = ["orgplane", kebab(group), kebab(name)]
  const input = args.find(isInput) ?? {}
  for (const id of args) if (typeof id === "string") words.push(shellQuote(id))
  const isPlain = Object.values(input).every((value) => !isInput(value) && !Array.isArray(value))
  if (!isPlain) return `${words.join(" ")} --input - <<'JSON'\n${JSON.stringify(input, null, 2)}\nJSON`
  for (const [field, value] of Object.entries(input)) {
    if (value === undefined || field === "cursor") continue
    if (value === true) words.push(`--${kebab(field)}`)
    else words.push(`--${kebab(field)}`, shellQuote(typeof value === "string" ? value : JSON.stringify(value)))
  }
  return words.join(" ")
}
