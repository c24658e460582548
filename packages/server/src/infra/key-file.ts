/** The keys of an installation as text: one per line in the file of a data directory, separated by commas in a variable. */
import * as Data from "effect/Data"
import { open, readFile, rename, rm } from "node:fs/promises"
import { dirname } from "node:path"

/** A key file or a list of keys that is malformed, or has a key that is too weak. The message does not contain a key. */
export class KeysMalformed extends Data.TaggedError("KeysMalformed")<{ readonly message: string }> {}

export interface Keys {
  /** The first one encrypts, and all of them decrypt. They also sign and verify. */
  readonly secrets: readonly [string, ...ReadonlyArray<string>]
  /** They only verify what they have signed. */
  readonly verifyOnly: ReadonlyArray<string>
}

export const keyFileName = "secret-key"
export const keyLengthMin = 32
/** Three times the length of a key file after a year with one rotation per day. */
const textLengthMax = 65_536
const verifyPrefix = "verify:"

/** Lists each key once. A key that decrypts also verifies, so its other entries have no effect. */
const keysOf = (entries: ReadonlyArray<string>): Keys | undefined => {
  const isVerifyOnly = (entry: string) => entry.startsWith(verifyPrefix)
  const [first, ...others] = new Set(entries.filter((entry) => !isVerifyOnly(entry)))
  if (first === undefined) return undefined
  const secrets = new Set([first, ...others])
  const verifyOnly = new Set(entries.filter(isVerifyOnly).map((entry) => entry.slice(verifyPrefix.length).trim()))
  return { secrets: [first, ...others], verifyOnly: [...verifyOnly].filter((key) => !secrets.has(key)) }
}

const lengthOf = (entry: string): number =>
  entry.startsWith(verifyPrefix) ? entry.slice(verifyPrefix.length).trim().length : entry.length

/**
 * Parses the keys in a text, newest first. Empty lines are ignored. A line that starts with `verify:` is a key that only
 * verifies.
 *
 * @param path the name of the file in messages.
 */
export const parseKeyFile = (text: string, path: string): Keys => {
  if (text.length > textLengthMax) {
    throw new KeysMalformed({ message: `The secret key ${path} is longer than ${textLengthMax} characters.` })
  }
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.trim())
  const weak = lines.findIndex((line) => line !== "" && lengthOf(line) < keyLengthMin)
  const keys = weak === -1 ? keysOf(lines.filter((line) => line !== "")) : undefined
  if (keys !== undefined) return keys
  const line = lines.filter((line) => line !== "").length > 1 && weak !== -1 ? `Line ${weak + 1} of the` : "The"
  throw new KeysMalformed({
    message: `${line} secret key ${path} is empty or truncated: it must have at least ${keyLengthMin} characters.`
  })
}

/** Parses the keys of an environment variable: the same entries, separated by commas or line breaks. */
export const parseKeyList = (text: string): Keys | undefined | "weak" => {
  const entries = text
    .split(/[,\r\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")
  return entries.some((entry) => lengthOf(entry) < keyLengthMin) ? "weak" : keysOf(entries)
}

const linesOf = ({ secrets, verifyOnly }: Keys): ReadonlyArray<string> => [
  ...secrets,
  ...verifyOnly.map((key) => `${verifyPrefix}${key}`)
]

export const formatKeyFile = (keys: Keys): string => `${linesOf(keys).join("\n")}\n`

/** The keys as the value of ORGPLANE_SECRET_KEYS. */
export const formatKeyList = (keys: Keys): string => linesOf(keys).join(",")

export const readKeyFile = async (path: string): Promise<Keys> => parseKeyFile(await readFile(path, "utf8"), path)

/**
 * The keys that sign and verify besides the secret keys, newest first. Without signing keys, the newest secret key stays
 * the one that signs.
 */
export const signingKeysOf = (
  { secrets: [newest], verifyOnly }: Keys,
  signingKeys: ReadonlyArray<string> = []
): ReadonlyArray<string> =>
  verifyOnly.length === 0 ? signingKeys : [...(signingKeys.length === 0 ? [newest] : signingKeys), ...verifyOnly]

const sync = async (path: string) => {
  const file = await open(path, "r")
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Replaces a key file. After a crash or a power failure, it has either the old or the new keys. */
export const writeKeyFile = async (path: string, keys: Keys): Promise<void> => {
  const hidden = `${path}.${process.pid}`
  try {
    await rm(hidden, { force: true })
    const file = await open(hidden, "wx", 0o600)
    try {
      await file.writeFile(formatKeyFile(keys))
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(hidden, path)
    // Windows cannot open a directory.
    if (process.platform !== "win32") await sync(dirname(path))
  } finally {
    await rm(hidden, { force: true })
  }
}
