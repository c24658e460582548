/** Secrets that configuration documents refer to: `{ fromEnvironment: "NAME" }` and `{ fromFile: "path" }`. */
import { readFile, realpath, stat } from "node:fs/promises"
import { isAbsolute, join, relative, sep } from "node:path"
import { isObject } from "../output/value.ts"
import type { Faults, Path, Place } from "./faults.ts"
import { placeText } from "./faults.ts"
import type { Source } from "./source.ts"
import { type Environment, valueOf } from "./variables.ts"

const secretBytesMax = 64 * 1024
const secretsMax = 1000

interface Reference {
  readonly source: Source
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

function* referencesIn(source: Source, value: unknown, path: Path): Generator<Reference> {
  const reference = path.length > 1 ? referenceOf(value) : undefined
  if (reference !== undefined) yield { source, path, ...reference }
  else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* referencesIn(source, item, [...path, index])
  } else if (isObject(value)) {
    for (const [name, member] of Object.entries(value)) yield* referencesIn(source, member, [...path, name])
  }
}

/** Reads a file below the directory of the document. Its final line break does not belong to the secret. */
const readSecretFile = async (
  { directory }: Source,
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
    if (stats.size > secretBytesMax) {
      return { problem: `refers to the file ${name}, which has more than ${secretBytesMax} bytes` }
    }
    const value = new TextDecoder("utf-8", { fatal: true }).decode(await readFile(file)).replace(/\r?\n$/u, "")
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
  sources: ReadonlyArray<Source>,
  environment: Environment,
  faults: Faults
): Promise<Readonly<Record<string, string>>> => {
  const values = new Map<string, string>()
  const places = new Map<string, Place>()
  const references = sources.flatMap((source) => [...referencesIn(source, source.value, [])])
  for (const [index, { kind, name, path, source }] of references.entries()) {
    const place = source.placeOf(path)
    if (index === secretsMax) faults.add(place, path, `exceeds the limit of ${secretsMax} secrets`)
    if (index >= secretsMax) break
    const secret = kind === "fromEnvironment" ? valueOf(environment, name) : await readSecretFile(source, name)
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
