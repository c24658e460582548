/** Encryption in the format of `age` (age-encryption.org/v1), so that the program `age` decrypts a backup too. */
import { open, readFile } from "node:fs/promises"
import { Readable } from "node:stream"
import type { ReadableStream as NodeReadableStream } from "node:stream/web"
import { BackupFailed, damaged, failed } from "./failure.ts"

/** The keys for one backup, by the paths that the operator gives. */
export interface Credentials {
  readonly recipients?: ReadonlyArray<string>
  readonly passphraseFile?: string
  readonly identityFile?: string
}

const header = "age-encryption.org/v1\n"
const armorHeader = "-----BEGIN AGE ENCRYPTED FILE-----"

const passphraseLengthMin = 12

const textOf = async (path: string, option: string): Promise<string> => {
  try {
    return await readFile(path, "utf8")
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error"
    throw failed(`Cannot read ${path} (${code}). Check ${option}.`)
  }
}

const passphraseIn = async (path: string): Promise<string> => {
  const passphrase = (await textOf(path, "--passphrase-file")).split(/\r?\n/)[0] ?? ""
  if (passphrase.length >= passphraseLengthMin) return passphrase
  throw failed(`The first line of ${path} must be a passphrase of at least ${passphraseLengthMin} characters.`)
}

const toWeb = (stream: Readable) => Readable.toWeb(stream) as unknown as ReadableStream<Uint8Array>
const fromWeb = (stream: ReadableStream<Uint8Array>) => Readable.fromWeb(stream as NodeReadableStream<Uint8Array>)

/** Checks the keys before anything else is done, and returns what encrypts a stream; undefined without keys. */
export const encryptionOf = async ({ passphraseFile, recipients = [] }: Credentials) => {
  if (recipients.length === 0 && passphraseFile === undefined) return undefined
  const { Encrypter } = await import("age-encryption")
  const encrypter = new Encrypter()
  if (passphraseFile !== undefined) encrypter.setPassphrase(await passphraseIn(passphraseFile))
  for (const recipient of recipients) {
    try {
      encrypter.addRecipient(recipient)
    } catch {
      // Without the value, which can be a private key by mistake.
      throw failed(
        /^age-secret-key-/i.test(recipient)
          ? "--recipient must be a public key (age1…), but it is a private key, which other users can read in the list of processes. Create another one, and set --recipient to the public key that age-keygen -y prints."
          : "--recipient must be a public key that age-keygen prints: age1…."
      )
    }
  }
  return async (plain: Readable): Promise<Readable> => fromWeb(await encrypter.encrypt(toWeb(plain)))
}

const startOf = async (path: string): Promise<string> => {
  const file = await open(path, "r").catch((cause: NodeJS.ErrnoException) => {
    throw failed(`Cannot read ${path} (${cause.code ?? "unknown error"}).`)
  })
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(armorHeader.length), 0, armorHeader.length, 0)
    return buffer.toString("latin1", 0, bytesRead)
  } catch (cause) {
    throw failed(`Cannot read ${path} (${(cause as NodeJS.ErrnoException).code ?? "unknown error"}).`)
  } finally {
    await file.close()
  }
}

/** The content of a backup, decrypted if it is encrypted. */
export const plainStreamOf = async (
  path: string,
  encrypted: Readable,
  { identityFile, passphraseFile }: Credentials
): Promise<Readable> => {
  const start = await startOf(path)
  const hasKey = identityFile !== undefined || passphraseFile !== undefined
  if (start.startsWith(armorHeader)) {
    throw failed(`${path} is armored. Run age --decrypt first, and restore the file that it writes.`)
  }
  if (!start.startsWith(header)) {
    // Anyone who can replace an encrypted backup could otherwise choose the keys and the data of the installation.
    if (hasKey)
      throw failed(`${path} is not encrypted. Remove --identity-file or --passphrase-file if that is expected.`)
    return encrypted
  }
  if (!hasKey) throw failed(`${path} is encrypted. Set --identity-file or --passphrase-file.`)
  const { Decrypter } = await import("age-encryption")
  const decrypter = new Decrypter()
  if (passphraseFile !== undefined) decrypter.addPassphrase(await passphraseIn(passphraseFile))
  if (identityFile !== undefined) {
    const lines = (await textOf(identityFile, "--identity-file")).split(/\r?\n/).map((line) => line.trim())
    const identities = lines.filter((line) => line !== "" && !line.startsWith("#"))
    if (identities.length === 0) throw failed(`${identityFile} contains no identity (AGE-SECRET-KEY-1…).`)
    try {
      for (const identity of identities) decrypter.addIdentity(identity)
    } catch {
      throw failed(`${identityFile} must contain identities that age-keygen writes: AGE-SECRET-KEY-1….`)
    }
  }
  try {
    return fromWeb(await decrypter.decrypt(toWeb(encrypted)))
  } catch (cause) {
    if (cause instanceof BackupFailed) throw cause
    const message = cause instanceof Error ? cause.message : String(cause)
    if (/no identity matched/i.test(message)) {
      const key = passphraseFile === undefined ? "identity" : "passphrase"
      throw failed(
        `The ${key} does not decrypt ${path}. Check ${passphraseFile === undefined ? "--identity-file" : "--passphrase-file"}.`
      )
    }
    throw damaged(path, message)
  }
}
