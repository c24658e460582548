/** Reports of a machine: their content, and their sequence numbers. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { nodeFiles } from "./files.ts"
import type { InstalledPlugin } from "./plan.ts"
import { failureKindOf, type ReportContent, reportOf, sendReport, SettingsFailure } from "./report.ts"
import type { Files } from "./files.ts"

const folders: Array<string> = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})
const folder = (): string => {
  const path = mkdtempSync(join(tmpdir(), "orgplane-report-"))
  folders.push(path)
  return path
}

const plugin = (name: string, sha256: string, digest?: string): InstalledPlugin => ({
  pluginId: `plg_${name}`,
  name,
  title: name,
  description: undefined,
  version: undefined,
  mode: "required",
  locked: true,
  sha256,
  digest
})

describe("the content of a report", () => {
  it("lists the installed plugins, in the same order each time", () => {
    const installed = [plugin("b", "2", "d2"), plugin("a", "1")]
    expect(reportOf({ agent: "json", revision: 7, installed }, "darwin")).toEqual({
      agent: "json",
      clientVersion: expect.any(String) as string,
      platform: "macos",
      revision: 7,
      failure: null,
      plugins: [
        { pluginId: "plg_a", state: "installed", sha256: "1", digest: null, failure: null },
        { pluginId: "plg_b", state: "installed", sha256: "2", digest: "d2", failure: null }
      ]
    })
  })

  it("replaces an installed plugin by its failed update, and keeps the archive that is still installed", () => {
    const failed = { plugin: plugin("a", "new", "d9"), failure: "integrity" } as const
    const { plugins } = reportOf({ agent: "json", revision: 7, installed: [plugin("a", "old")], failed })
    expect(plugins).toEqual([
      { pluginId: "plg_a", state: "failed", sha256: "new", digest: "d9", failure: "integrity", installedSha256: "old" }
    ])
  })

  it("states that a damaged plugin that cannot be repaired is not installed", () => {
    const failed = { plugin: plugin("a", "same"), failure: "download" } as const
    const { plugins } = reportOf({ agent: "json", revision: 7, installed: [plugin("a", "same")], failed })
    expect(plugins).toMatchObject([{ state: "failed", sha256: "same", installedSha256: null }])
  })

  it("contains no revision before a state is applied, and at most 2,000 plugins with the failed one first", () => {
    const installed = Array.from({ length: 2_000 }, (_, index) => plugin(String(index), "1"))
    const failed = { plugin: plugin("z", "1"), failure: "content" } as const
    const report = reportOf({ agent: "json", revision: 0, installed, failed, failure: "storage" }, "freebsd")
    expect([report.revision, report.failure, report.platform]).toEqual([null, "storage", "other"])
    expect([report.plugins.length, report.plugins[0]?.pluginId]).toEqual([2_000, "plg_z"])
  })
})

describe("the reason of a failed sync", () => {
  const failure = (code: string, path?: string) =>
    Object.assign(new Error(code), { code, syscall: "open", ...(path === undefined ? {} : { path }) })
  it.each([
    ["settings", new SettingsFailure(1, "Not valid.")],
    ["settings", failure("EACCES", "/etc/settings.json")],
    ["storage", failure("EACCES", "/data/json/staging")],
    ["storage", failure("ENOSPC", "/etc/settings.json")],
    ["storage", failure("ENOSPC")],
    ["other", new Error("A bug.")]
  ])("is %s for %s", (kind, error) => expect(failureKindOf(error, "/data/json")).toBe(kind))
})

const content: ReportContent = reportOf({ agent: "json", revision: 1, installed: [] }, "linux")

interface Sent {
  readonly deviceId: string
  readonly sequence: number
}

const machine = (options: { readonly files?: Files } = {}) => {
  const dataDirectory = folder()
  const sent: Array<Sent> = []
  let lastSequence = 0
  let reply: ((report: Sent) => unknown) | undefined
  let now = Date.parse("2026-01-15T12:00:00.000Z")
  const post = async (body: object): Promise<unknown> => {
    const report = body as Sent
    sent.push(report)
    if (reply !== undefined) return reply(report)
    const accepted = report.sequence > lastSequence
    if (accepted) lastSequence = report.sequence
    return { accepted, lastSequence }
  }
  const file = join(dataDirectory, "device.json")
  return {
    dataDirectory,
    file,
    sent,
    stored: () => JSON.parse(readFileSync(file, "utf8")) as Sent & { readonly accepted: object | null },
    serverHas: (sequence: number) => (lastSequence = sequence),
    reply: (next: ((report: Sent) => unknown) | undefined) => (reply = next),
    wait: (hours: number) => (now += hours * 3_600_000),
    send: (more: Partial<ReportContent> = {}) =>
      sendReport({ files: options.files ?? nodeFiles, dataDirectory, now, post }, { ...content, ...more })
  }
}
const sequences = (sent: ReadonlyArray<Sent>) => sent.map(({ sequence }) => sequence)

describe("sending a report", () => {
  it("creates a random device that only its owner can read, and keeps it", async () => {
    const [one, other] = [machine(), machine()]
    await one.send()
    await one.send({ revision: 2 })
    await other.send()
    expect(sequences(one.sent)).toEqual([1, 2])
    expect(new Set(one.sent.map(({ deviceId }) => deviceId)).size).toBe(1)
    expect(one.sent[0]?.deviceId).toMatch(/^[\w-]{16,64}$/u)
    expect(one.sent[0]?.deviceId).not.toBe(other.sent[0]?.deviceId)
    expect(statSync(one.file).mode & 0o777).toBe(0o600)
    expect(readdirSync(one.dataDirectory)).toEqual(["device.json"])
  })

  it("sends the same report again after 6 hours, and a different one at once", async () => {
    const { send, sent, wait } = machine()
    await send()
    wait(5.9)
    await send()
    expect(sequences(sent)).toEqual([1])
    await send({ failure: "storage" })
    expect(sequences(sent)).toEqual([1, 2])
    await send()
    wait(6.1)
    await send()
    expect(sequences(sent)).toEqual([1, 2, 3, 4])
  })

  it("sends a report again if the clock was far in the future", async () => {
    const { send, sent, wait } = machine()
    await send()
    wait(-24 * 365)
    await send()
    expect(sequences(sent)).toEqual([1, 2])
  })

  it("stores the sequence before it sends, and never repeats it after a failure", async () => {
    const { reply, send, sent, stored } = machine()
    reply(({ sequence }) => {
      expect(stored().sequence).toBe(sequence)
      throw new Error("Killed.")
    })
    await expect(send()).rejects.toThrow("Killed.")
    reply(undefined)
    await send()
    expect(sequences(sent)).toEqual([1, 2])
  })

  it("continues from the sequence of the server, for example after the machine was restored from a backup", async () => {
    const { send, sent, serverHas, stored } = machine()
    serverHas(40)
    await send()
    expect([sequences(sent), stored().sequence]).toEqual([[1, 41], 41])
    await send({ revision: 2 })
    expect(sequences(sent)).toEqual([1, 41, 42])
  })

  it("fails after the second attempt, and after an unexpected response", async () => {
    const { reply, send, sent } = machine()
    reply(({ sequence }) => ({ accepted: false, lastSequence: sequence + 5 }))
    await expect(send()).rejects.toThrow("did not accept")
    expect(sequences(sent)).toEqual([1, 7])
    reply(() => ({ accepted: false, lastSequence: 0 }))
    await expect(send()).rejects.toThrow("did not accept")
    reply(() => null)
    await expect(send()).rejects.toThrow("did not accept")
  })

  it("retries after 6 hours if the server does not support reports", async () => {
    const { reply, send, sent, wait } = machine()
    reply(() => undefined)
    await send()
    await send()
    expect(sequences(sent)).toEqual([1])
    wait(6.1)
    await send()
    expect(sequences(sent)).toEqual([1, 2])
  })

  it("reports as a new device if the file is damaged", async () => {
    const { file, send, sent } = machine()
    for (const text of ["{", "[]", '{"deviceId":"x","sequence":"y"}']) {
      writeFileSync(file, text)
      await send()
    }
    expect(new Set(sent.map(({ deviceId }) => deviceId)).size).toBe(3)
  })

  it("sends the reason although the disk is full, but does not create a device on each attempt", async () => {
    let isFull = true
    const files: Files = {
      ...nodeFiles,
      create: (...args) =>
        isFull
          ? Promise.reject(Object.assign(new Error("ENOSPC"), { code: "ENOSPC", syscall: "write" }))
          : nodeFiles.create(...args)
    }
    const { send, sent } = machine({ files })
    await expect(send()).rejects.toThrow("ENOSPC")
    expect(sent).toEqual([])
    isFull = false
    await send()
    isFull = true
    await send({ failure: "storage" })
    await send({ failure: "settings" })
    // The sequence could not be stored, so the server has it already.
    expect(sequences(sent)).toEqual([1, 2, 2, 3])
  })
})
