import { existsSync, readFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"

const root = dirname(import.meta.dirname)
/** Git ignores this folder. */
export const cache = join(root, ".cache", "counterparts")

/**
 * The external programs that the suites run, each at an exact version. They are never dependencies of this repository.
 */
export const pins = JSON.parse(readFileSync(join(import.meta.dirname, "pins.json"), "utf8")) as Readonly<
  Record<string, string>
>

/** The folder that npm installed a pinned program into. */
export const folderOf = (name: string): string => {
  const version = pins[name]
  if (version === undefined) throw new Error(`${name} is not in counterparts/pins.json.`)
  return join(cache, `${name}@${version}`)
}

/** The path of a file of a pinned program, such as `dist/index.js`. */
export const fileOf = (name: string, file: string): string => {
  const path = join(folderOf(name), "node_modules", name, file)
  if (!existsSync(path)) {
    throw new Error(`${name}@${pins[name]} is not installed, or has no ${file}. Run \`pnpm counterparts\`.`)
  }
  return path
}

const browsers = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]

/**
 * The path of Chromium, which npm does not have. Undefined if it is not installed: then the suites that need it are
 * skipped.
 */
export const findChromium = (): string | undefined =>
  browsers
    .flatMap((name) => (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, name)))
    .find((path) => existsSync(path))
