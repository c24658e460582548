/** The part of the public surface that is in the packages themselves: what they export, and the program of the server. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"

export interface ProgramSurface {
  readonly commands: ReadonlyArray<string>
  /** With their command, if they belong to one: `backup --to`. */
  readonly options: ReadonlyArray<string>
}

const declaration =
  /^export (?:declare |abstract |async )*(?:const|let|function|class|interface|type|enum|namespace) (\w+)/gmu
const list = /^export (?:type )?\{([^}]*)\}/gmu
const namespaceExport = /^export (?:type )?\* as (\w+) from/gmu
const reexport = /^export (?:type )?\* from "(\.[^"]+)"/gmu

/** The names that a module exports, types included. The exports of another package are not followed. */
export const exportedNames = (file: string): ReadonlyArray<string> => {
  const text = readFileSync(file, "utf8")
  const listed = [...text.matchAll(list)].flatMap(([, names = ""]) =>
    names.split(",").map((name) => name.trim().split(" as ").at(-1)?.replace("type ", "").trim() ?? "")
  )
  const names = [
    ...[...text.matchAll(declaration)].map(([, name = ""]) => name),
    ...[...text.matchAll(namespaceExport)].map(([, name = ""]) => name),
    ...listed.filter((name) => name !== ""),
    ...[...text.matchAll(reexport)].flatMap(([, path = ""]) => exportedNames(join(dirname(file), path)))
  ]
  return [...new Set(names)].toSorted()
}

/** The published entry points that have one file each. The modules of the schema are added to them. */
const entries: Readonly<Record<string, string>> = {
  "@orgplane/client": "client/src/index.ts",
  "@orgplane/client/effect": "client/src/effect/index.ts",
  "@orgplane/client/embedded": "client/src/embedded.ts",
  "@orgplane/console": "console/src/files.ts",
  "@orgplane/schema": "schema/src/index.ts",
  "@orgplane/server": "server/src/index.ts"
}

interface Manifest {
  readonly publishConfig?: { readonly exports?: Readonly<Record<string, unknown>> }
}

/** The exported names by entry point, of the sources in a folder. Files that are not modules export nothing. */
export const packageExports = (root: string): Readonly<Record<string, ReadonlyArray<string>>> => {
  const packages = join(root, "packages")
  const modules = readdirSync(join(packages, "schema/src"), { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => /^(?:shared\/)?[\w-]+(?<!\.test)\.ts$/u.test(file) && file !== "index.ts")
  const result: Record<string, ReadonlyArray<string>> = {}
  for (const name of ["client", "console", "schema", "server"]) {
    const manifest = JSON.parse(readFileSync(join(packages, name, "package.json"), "utf8")) as Manifest
    for (const subpath of Object.keys(manifest.publishConfig?.exports ?? {})) {
      if (subpath.includes("*")) continue
      const specifier = `@orgplane/${name}${subpath.slice(1)}`
      const file = join(packages, entries[specifier] ?? "none")
      result[specifier] = entries[specifier] !== undefined && existsSync(file) ? exportedNames(file) : []
    }
    if (name !== "schema" || manifest.publishConfig?.exports?.["./*"] === undefined) continue
    for (const module of modules) {
      // The shared modules are parts of the others, whose names alone are stable.
      const file = join(packages, "schema/src", module)
      const specifier = `@orgplane/schema/${module.slice(0, -".ts".length)}`
      result[specifier] = module.startsWith("shared/") ? [] : exportedNames(file)
    }
  }
  return Object.fromEntries(Object.entries(result).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** The options of the embedded server, by whether they are required. */
export const serverOptions = (root: string): Readonly<Record<string, "optional" | "required">> => {
  const text = readFileSync(join(root, "packages/server/src/infra/options.ts"), "utf8")
  const body = /^export interface ControlPlaneOptions \{\n([\s\S]*?)^\}/mu.exec(text)?.[1] ?? ""
  return Object.fromEntries(
    [...body.matchAll(/^ {2}readonly (\w+)(\??):/gmu)].map(([, name = "", mark]) => [
      name,
      mark === "?" ? "optional" : "required"
    ])
  )
}

/** The commands and options in the help of `orgplane-server`. */
export const programSurface = (help: string): ProgramSurface => {
  const [, commandLines = "", optionLines = ""] =
    /^Commands:\n([\s\S]*?)^Options:\n([\s\S]*?)^Exit codes:/mu.exec(help) ?? []
  const commands: Array<string> = []
  const options = [...optionLines.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gmu)].map(([, name = ""]) => name)
  for (const line of commandLines.split("\n")) {
    const command = /^ {2}([a-z][\w-]*)/u.exec(line)?.[1]
    if (command !== undefined) commands.push(command)
    const option = /^ {10,}(--[\w-]+)/u.exec(line)?.[1]
    if (option !== undefined) options.push(`${commands.at(-1)} ${option}`)
  }
  return { commands, options }
}

/** The default that a description states as one word, such as `Default: 8787.`; undefined if it is more than a word. */
export const statedDefault = (text: string): string | undefined =>
  /\bDefault: `?([\w.:/-]*[\w/])`?\.?$/u.exec(text)?.[1]
