import { closest } from "./closest.ts"
import type { Environment } from "./environment.ts"
import { variables } from "./variables.ts"

const variableNames: ReadonlyArray<string> = Object.keys(variables)

/** The variables of the CLI and of the client, which may be set in the same environment. */
export const otherVariables: ReadonlyArray<string> = [
  "ORGPLANE_API_KEY",
  "ORGPLANE_BASE_URL",
  "ORGPLANE_COMPLETE_WORDS",
  "ORGPLANE_NO_REPORT",
  "ORGPLANE_ORGANIZATION",
  "ORGPLANE_PAGER",
  "ORGPLANE_SCIM_TOKEN",
  "ORGPLANE_TOKEN"
]

/** Kubernetes sets these in every pod for a service whose name starts with `orgplane`. */
const isServiceLink = (name: string, value: string): boolean =>
  /_SERVICE_(?:HOST|PORT(?:_[A-Z0-9_]+)?)$|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/.test(name) ||
  (name.endsWith("_PORT") && /^(?:tcp|udp|sctp):\/\//.test(value))

/** The only known name that starts with this one, such as `ORGPLANE_SMTP_URL` for `ORGPLANE_SMTP`. */
const longer = (name: string): string | undefined => {
  const [first, second] = variableNames.filter((candidate) => candidate.startsWith(`${name}_`))
  return second === undefined ? first : undefined
}

const prefix = "ORGPLANE_"
/** The known name with the smallest edit distance, without the prefix that all names share. */
const similar = (name: string): string | undefined => {
  const rest = closest(
    name.slice(prefix.length),
    variableNames.map((candidate) => candidate.slice(prefix.length))
  )
  return rest === undefined ? undefined : `${prefix}${rest}`
}

export interface UnknownVariable {
  readonly name: string
  readonly suggestion: string | undefined
}

/** The variables of the environment that look like the server's, but are not. */
export const unknownVariables = (environment: Environment): ReadonlyArray<UnknownVariable> =>
  Object.entries(environment)
    .filter(([name]) => /^ORGPLANE_/i.test(name) && !variableNames.includes(name) && !otherVariables.includes(name))
    .filter(([name, value]) => !isServiceLink(name, value ?? ""))
    .map(([name]) => ({ name, suggestion: longer(name) ?? similar(name) }))
    .toSorted((left, right) => left.name.localeCompare(right.name))

/** The message and the fix for an unknown variable. */
export const describeUnknown = ({ name, suggestion }: UnknownVariable) => ({
  message: `${name} is not a variable of orgplane-server.`,
  fix:
    suggestion === undefined ? "Remove it. orgplane-server config lists all variables." : `Did you mean ${suggestion}?`
})
