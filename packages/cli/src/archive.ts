/** Downloads an archive and keeps it only if it is complete and signed with the server's key. */
import { createHash, randomBytes } from "node:crypto"
import { open, rename, rm } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import type { Connection } from "./connection.ts"
import { verifyEd25519 } from "./ed25519.ts"
import { exit, type ExitCode } from "./exit-code.ts"
import { Failure, usage } from "./failure.ts"
import { type Io, notify } from "./io.ts"
import { listAt, textAt } from "./output/value.ts"
import type { WireRequest } from "./request.ts"

interface SignedDigest {
  readonly sha256: string
  readonly keyId: string
}

const verificationFailure = (reason: string) => new Failure(exit.failure, `Archive verification failed: ${reason}.`)

/** The digest in the response headers, after its signature has been verified with the server's public key. */
const verifiedDigest = async (
  connection: Connection,
  pluginId: string,
  headers: Pick<Headers, "get">
): Promise<SignedDigest> => {
  const digest = /^sha-256=:([A-Za-z0-9+/]{43}=):$/.exec(headers.get("repr-digest") ?? "")?.[1]
  const [signature, keyId] = [headers.get("x-archive-signature"), headers.get("x-archive-key-id")]
  if (digest === undefined || signature === null || keyId === null)
    throw verificationFailure("the response has no signature")
  const keys = await connection.send({ method: "GET", path: "/v1/keys", query: {}, body: undefined })
  const x = listAt(keys, "keys").flatMap((key) => (textAt(key, "kid") === keyId ? (textAt(key, "x") ?? []) : []))[0]
  if (x === undefined) throw verificationFailure(`the server does not publish the key ${keyId}`)
  const sha256 = Buffer.from(digest, "base64").toString("hex")
  const text = `orgplane plugin archive\n${pluginId}\n${sha256}\n`
  let isSigned = false
  try {
    isSigned = verifyEd25519(x, text, signature)
  } catch {
    throw verificationFailure(`the key ${keyId} or the signature is malformed`)
  }
  if (!isSigned) throw verificationFailure("the signature does not match the server's key")
  return { sha256, keyId }
}

/** Writes each chunk and compares the digest at the end. Returns the number of bytes. */
const copyVerified = async (
  io: Io,
  stream: ReadableStream<Uint8Array>,
  sha256: string,
  write: (chunk: Uint8Array) => unknown
) => {
  const digest = createHash("sha256")
  let bytes = 0
  try {
    for await (const chunk of stream) {
      digest.update(chunk)
      bytes += chunk.length
      await write(chunk)
    }
  } catch (error) {
    if (io.signal.aborted || (error instanceof Error && "syscall" in error)) throw error
    throw new Failure(exit.network, "The connection ended before the archive was complete.")
  }
  if (digest.digest("hex") !== sha256) throw verificationFailure("its contents do not match the signed digest")
  return bytes
}

const fileError = (error: unknown, file: string): unknown =>
  error instanceof Error && "code" in error && "syscall" in error
    ? new Failure(exit.failure, `Cannot write ${file} (${String(error.code)}).`)
    : error

/** Writes an archive to a file, which appears only after verification, or to a pipe. */
export const takeArchive = async (
  io: Io,
  connection: Connection,
  request: WireRequest,
  { file, pluginId, quiet }: { readonly file: string | undefined; readonly pluginId: string; readonly quiet: boolean }
): Promise<ExitCode> => {
  if (file === undefined && io.out.isTerminal) {
    throw usage("Cannot print an archive to a terminal. Use --to <file>, or redirect the output.")
  }
  const { data, response } = await connection.download(request)
  try {
    const { keyId, sha256 } = await verifiedDigest(connection, pluginId, response.headers)
    if (file === undefined) {
      await copyVerified(io, data, sha256, (chunk) => io.out.write(chunk))
      return exit.ok
    }
    const temporaryFile = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString("hex")}.part`)
    try {
      const handle = await open(temporaryFile, "wx")
      let bytes: number
      try {
        bytes = await copyVerified(io, data, sha256, (chunk) => handle.appendFile(chunk))
        await handle.sync()
      } finally {
        await handle.close()
      }
      await rename(temporaryFile, file)
      if (!quiet) await notify(io, `${file}: ${bytes} bytes, SHA-256 ${sha256}, signed by ${keyId}`)
      return exit.ok
    } catch (error) {
      await rm(temporaryFile, { force: true })
      throw fileError(error, file)
    }
  } finally {
    // Stops the server from sending the rest.
    if (!data.locked) await data.cancel().catch(() => {})
  }
}
