/** The configuration in a support bundle: what is set, and the values that are not secret. */
import type { Environment } from "../../infra/config/environment.ts"
import type { Sources } from "../../infra/config/read-configuration.ts"
import { unknownVariables } from "../../infra/config/unknown-variables.ts"
import { isSecretValue, type VariableName, variables } from "../../infra/config/variables.ts"

/** Variables of Node.js and of the system that change how the server runs. They may contain credentials. */
const otherNames = [
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
  "NODE_ENV",
  "NODE_EXTRA_CA_CERTS",
  "NODE_OPTIONS",
  "NODE_TLS_REJECT_UNAUTHORIZED",
  "SSL_CERT_FILE",
  "TZ"
]

const count = (value: string) => value.split(",").filter((part) => part.trim() !== "").length

/** The value of a URL without its query, which may contain keys. */
const withoutQuery = (value: string): string => value.replaceAll(/\?[^\s,]{1,8192}/gu, "?REDACTED")

const shownValue = (name: VariableName, value: string): string => {
  if (isSecretValue(name, value)) return "(set)"
  // Email addresses, and a command line that may contain tokens.
  if (name === "ORGPLANE_PLATFORM_ADMINS") return `(${count(value)} addresses)`
  if (name === "ORGPLANE_WORKER_COMMAND") return "(set)"
  return withoutQuery(value)
}

const isSet = (value: string | undefined): value is string => value !== undefined && value.trim() !== ""

/** Texts can be secrets or names. Numbers and switches are neither. */
const withoutTexts = (value: unknown): unknown => {
  if (typeof value === "string") return "(set)"
  if (Array.isArray(value)) return `(${value.length} values)`
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutTexts(inner)]))
}

export const configurationOf = (sources: Sources, own: Environment, faults: ReadonlyArray<string>) => ({
  faults,
  settings: (Object.keys(variables) as ReadonlyArray<VariableName>).flatMap((name) => {
    const value = sources.environment[name]
    if (!isSet(value)) return []
    return [{ name, from: isSet(own[name]) ? "environment" : "file", value: shownValue(name, value.trim()) }]
  }),
  /** The options of the configuration file that have no variable. */
  fileOptions: withoutTexts(sources.file?.settings.options ?? {}),
  unknownVariables: unknownVariables(own).map(({ name }) => name),
  otherVariables: otherNames.filter((name) => isSet(own[name]))
})
