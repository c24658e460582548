/** `orgplane events verify`, on files as receivers store them. */
import { createHash, generateKeyPairSync, sign } from "node:crypto"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { afterAll, describe, expect, it } from "vitest"
import { ran, serve } from "./harness.ts"

const home = mkdtempSync(join(tmpdir(), "orgplane-verify-"))
afterAll(() => rmSync(home, { recursive: true }))

const organizationId = "org_01kf0x5me8e6razepq180mhf01"
const { privateKey, publicKey } = generateKeyPairSync("ed25519")
const keys = { keys: [{ kid: "current", x: publicKey.export({ format: "jwk" }).x }] }
const hashOf = (text: string) => createHash("sha256").update(text).digest("hex")
/** JSON as RFC 8785 writes it. */
const canonicalJson = (value: unknown): string =>
  typeof value === "object" && value !== null
    ? `{${Object.entries(value)
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`)
        .join(",")}}`
    : JSON.stringify(value)

/** The hash of a line in the chain, as docs/event-streams.md defines it. */
const chainHashOf = (line: string): string => {
  const { previous, ...content } = JSON.parse(line)
  const digest = hashOf(canonicalJson(content))
  return hashOf(`orgplane feed line\n2\n${organizationId}\n${content.sequence}\n${previous ?? ""}\n${digest}\n`)
}

const lines: Array<string> = []
let previous: string | null = null
for (let sequence = 1; sequence <= 6; sequence += 1) {
  // A JSON text can contain U+2028, which some programs treat as the end of a line.
  const line = canonicalJson({
    version: 2,
    kind: "event",
    organizationId,
    sequence,
    previous,
    objectId: `a\u2028${sequence}`
  })
  previous = chainHashOf(line)
  lines.push(line)
}
const createdAt = "2026-01-15T09:30:00.000Z"
const signed = `orgplane feed checkpoint\n${organizationId}\n6\n${previous}\n${createdAt}\n`
const signature = sign(null, Buffer.from(signed), privateKey).toString("base64url")
const checkpoint = JSON.stringify({
  version: 2,
  kind: "checkpoint",
  organizationId,
  sequence: 6,
  hash: previous,
  keyId: "current",
  signature,
  createdAt
})
const textOf = (all: ReadonlyArray<string>) => all.map((line) => `${line}\n`).join("")
const save = (name: string, content: string | Uint8Array) => {
  writeFileSync(join(home, name), content)
  return join(home, name)
}
const keyFile = save("keys.txt", JSON.stringify(keys))

const verify = (args: ReadonlyArray<string>, url = "http://127.0.0.1:9") =>
  ran(["events", "verify", ...args], { url, config: home })

describe("orgplane events verify", () => {
  it("verifies a file without a connection", async () => {
    const { code, out } = await verify([
      save("all.ndjson", textOf([...lines, checkpoint])),
      "--keys",
      keyFile,
      "-o",
      "json"
    ])
    expect(JSON.parse(out)).toMatchObject({
      valid: true,
      organizations: [{ first: 1, provenThrough: 6, isStart: true }]
    })
    expect(code).toBe(0)
  })

  it("verifies the objects of a bucket in a directory, including gzipped and repeated ones", async () => {
    const folder = join(home, "bucket", "2026", "01")
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, "2.ndjson.gz"), gzipSync(textOf([...lines.slice(2), checkpoint])))
    writeFileSync(join(folder, "1.ndjson.gz"), gzipSync(textOf(lines.slice(0, 3))))
    const { code, out } = await verify([join(home, "bucket"), "--keys", keyFile])
    expect(out).toContain(`Proven:      events 1 to 6, signed at ${createdAt}`)
    expect(code).toBe(0)
  })

  it("names the first missing event with its file and line, and exits with 1", async () => {
    const path = save("gap.ndjson", textOf([...lines.filter((_, index) => index !== 3), checkpoint]))
    const { code, out } = await verify([path, "--keys", keyFile])
    expect(out).toContain(`Not verified: Event 4 is missing. (${path}:4)`)
    expect(code).toBe(1)
  })

  it("reports an organization whose events were all removed, next to a complete one", async () => {
    const other = "org_01kf0x5me8e6razepq180mhf02"
    const otherSigned = sign(null, Buffer.from(signed.replace(organizationId, other)), privateKey).toString("base64url")
    const otherCheckpoint = checkpoint.replace(organizationId, other).replace(signature, otherSigned)
    const path = save("removed.ndjson", textOf([...lines, checkpoint, otherCheckpoint]))
    const { code, out } = await verify([path, "--keys", keyFile])
    expect(out).toContain(`Organization ${other}\n  Proven:      nothing, because no signed checkpoint matches\nNot`)
    expect(out).toContain(`Not verified: All events are missing: a signed checkpoint covers event 6. (${path}:8)`)
    expect(code).toBe(1)
  })

  it("gets the keys from the server without `--keys`", async () => {
    const server = await serve({ "GET /v1/keys": { body: keys } })
    const path = save("server.ndjson", textOf([...lines, checkpoint]))
    expect((await verify([path], server.url)).code).toBe(0)
  })

  it("rejects missing files, files without keys and directories without events", async () => {
    const absent = join(home, "absent.ndjson")
    expect(await verify([absent, "--keys", keyFile])).toMatchObject({
      code: 2,
      err: expect.stringContaining(`Cannot read ${absent}`)
    })
    expect((await verify([keyFile, "--keys", save("empty.txt", "{}")])).err).toContain("contains no public keys")
    mkdirSync(join(home, "empty"))
    expect((await verify([join(home, "empty"), "--keys", keyFile])).err).toContain("contain no .ndjson")
  })
})
