import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { randomBytes } from "node:crypto"
import { chmod, link, mkdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { keyFileName, keyLengthMin, type Keys, KeysMalformed, readKeyFile, signingKeysOf } from "./key-file.ts"
import type { ControlPlaneOptions } from "./options.ts"
import { pathExists } from "./path-exists.ts"

/** The secret keys are missing or too weak. */
export class SecretKeysUnusable extends Data.TaggedError("SecretKeysUnusable")<{ readonly message: string }> {}

export const makeSecret = () => randomBytes(32).toString("base64url")

const withAdvice = (cause: unknown, advice: string) =>
  cause instanceof KeysMalformed ? new SecretKeysUnusable({ message: `${cause.message} ${advice}` }) : cause

/** The keys of a data directory. The first start creates one with mode 0600. It decrypts every stored secret. */
const ownKeys = async (dataDir: string, mayMake: boolean): Promise<Keys> => {
  const path = join(dataDir, keyFileName)
  if (!mayMake) {
    // A new key could not decrypt anything, and would prevent restoring the old one.
    if (!(await pathExists(path))) {
      throw new SecretKeysUnusable({
        message:
          `The secret key ${path} is missing, and the database contains secrets that only this key can decrypt. ` +
          "Restore the file from a backup, or set ORGPLANE_SECRET_KEYS to its content. If no copy of it exists, " +
          "see orgplane-server rotate-keys --discard-unreadable."
      })
    }
    return readKeyFile(path).catch((cause: unknown) => {
      throw withAdvice(cause, "Restore the file from a backup, or set ORGPLANE_SECRET_KEYS to its content.")
    })
  }
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  await chmod(dataDir, 0o700)
  // The key is first written under another name, so that a crash does not leave an empty key file.
  const hidden = `${path}.${process.pid}`
  await writeFile(hidden, `${makeSecret()}\n`, { mode: 0o600 })
  try {
    await link(hidden, path)
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause && cause.code === "EEXIST")) throw cause
  } finally {
    await rm(hidden, { force: true })
  }
  // Anyone could decrypt values that an empty key encrypts.
  return readKeyFile(path).catch((cause: unknown) => {
    throw withAdvice(
      cause,
      "The database contains nothing encrypted with it. Restore the file from a backup, or delete it to create a new key."
    )
  })
}

export interface ConfiguredKeys {
  /** The first one encrypts, and all of them decrypt. */
  readonly secrets: readonly [string, ...ReadonlyArray<string>]
  /** The first one signs, or the first secret if there is none. All of them and the secrets verify. */
  readonly signing: ReadonlyArray<string>
}

/** The path of the key file, if the keys of a control plane are in its data directory. */
export const keyFileOf = ({ database, secretKeys }: ControlPlaneOptions): string | undefined =>
  secretKeys?.[0] === undefined && database.kind === "pglite" && database.dataDir !== "memory"
    ? join(database.dataDir, keyFileName)
    : undefined

/**
 * The keys of a control plane, newest first; with `isSealed` none is generated, because the database already has its
 * keys.
 */
export const secretKeysOf = (
  options: ControlPlaneOptions,
  isSealed: boolean
): Effect.Effect<ConfiguredKeys, SecretKeysUnusable> =>
  Effect.gen(function* () {
    const { database, signingKeys = [] } = options
    if (signingKeys.some((key) => key.length < keyLengthMin)) {
      return yield* new SecretKeysUnusable({
        message: `Each key in the option signingKeys (orgplane-server: ORGPLANE_SIGNING_KEYS) must have at least ${keyLengthMin} characters.`
      })
    }
    const [first, ...others] = options.secretKeys ?? []
    if (first !== undefined) {
      if ([first, ...others].some((secret) => secret.length < keyLengthMin)) {
        return yield* new SecretKeysUnusable({
          message: `Each key in the option secretKeys (orgplane-server: ORGPLANE_SECRET_KEYS) must have at least ${keyLengthMin} characters.`
        })
      }
      return { secrets: [first, ...others], signing: signingKeys }
    }
    if (database.kind === "postgres") {
      return yield* new SecretKeysUnusable({
        message:
          "Set the option secretKeys (orgplane-server: ORGPLANE_SECRET_KEYS). With PostgreSQL, all processes must share the same secret keys."
      })
    }
    if (database.dataDir === "memory") return { secrets: [makeSecret()], signing: signingKeys }
    const { dataDir } = database
    const keys = yield* Effect.tryPromise({
      try: () => ownKeys(dataDir, !isSealed),
      catch: (cause) =>
        cause instanceof SecretKeysUnusable
          ? cause
          : new SecretKeysUnusable({
              message: `Cannot read the secret key in the data directory: ${cause instanceof Error ? cause.message : String(cause)}`
            })
    })
    return { secrets: keys.secrets, signing: signingKeysOf(keys, signingKeys) }
  })
