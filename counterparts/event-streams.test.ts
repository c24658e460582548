/** A stream of events to an S3 server that verifies signatures, and the proof from the objects that it stored. */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startWorkspace, type Workspace } from "./control-plane.ts"
import { fileOf } from "./programs.ts"

interface S3Server {
  run(): Promise<{ readonly port: number }>
  close(): Promise<void>
}
type S3Constructor = new (options: object) => S3Server

const folder = mkdtempSync(join(tmpdir(), "orgplane-s3-"))
const bucket = "audit-logs"
let server: S3Server
let endpoint = ""
let workspace: Workspace

beforeAll(async () => {
  const S3rver = createRequire(import.meta.url)(fileOf("@20minutes/s3rver", "lib/s3rver.js")) as S3Constructor
  const configureBuckets = [{ name: bucket, configs: [] }]
  server = new S3rver({ port: 0, address: "127.0.0.1", silent: true, directory: folder, configureBuckets })
  endpoint = `http://127.0.0.1:${(await server.run()).port}`
  workspace = await startWorkspace()
})
afterAll(async () => {
  await workspace.close()
  await server.close()
  rmSync(folder, { recursive: true })
})

const call: Workspace["call"] = (...request) => workspace.call(...request)

const createStream = async (secretAccessKey: string) => {
  // The keys of the server for tests.
  const destination = {
    kind: "s3",
    endpoint,
    region: "us-east-1",
    bucket,
    prefix: "orgplane/it's_(1)",
    accessKeyId: "S3RVER",
    secretAccessKey
  }
  return (await call("POST", "/v1/event-streams", { name: "Archive", destination, after: 0 })).item
}

/** The lines of each stored object. It throws while the server writes one, because the server shows it before it is complete. */
const storedTexts = () =>
  readdirSync(join(folder, bucket), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith("_object"))
    .map((name) => gunzipSync(readFileSync(join(folder, bucket, name))).toString())

describe("an S3 server", () => {
  it("accepts the objects of a stream, which prove the events without a connection", async () => {
    const { id } = await createStream("S3RVER")
    for (let index = 0; index < 3; index += 1) await call("POST", "/v1/plugins", { name: `Plugin ${index}` })
    const delivered = async () => (await call("GET", `/v1/event-streams/${id}`)).item
    await expect.poll(async () => (await delivered()).position).toBeGreaterThan(3)
    expect((await delivered()).lastError).toBeNull()
    await workspace.sign()
    const isComplete = (texts: ReadonlyArray<string>) => texts.some((text) => text.includes('"kind":"checkpoint"'))
    await expect.poll(() => isComplete(storedTexts())).toBe(true)
    const received = join(folder, "received")
    mkdirSync(received)
    for (const [index, text] of storedTexts().entries()) {
      writeFileSync(join(received, `${index}.ndjson.gz`), gzipSync(text))
    }
    const keys = join(folder, "keys.txt")
    writeFileSync(keys, JSON.stringify(await call("GET", "/v1/keys")))
    const cli = join(import.meta.dirname, "../packages/cli/src/main.ts")
    const { status, stderr, stdout } = spawnSync(
      process.execPath,
      [cli, "events", "verify", received, "--keys", keys],
      { encoding: "utf8" }
    )
    expect([status, stderr, stdout]).toEqual([0, "", expect.stringMatching(/Proven: {6}events 1 to \d+, signed at /u)])
  })

  it("rejects a stream with another secret, which keeps its position", async () => {
    const { id } = await createStream("wrong")
    await expect
      .poll(async () => (await call("GET", `/v1/event-streams/${id}`)).item)
      .toMatchObject({ lastError: "HTTP 403", position: 0 })
    await call("DELETE", `/v1/event-streams/${id}`)
  })
})
