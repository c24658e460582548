import { spawnSync } from "node:child_process"
import { describe, expect, it } from "vitest"
import { fileOf, pins } from "./programs.ts"

describe("pinned programs", () => {
  it("have exact versions", () => {
    expect(Object.entries(pins).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/u.test(version))).toEqual([])
  })
  it("are installed at the pinned version: Claude Code prints its version", () => {
    const name = "@anthropic-ai/claude-code"
    const { stdout } = spawnSync(process.execPath, [fileOf(name, "cli-wrapper.cjs"), "--version"], {
      encoding: "utf8"
    })
    expect(stdout).toContain(pins[name])
  })
  it("rejects an unknown program, and names the command that installs missing ones", () => {
    expect(() => fileOf("@anthropic-ai/claude-code", "no-such-file")).toThrow("pnpm counterparts")
    expect(() => fileOf("left-pad", "index.js")).toThrow("counterparts/pins.json")
  })
})
