/** Secrets that configuration documents refer to: `{ fromEnvironment: "NAME" }` and `{ fromFile: "path" }`. */
import { readFile, realpath, stat } from "node:fs/promises"
import { isAbsolute, join, relative, sep } from "node:path"
import { secretFields, secretLengthMax, secretsMax } from "@orgplane/schema/shared/configuration/limits"
import { type Faults, type Path, type Place, placeText } from "@orgplane/schema/shared/configuration-files/faults"
import type { Source } from "@orgplane/schema/shared/configuration-files/source"
import { type Environment, valueOf } from "@orgplane/schema/shared/configuration-files/variables"
import { isObject } from "../output/value.ts"
import type { CollectedFile } from "./collect-files.ts"

/** The largest size of a file with the most characters, in UTF-8. */
const secretBytesMax = 4 * secretLengthMax

type SourceFile = Source & CollectedFile

interface Reference {
  readonly source: SourceFile
  readonly path: Path
  readonly kind: "fromEnvironment" | "fromFile"
  readonly name: string
}

const referenceOf = (value: unknown): Pick<Reference, "kind" | "name"> | undefined => {
  if (!isObject(value)) return undefined
  const [kind, ...others] = Object.keys(value)
  if (others.length > 0 || (kind !== "fromEnvironment" && kind !== "fromFile")) return undefined
  const name = value[kind]
  return typeof name === "string" ? { kind, name } : undefined
}

/** The references in the secret fields of the entries. The same object elsewhere, such as in free JSON, is only data. */
const referencesIn = (source: SourceFile): ReadonlyArray<Reference> =>
  Object.entries(secretFields).flatMap(([kind, fields]) => {
    const entries: unknown = source.value[kind]
    return (Array.isArray(entries) ? entries : []).flatMap((entry: unknown, index) =>
      fields.flatMap((field) => {
        const reference = isObject(entry) ? referenceOf(entry[field]) : undefined
        return reference === undefined ? [] : [{ source, path: [kind, index, field], ...reference }]
      })
    )
  })

const tooLong = (what: string) => ({ problem: `refers to ${what}, which has more than ${secretLengthMax} characters` })

const variableSecret = (environment: Environment, name: string): ReturnType<typeof valueOf> => {
  const variable = valueOf(environment, name)
  return "value" in variable && variable.value.length > secretLengthMax
    ? tooLong(`the environment variable ${name}`)
    : variable
}

/** Reads a file below the directory of the document. Its final line break does not belong to the secret. */
const readSecretFile = async (
  { directory }: SourceFile,
  name: string
): Promise<{ readonly value: string } | { readonly problem: string }> => {
  if (directory === undefined) return { problem: "refers to a file, which a document from standard input cannot" }
  if (name === "" || isAbsolute(name)) return { problem: "must be a path relative to the directory of the document" }
  try {
    const [base, file] = await Promise.all([realpath(directory), realpath(join(directory, name))])
    const inside = relative(base, file)
    if (inside === "" || inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
      return { problem: `refers to the file ${name}, which is not below the directory of the document` }
    }
    const stats = await stat(file)
    if (!stats.isFile()) return { problem: `refers to ${name}, which is not a file` }
    if (stats.size > secretBytesMax) return tooLong(`the file ${name}`)
    const value = new TextDecoder("utf-8", { fatal: true }).decode(await readFile(file)).replace(/\r?\n$/u, "")
    if (value.length > secretLengthMax) return tooLong(`the file ${name}`)
    return value === "" ? { problem: `refers to the file ${name}, which is empty` } : { value }
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined
    if (error instanceof TypeError) return { problem: `refers to the file ${name}, which is not UTF-8 text` }
    return {
      problem: `refers to the file ${name}, which ${code === "ENOENT" ? "does not exist" : "cannot be read"}`
    }
  }
}

/**
 * The values of all secrets by name: the name of the variable, or the path of the file. Secrets from the environment are
 * limited to the names that the command line allows, so that a document cannot send other variables to the server.
 */
export const collectSecrets = async (
  sources: ReadonlyArray<SourceFile>,
  environment: Environment,
  faults: Faults
): Promise<Readonly<Record<string, string>>> => {
  const values = new Map<string, string>()
  const places = new Map<string, Place>()
  for (const { kind, name, path, source } of sources.flatMap(referencesIn)) {
    const place = source.placeOf(path)
    if (!values.has(name) && values.size === secretsMax) {
      faults.add(place, path, `exceeds the limit of ${secretsMax} secrets`)
      break
    }
    const secret = kind === "fromEnvironment" ? variableSecret(environment, name) : await readSecretFile(source, name)
    if ("problem" in secret) {
      faults.add(place, path, secret.problem)
      continue
    }
    const first = places.get(name)
    if (first !== undefined && values.get(name) !== secret.value) {
      faults.add(place, path, `has the name of a different secret in ${placeText(first)}. Use different names: ${name}`)
    }
    values.set(name, secret.value)
    places.set(name, first ?? place)
  }
  return Object.fromEntries(values)
}
