/** The profile file. It contains credentials, so only its owner may read it. */
import { chmod, mkdir, open, readFile, rename, rm, stat } from "node:fs/promises"
import { homedir } from "node:os"
import { isAbsolute, join } from "node:path"
import { exit } from "./exit-code.ts"
import { Failure, usage } from "./failure.ts"
import { type Io, notify } from "./io.ts"
import { isObject, member } from "./output/value.ts"
import { shellQuoted } from "./shell.ts"

export interface Profile {
  readonly baseUrl: string
  readonly token: string
  /** Organization ID sent with each request, for users in several organizations. */
  readonly organization?: string
  /** For display. */
  readonly organizationName?: string
}

export interface Profiles {
  readonly current: string | undefined
  readonly profiles: ReadonlyMap<string, Profile>
}

export const configDirectoryOf = (env: Io["env"]): string => {
  const configHome = env["XDG_CONFIG_HOME"]
  // The XDG specification requires relative paths to be ignored.
  const base =
    configHome !== undefined && isAbsolute(configHome) ? configHome : join(env["HOME"] ?? homedir(), ".config")
  return join(base, "orgplane")
}

export const profilesPath = (env: Io["env"]): string => join(configDirectoryOf(env), "profiles.json")

export const checkName = (name: string): string => {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) {
    throw usage(
      "A profile name must have 1 to 64 letters, digits, dots, dashes or underscores, and start with a letter or digit."
    )
  }
  return name
}

export const isAbsent = (error: unknown) => error instanceof Error && (error as NodeJS.ErrnoException).code === "ENOENT"

export const loadProfiles = async (io: Io): Promise<Profiles> => {
  const path = profilesPath(io.env)
  try {
    const { mode } = await stat(path)
    if (process.platform !== "win32" && (mode & 0o077) !== 0) {
      await notify(
        io,
        `orgplane: Other users can read ${path}, which contains credentials. Run: chmod 600 ${shellQuoted(path)}`
      )
    }
  } catch (error) {
    if (isAbsent(error)) return noProfiles
  }
  return readProfiles(path)
}

const noProfiles: Profiles = { current: undefined, profiles: new Map() }

const readProfiles = async (path: string): Promise<Profiles> => {
  let text: string
  try {
    text = await readFile(path, "utf8")
  } catch (error) {
    if (isAbsent(error)) return noProfiles
    throw new Failure(exit.failure, `Cannot read the profiles in ${path}.`)
  }
  try {
    return decode(JSON.parse(text))
  } catch {
    throw new Failure(exit.failure, `${path} is not a valid profile file. Move it and sign in again.`)
  }
}

const decode = (value: unknown): Profiles => {
  const current = member(value, "current")
  const entries = member(value, "profiles")
  if (!isObject(entries)) throw new Error("profiles is missing")
  const profiles = new Map<string, Profile>()
  for (const [name, entry] of Object.entries(entries)) {
    const [baseUrl, token] = [member(entry, "baseUrl"), member(entry, "token")]
    const [organization, organizationName] = [member(entry, "organization"), member(entry, "organizationName")]
    if (typeof baseUrl !== "string" || typeof token !== "string") throw new Error(`${name} is not a profile`)
    profiles.set(name, {
      baseUrl,
      token,
      ...(typeof organization === "string" ? { organization } : {}),
      ...(typeof organizationName === "string" ? { organizationName } : {})
    })
  }
  return { current: typeof current === "string" && profiles.has(current) ? current : undefined, profiles }
}

const fileName = "profiles.json"

/** Changes the stored profiles, which another process may have changed since this one read them. */
export const changeProfiles = async (io: Io, change: (all: Profiles) => Profiles): Promise<void> => {
  const { underLock } = await import("./config-lock.ts")
  await underLock(io, fileName, async () => {
    const { current, profiles } = change(await readProfiles(profilesPath(io.env)))
    const file = { version: 1, current: current ?? null, profiles: Object.fromEntries(profiles) }
    await writePrivately(io.env, fileName, JSON.stringify(file, null, 2))
  })
}

/** Writes a temporary file and renames it: readers see the old file or the new one, even if the disk is full. */
export const writePrivately = async (env: Io["env"], name: string, text: string): Promise<void> => {
  const directory = configDirectoryOf(env)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await chmod(directory, 0o700)
  const path = join(directory, name)
  const temporaryPath = `${path}.${crypto.randomUUID()}`
  try {
    const file = await open(temporaryPath, "wx", 0o600)
    try {
      await file.writeFile(`${text}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporaryPath, path)
  } catch (error) {
    await rm(temporaryPath, { force: true })
    throw error
  }
}

export const withProfile = (all: Profiles, name: string, profile: Profile): Profiles => ({
  current: name,
  profiles: new Map([...all.profiles, [name, profile]])
})

export const withoutProfile = (all: Profiles, name: string): Profiles => ({
  current: all.current === name ? undefined : all.current,
  profiles: new Map([...all.profiles].filter(([each]) => each !== name))
})
