/** Builds and packs the packages of a release from its commit, in a temporary clone. */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { dirname, join } from "node:path"

const root = join(import.meta.dirname, "..")

/** A file of `releases`: what was released. */
export interface Release {
  readonly version: string
  /** The commit that the packages are built from. */
  readonly commit: string
  /** The number of its last schema migration. */
  readonly schemaVersion: number
  /** The version of pnpm that packed them: another one may compress differently. */
  readonly pnpm: string
  /** SHA-512 of each tarball, in the format of an npm lockfile. */
  readonly integrity: Readonly<Record<string, string>>
}

const folder = join(root, "releases")

/** All releases, the earliest first. */
export const releases = (): ReadonlyArray<Release> =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as Release)
    .toSorted((one, other) => one.version.localeCompare(other.version, "en", { numeric: true }))

/** The environment without the settings of the package manager that runs this process. */
export const cleanEnvironment = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(npm_(config|package|lifecycle)_|pnpm_|NODE_OPTIONS|VITEST)/iu.test(name)
  )
)

const runIn = (cwd: string, program: string, ...args: ReadonlyArray<string>): string => {
  const PATH = `${join(cwd, "node_modules/.bin")}:${process.env["PATH"] ?? ""}`
  try {
    return execFileSync(program, args, {
      cwd,
      encoding: "utf8",
      env: { ...cleanEnvironment, PATH, NO_COLOR: "1" },
      stdio: ["ignore", "pipe", "pipe"],
      maxBuffer: 64 * 1024 * 1024
    })
  } catch (cause) {
    const { stderr, stdout } = cause as { readonly stdout?: string; readonly stderr?: string }
    const output = `${stdout ?? ""}${stderr ?? ""}`.trimEnd().split("\n").slice(-20).join("\n")
    throw new Error(`${program} ${args.join(" ")} failed.\n${output}`, { cause })
  }
}

/** Fails if the history of a repository does not contain a commit. */
export const demandCommit = (commit: string, repository = root) => {
  try {
    runIn(repository, "git", "cat-file", "-e", `${commit}^{commit}`)
  } catch {
    const isShallow = runIn(repository, "git", "rev-parse", "--is-shallow-repository").trim() === "true"
    throw new Error(
      isShallow
        ? `The history of this repository is shallow and lacks the commit ${commit}. Run git fetch --unshallow, or set fetch-depth: 0 in the CI workflow.`
        : `This repository lacks the commit ${commit}. Fetch the branch main.`
    )
  }
}

/** Builds and packs a commit in a clone at a path, and moves the tarballs to a folder. */
export const packCommit = (commit: string, pnpm: string, clone: string, packages: string) => {
  demandCommit(commit)
  rmSync(clone, { recursive: true, force: true })
  runIn(root, "git", "clone", "--quiet", "--shared", "--no-checkout", root, clone)
  runIn(clone, "git", "checkout", "--quiet", "--detach", commit)
  const runPnpm = (...args: ReadonlyArray<string>) => runIn(clone, "npx", "--yes", `pnpm@${pnpm}`, ...args)
  runPnpm("install", "--frozen-lockfile")
  runPnpm("-r", "--workspace-concurrency=2", "--filter", "./packages/*", "run", "build")
  mkdirSync(packages, { recursive: true })
  runPnpm("-r", "--filter", "./packages/*", "pack", "--pack-destination", packages)
}

/** The tarballs of a folder by the name of the package. */
export const tarballsOf = (packages: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(packages)
      .filter((file) => file.endsWith(".tgz"))
      .toSorted()
      .map((file) => [file.replace(/^orgplane-(\w+)-\d.*$/, "@orgplane/$1"), join(packages, file)])
  )

export const integrityOf = (tarballs: ReadonlyMap<string, string>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...tarballs].map(([name, file]) => [
      name,
      `sha512-${createHash("sha512").update(readFileSync(file)).digest("base64")}`
    ])
  )

const targetOf = (commit: string) => join(root, ".cache", "releases", commit)

/** Whether `buildRelease` has a cached result. */
export const isBuilt = ({ commit }: Pick<Release, "commit">) => existsSync(targetOf(commit))

export interface BuiltRelease {
  readonly tarballs: ReadonlyMap<string, string>
  /** A folder with the installed packages. */
  readonly app: string
}

/**
 * The packages of a release, built from history and installed as a user would install them. The result is cached by
 * commit. A cached result is complete, because it is moved into its place at the end.
 */
export const buildRelease = ({ commit, pnpm }: Pick<Release, "commit" | "pnpm">): BuiltRelease => {
  const target = targetOf(commit)
  const cache = dirname(target)
  if (!existsSync(target)) {
    mkdirSync(cache, { recursive: true })
    const making = mkdtempSync(join(cache, "making-"))
    try {
      packCommit(commit, pnpm, join(making, "clone"), join(making, "packages"))
      rmSync(join(making, "clone"), { recursive: true, force: true })
      const app = join(making, "app")
      mkdirSync(app)
      // Without it, npm would install into the repository.
      writeFileSync(join(app, "package.json"), `${JSON.stringify({ private: true, type: "module" })}\n`)
      const files = [...tarballsOf(join(making, "packages")).values()]
      const npm = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline", "--loglevel=error"]
      runIn(app, "npm", ...npm, ...files)
      renameSync(making, target)
    } finally {
      rmSync(making, { recursive: true, force: true })
    }
  }
  return { tarballs: tarballsOf(join(target, "packages")), app: join(target, "app") }
}
