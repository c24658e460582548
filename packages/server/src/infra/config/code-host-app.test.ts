import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { generateKeyPairSync } from "node:crypto"
import { afterAll, describe, expect, it } from "vitest"
import { appKey } from "../../../../../test/fixtures/code-host-server.ts"
import { describeEnvironment, Misconfigured, readEnvironment } from "./environment.ts"

const folder = mkdtempSync(join(tmpdir(), "orgplane-config-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const path = join(folder, "app.pem")
writeFileSync(path, appKey)

const whole = {
  ORGPLANE_CODEHOST_URL: "https://api.example.com",
  ORGPLANE_CODEHOST_APP_ID: "4711",
  ORGPLANE_CODEHOST_PRIVATE_KEY: path,
  ORGPLANE_CODEHOST_CLIENT_ID: "Iv1.x",
  ORGPLANE_CODEHOST_CLIENT_SECRET: "a-secret-of-the-app"
}

describe("the configuration of the code host app", () => {
  it("accepts the key as a file, in one line, or as PEM", () => {
    const pkcs8 = generateKeyPairSync("rsa", { modulusLength: 2048 })
      .privateKey.export({ type: "pkcs8", format: "pem" })
      .toString()
    for (const [value, key] of [
      [path, appKey],
      [appKey, appKey.trim()],
      [appKey.replaceAll("\n", "\\n"), appKey],
      [pkcs8, pkcs8.trim()]
    ] as const) {
      const { options } = readEnvironment({ ...whole, ORGPLANE_CODEHOST_PRIVATE_KEY: value })
      expect(options.codeHostApp).toEqual({
        url: "https://api.example.com",
        appId: "4711",
        privateKey: key,
        clientId: "Iv1.x",
        clientSecret: "a-secret-of-the-app"
      })
    }
    expect(readEnvironment({}).options.codeHostApp).toBeUndefined()
  })

  it.each([
    ["ORGPLANE_CODEHOST_URL", "ftp://api.example.com"],
    ["ORGPLANE_CODEHOST_URL", "https://user:hunter2@api.example.com"],
    ["ORGPLANE_CODEHOST_URL", "https://api.example.com?x=hunter2"],
    ["ORGPLANE_CODEHOST_URL", undefined],
    ["ORGPLANE_CODEHOST_WEB_URL", "hunter2"],
    ["ORGPLANE_CODEHOST_APP_ID", undefined],
    ["ORGPLANE_CODEHOST_PRIVATE_KEY", "/nowhere/hunter2.pem"],
    ["ORGPLANE_CODEHOST_PRIVATE_KEY", "-----BEGIN RSA PRIVATE KEY-----\nhunter2\n-----END RSA PRIVATE KEY-----"],
    [
      "ORGPLANE_CODEHOST_PRIVATE_KEY",
      generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString()
    ],
    ["ORGPLANE_CODEHOST_PRIVATE_KEY", undefined],
    ["ORGPLANE_CODEHOST_CLIENT_ID", undefined],
    ["ORGPLANE_CODEHOST_CLIENT_SECRET", undefined]
  ])("is rejected with a malformed %s, without revealing a value", (name, value) => {
    const read = () => readEnvironment({ ...whole, [name]: value })
    expect(read).toThrow(Misconfigured)
    expect(read).toThrow(new RegExp(`^${name} must [^]*\\.$`))
    expect(read).not.toThrow(/hunter2/)
  })

  it("is printed without its secrets", () => {
    const text = describeEnvironment(whole)
    expect(text).toContain("ORGPLANE_CODEHOST_APP_ID = 4711")
    expect(text).toContain("ORGPLANE_CODEHOST_PRIVATE_KEY = (set)")
    expect(text).toContain("ORGPLANE_CODEHOST_CLIENT_SECRET = (set)")
    expect(text).not.toContain("a-secret-of-the-app")
  })
})
