import { execFileSync } from "node:child_process"
import { createHash, createPublicKey, verify } from "node:crypto"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import type { TestPlane } from "../harness.ts"

/** Path to bytes, of everything below a folder. */
const filesBelow = (folder: string): Record<string, string> => {
  const files: Record<string, string> = {}
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    files[relative(folder, path)] = readFileSync(path).toString("latin1")
  }
  return files
}

/** Unpacks an archive with the system's tar: contents by path (as latin1), the executable files and the listing. */
export const unpacked = (bytes: Uint8Array) => {
  const folder = mkdtempSync(join(tmpdir(), "orgplane-archive-"))
  try {
    writeFileSync(join(folder, "a.tar.gz"), bytes)
    mkdirSync(join(folder, "out"))
    execFileSync("tar", ["-xzf", join(folder, "a.tar.gz"), "-C", join(folder, "out")])
    const files = filesBelow(join(folder, "out"))
    const executable = Object.keys(files).filter((path) => (statSync(join(folder, "out", path)).mode & 0o111) !== 0)
    const listing = execFileSync("tar", ["-tvzf", join(folder, "a.tar.gz"), "--numeric-owner", "--utc"]).toString()
    return { files, executable, listing }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")

/** What an agent's installer does before it uses an archive: digest, and signature by the installation's key. */
export const isGenuine = async (plane: TestPlane, pluginId: string, headers: Headers, bytes: Uint8Array) => {
  const digest = createHash("sha256").update(bytes).digest()
  if (headers.get("repr-digest") !== `sha-256=:${digest.toString("base64")}:`) return false
  const keys = (await (await plane.fetch(new Request("http://localhost/v1/keys"))).json()) as {
    keys: ReadonlyArray<{ kid: string; kty: string; crv: string; x: string }>
  }
  const jwk = keys.keys.find(({ kid }) => kid === headers.get("x-archive-key-id"))
  if (jwk === undefined) return false
  const text = `orgplane plugin archive\n${pluginId}\n${digest.toString("hex")}\n`
  const key = createPublicKey({ key: { ...jwk }, format: "jwk" })
  return verify(null, Buffer.from(text), key, Buffer.from(headers.get("x-archive-signature") ?? "", "base64"))
}

/** A raw download, with a session or without. */
export const fetched = async (plane: TestPlane, url: string, headers: Record<string, string> = {}, method = "GET") => {
  const path = url.startsWith("http") ? url : `http://localhost${url}`
  const response = await plane.fetch(new Request(path, { method, headers }))
  return { status: response.status, headers: response.headers, bytes: new Uint8Array(await response.arrayBuffer()) }
}
