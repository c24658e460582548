/** The unit of systemd, checked by systemd's own tools where they are installed. */
import { execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { readEnvironment } from "../packages/server/src/infra/config/environment.ts"
import { variables } from "../packages/server/src/infra/config/variables.ts"

const unit = readFileSync(join(import.meta.dirname, "../deploy/systemd/orgplane.service"), "utf8")
const valuesOf = (name: string) => [...unit.matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].map(([, value = ""]) => value)

const folder = mkdtempSync(join(tmpdir(), "orgplane-systemd-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** 0 if systemd-analyze is not installed. */
const systemdVersion = (): number => {
  const { stdout } = spawnSync("systemd-analyze", ["--version"], { encoding: "utf8" })
  return Number(/^systemd (\d+)/.exec(stdout ?? "")?.[1] ?? 0)
}
const version = systemdVersion()

/** The unit with a program that exists on this machine. */
const installedUnit = (): string => {
  const path = join(folder, "orgplane.service")
  writeFileSync(path, unit.replace("ExecStart=/usr/bin/orgplane-server", `ExecStart=${process.execPath}`))
  return path
}

it("has a page whose quoted values reach the commands without changes", () => {
  const page = readFileSync(join(import.meta.dirname, "../docs/install.md"), "utf8")
  const [, line = "", value = ""] = /^(ORGPLANE_DATABASE_URL='(.*)')$/mu.exec(page) ?? []
  const [, command = ""] = /^sudo -u orgplane (sh -c 'set -a; [^']*')$/mu.exec(page) ?? []
  expect([value, command]).not.toContain("")
  const environmentFile = join(folder, "environment")
  writeFileSync(environmentFile, `${line}\n`)
  writeFileSync(join(folder, "orgplane-server"), '#!/bin/sh\nprintf %s "$ORGPLANE_DATABASE_URL"\n', { mode: 0o755 })
  const printed = execFileSync("/bin/sh", ["-ec", command.replace("/etc/orgplane/environment", environmentFile)], {
    encoding: "utf8",
    env: { PATH: `${folder}:${process.env["PATH"] ?? ""}` }
  })
  expect(printed).toBe(value)
})

describe("the systemd unit", () => {
  it.skipIf(version === 0)("is accepted by systemd-analyze verify (skipped where it is not installed)", () => {
    const { status, stderr, stdout } = spawnSync("systemd-analyze", ["verify", installedUnit()], { encoding: "utf8" })
    expect([status, stderr, stdout]).toEqual([0, "", ""])
  })

  it.skipIf(version < 250)("has an exposure of at most 2.0 of 10 (skipped before systemd 250)", () => {
    const output = execFileSync(
      "systemd-analyze",
      ["security", "--offline=true", "--threshold=20", "--no-pager", installedUnit()],
      { encoding: "utf8" }
    )
    expect(output).toMatch(/Overall exposure level for orgplane\.service: [01]\.\d OK/)
  })

  it("starts the server with known variables, and gives it time to stop", () => {
    expect(valuesOf("ExecStart")).toEqual(["/usr/bin/orgplane-server start"])
    const environment = Object.fromEntries(valuesOf("Environment").map((entry) => entry.split("=") as [string, string]))
    const own = Object.keys(environment).filter((name) => name.startsWith("ORGPLANE_"))
    expect(own.filter((name) => !Object.hasOwn(variables, name))).toEqual([])
    const { stop } = readEnvironment(environment)
    expect(Number(valuesOf("TimeoutStopSec")[0]) * 1000).toBeGreaterThan(stop.limitMillis)
    expect(valuesOf("RestartPreventExitStatus")).toEqual(["2"])
  })
})
