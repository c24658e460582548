/** Compares the surface of this version with that of the last release. */
import { type Break, schemaComparison, unique } from "./schemas.ts"
import type { CommandSurface, OperationSurface, Surface } from "./surface.ts"

const deprecateFirst = "Restore it, and deprecate it with a sunset date."

/** Kinds of callers, from the widest to the narrowest. A change to another branch is a break too. */
const isNarrower = (old: OperationSurface, current: OperationSurface): boolean => {
  if (current.access === "public") return false
  if (old.access !== current.access) {
    // Sessions of members include what API keys with a permission can do.
    const wider: Readonly<Record<string, ReadonlyArray<string>>> = {
      owner: ["member", "session", "permission", "permissionOrPlatform"],
      session: ["member", "sessionOrWorker"],
      permission: ["member", "permissionOrPlatform"],
      worker: ["memberOrWorker", "sessionOrWorker"],
      sessionOrWorker: ["memberOrWorker"],
      member: ["memberOrWorker"],
      platform: ["permissionOrPlatform"]
    }
    return wider[old.access]?.includes(current.access) !== true
  }
  return current.permissions.some((permission) => !old.permissions.includes(permission))
}

const accessText = ({ access, permissions }: OperationSurface) =>
  permissions.length === 0 ? access : `${access} ${permissions.join(" and ")}`

type Comparison = ReturnType<typeof schemaComparison>

const compareOperation = (
  id: string,
  old: OperationSurface,
  current: OperationSurface,
  { compare }: Comparison
): ReadonlyArray<Break> => {
  const breaks: Array<Break> = []
  const add = (at: string, problem: string, fix: string) => breaks.push({ id: at, problem, fix })
  if (old.method !== current.method || old.path !== current.path) {
    add(
      id,
      `${old.method} ${old.path} is now ${current.method} ${current.path}.`,
      "Keep the route, and add another operation."
    )
  }
  if (isNarrower(old, current)) {
    add(
      id,
      `The access changed from ${accessText(old)} to ${accessText(current)}.`,
      "Keep the permission that was required."
    )
  }
  if (current.plan !== undefined && current.plan !== old.plan) {
    add(id, `It now requires a plan with ${current.plan}.`, "Do not require the plan.")
  }
  for (const [name, { required, schema }] of Object.entries(old.parameters)) {
    const next = current.parameters[name]
    const at = `${id} ${name}`
    if (next === undefined) add(at, "The parameter was removed.", deprecateFirst)
    else {
      if (!required && next.required) add(at, "The parameter is now required.", "Make it optional, with a default.")
      breaks.push(...compare(schema, next.schema, "request", at))
    }
  }
  for (const [name, { required }] of Object.entries(current.parameters)) {
    if (required && old.parameters[name] === undefined)
      add(`${id} ${name}`, "A required parameter was added.", "Make it optional, with a default.")
  }
  if (
    old.body === undefined ? current.body?.required === true : !old.body.required && current.body?.required === true
  ) {
    add(id, "The request now requires a body.", "Make the body optional.")
  }
  for (const [type, schema] of Object.entries(old.body?.content ?? {})) {
    const next = current.body?.content[type]
    if (next === undefined) add(id, `A body of type ${type} is no longer accepted.`, "Accept it as before.")
    else breaks.push(...compare(schema, next, "request", `${id} body`))
  }
  for (const [key, schema] of Object.entries(old.responses)) {
    const next = current.responses[key]
    if (next === undefined) add(id, `The response ${key.trim()} was removed.`, "Return it as before.")
    else breaks.push(...compare(schema, next, "response", `${id} response`))
  }
  const statuses = new Set(Object.keys(old.responses))
  for (const key of Object.keys(current.responses)) {
    if (!statuses.has(key))
      add(id, `The response ${key.trim()} was added.`, "Return it only if the request asks for it.")
  }
  for (const header of old.responseHeaders ?? []) {
    if (!(current.responseHeaders ?? []).includes(header))
      add(id, `The response header ${header} was removed.`, "Return it as before.")
  }
  for (const error of old.errors) {
    if (!current.errors.includes(error)) add(id, `The error ${error} was removed.`, "Return the error as before.")
  }
  return breaks
}

const compareCommand = (name: string, old: CommandSurface, current: CommandSurface): ReadonlyArray<Break> => {
  const breaks: Array<Break> = []
  const add = (at: string, problem: string, fix: string) => breaks.push({ id: at, problem, fix })
  for (const alias of old.aliases) {
    if (!current.aliases.includes(alias)) add(name, `The alias ${alias} was removed.`, "Restore it.")
  }
  old.arguments.forEach((argument, index) => {
    const next = current.arguments[index]
    if (next === undefined) add(name, `The argument <${argument.name}> was removed.`, "Restore it.")
    else if (!argument.required && next.required)
      add(name, `The argument <${next.name}> is now required.`, "Make it optional, with a default.")
  })
  for (const argument of current.arguments.slice(old.arguments.length)) {
    if (argument.required)
      add(name, `A required argument <${argument.name}> was added.`, "Make it optional, with a default.")
  }
  for (const [flag, before] of Object.entries(old.flags)) {
    const next = current.flags[flag]
    const at = `${name} --${flag}`
    if (next === undefined) {
      add(at, "The flag was removed.", "Restore it, or keep it as the former name of another flag.")
      continue
    }
    if (next.type !== before.type) add(at, `Its type changed from ${before.type} to ${next.type}.`, "Restore the type.")
    if (next.required === true && before.required !== true)
      add(at, "The flag is now required.", "Make it optional, with a default.")
    if (before.default !== undefined && next.default !== before.default)
      add(at, `Its default changed from ${before.default} to ${next.default ?? "none"}.`, "Restore the default.")
    const removed = before.values?.filter((value) => next.values?.includes(value) === false) ?? []
    if (removed.length > 0) add(at, `The value ${removed.join(", ")} is no longer accepted.`, "Accept it as before.")
    if (before.values === undefined && next.values !== undefined)
      add(at, `Only ${next.values.join(", ")} is accepted now.`, "Accept other values as before.")
  }
  for (const [flag, { required }] of Object.entries(current.flags)) {
    if (required === true && old.flags[flag] === undefined)
      add(`${name} --${flag}`, "A required flag was added.", "Make it optional, with a default.")
  }
  const fields = old.fields.filter((field) => !current.fields.includes(field))
  if (fields.length > 0) add(name, `--json can no longer select ${fields.join(", ")}.`, "Return the fields as before.")
  return breaks
}

const comparePackages = (old: Surface, current: Surface): ReadonlyArray<Break> => {
  const breaks: Array<Break> = []
  const removed = (id: string, what: string, fix = "Restore it.") =>
    breaks.push({ id, problem: `The ${what} was removed.`, fix })
  for (const [specifier, names] of Object.entries(old.exports)) {
    const next = current.exports[specifier]
    if (next === undefined) removed(specifier, "entry point")
    else for (const name of names) if (!next.includes(name)) removed(`${specifier} ${name}`, "export")
  }
  for (const [name, kind] of Object.entries(old.options)) {
    const next = current.options[name]
    if (next === undefined) removed(`ControlPlaneOptions.${name}`, "option")
    else if (kind === "optional" && next === "required") {
      breaks.push({
        id: `ControlPlaneOptions.${name}`,
        problem: "The option is now required.",
        fix: "Make it optional."
      })
    }
  }
  for (const [name, kind] of Object.entries(current.options)) {
    if (kind === "required" && old.options[name] === undefined) {
      const problem = "A required option was added."
      breaks.push({ id: `ControlPlaneOptions.${name}`, problem, fix: "Make it optional, with a default." })
    }
  }
  for (const name of old.program.commands) {
    if (!current.program.commands.includes(name)) removed(`orgplane-server ${name}`, "command")
  }
  for (const name of old.program.options) {
    if (!current.program.options.includes(name)) removed(`orgplane-server ${name}`, "option")
  }
  return breaks
}

/** Every change of the surface that breaks users of the last release, in the order of the surface. */
export const compareSurfaces = (old: Surface, current: Surface): ReadonlyArray<Break> => {
  const breaks: Array<Break> = []
  const comparison = schemaComparison(old.schemas, current.schemas)
  for (const [id, operation] of Object.entries(old.operations)) {
    const next = current.operations[id]
    if (next === undefined) breaks.push({ id, problem: "The operation was removed.", fix: deprecateFirst })
    else breaks.push(...compareOperation(id, operation, next, comparison))
  }
  for (const [name, command] of Object.entries(old.commands)) {
    const words = `orgplane ${name}`.trim()
    const next = current.commands[name]
    if (next === undefined)
      breaks.push({ id: words, problem: "The command was removed.", fix: "Restore it, or keep its name as an alias." })
    else breaks.push(...compareCommand(words, command, next))
  }
  for (const [name, code] of Object.entries(old.exitCodes)) {
    if (current.exitCodes[name] !== code) {
      breaks.push({
        id: `exit code ${name}`,
        problem: `It changed from ${code} to ${current.exitCodes[name] ?? "none"}.`,
        fix: "Restore it."
      })
    }
  }
  for (const name of old.variables) {
    if (!current.variables.includes(name))
      breaks.push({ id: name, problem: "The environment variable was removed.", fix: "Read it as before." })
  }
  for (const [name, initial] of Object.entries(old.variableDefaults)) {
    const next = current.variableDefaults[name]
    if (next !== undefined && next !== initial)
      breaks.push({ id: name, problem: `Its default changed from ${initial} to ${next}.`, fix: "Restore the default." })
  }
  breaks.push(...comparePackages(old, current))
  for (const [name, { labels, type }] of Object.entries(old.metrics)) {
    const next = current.metrics[name]
    const missing = labels.filter((label) => next?.labels.includes(label) === false)
    if (next === undefined) breaks.push({ id: name, problem: "The metric was removed.", fix: "Report it as before." })
    else if (next.type !== type)
      breaks.push({ id: name, problem: `Its type changed from ${type} to ${next.type}.`, fix: "Restore the type." })
    else if (missing.length > 0)
      breaks.push({ id: name, problem: `The label ${missing.join(", ")} was removed.`, fix: "Report it as before." })
  }
  return unique(breaks)
}

/** A file of `.changeset`. */
export interface Changeset {
  readonly file: string
  readonly text: string
}

/** The package whose major version announces a break: users of the CLI do not read the change log of the server. */
const packageOf = ({ id }: Break) => (/^(?:orgplane|exit code)(?: |$)/u.test(id) ? "@orgplane/cli" : "@orgplane/server")

/** The part of a changeset that tells users of a package how to migrate; undefined if it is not major for the package. */
const migrationNote = ({ text }: Changeset, name: string): string | undefined => {
  const [, header = "", body = ""] = text.split(/^---$/mu)
  const isMajor = header.split("\n").some((line) => line.replaceAll(/["'\s]/gu, "") === `${name}:major`)
  return isMajor ? /^Migration:([\s\S]+)/mu.exec(body)?.[1] : undefined
}

export interface Refusal extends Break {
  readonly sentence: string
}

/**
 * The breaks that a release must not contain: those without a major changeset whose migration note names them, and
 * removals before the sunset that was announced.
 */
export const refusals = (
  old: Surface,
  breaks: ReadonlyArray<Break>,
  changesets: ReadonlyArray<Changeset>,
  today: string
): ReadonlyArray<Refusal> => {
  return breaks.flatMap((each): ReadonlyArray<Refusal> => {
    const sunset = old.operations[each.id]?.deprecated?.sunset
    if (sunset !== undefined && today < sunset) {
      return [
        { ...each, sentence: `${each.id}: ${each.problem} It was announced to work until ${sunset}. Restore it.` }
      ]
    }
    const name = packageOf(each)
    if (changesets.some((changeset) => migrationNote(changeset, name)?.includes(`\`${each.id}\``))) return []
    const sentence = `${each.id}: ${each.problem} ${each.fix} If the break is intended, add a changeset with "major" for ${name} whose text has a paragraph "Migration:" that names \`${each.id}\`.`
    return [{ ...each, sentence }]
  })
}
