import { describe, expect, it } from "vitest"
import { type Machine, pathsOf, platformOf } from "./paths.ts"

const machines: Readonly<Record<Machine["platform"], Machine>> = {
  linux: { platform: "linux", home: "/home/ada", env: {} },
  darwin: { platform: "darwin", home: "/Users/ada", env: {} },
  win32: { platform: "win32", home: "C:\\Users\\ada", env: { LOCALAPPDATA: "C:\\Users\\ada\\AppData\\Local" } }
}

describe("the paths of Claude Code", () => {
  it.each([
    [
      "linux",
      "managed",
      "/etc/claude-code/managed-settings.d/50-orgplane.json",
      "/var/lib/orgplane-agents/claude-code"
    ],
    ["linux", "user", "/home/ada/.claude/settings.json", "/home/ada/.local/share/orgplane-agents/claude-code"],
    [
      "darwin",
      "managed",
      "/Library/Application Support/ClaudeCode/managed-settings.d/50-orgplane.json",
      "/Library/Application Support/orgplane-agents/claude-code"
    ],
    [
      "darwin",
      "user",
      "/Users/ada/.claude/settings.json",
      "/Users/ada/Library/Application Support/orgplane-agents/claude-code"
    ],
    [
      "win32",
      "managed",
      "C:\\Program Files\\ClaudeCode\\managed-settings.d\\50-orgplane.json",
      "C:\\ProgramData\\orgplane-agents\\claude-code"
    ],
    [
      "win32",
      "user",
      "C:\\Users\\ada\\.claude\\settings.json",
      "C:\\Users\\ada\\AppData\\Local\\orgplane-agents\\claude-code"
    ]
  ] as const)("on %s in the scope %s", (platform, scope, settingsFile, dataDirectory) => {
    expect(pathsOf(machines[platform], "claude-code", scope)).toEqual({ settingsFile, dataDirectory })
  })

  it("respect CLAUDE_CONFIG_DIR and XDG_DATA_HOME if they are absolute", () => {
    const of = (env: Machine["env"]) => pathsOf({ ...machines.linux, env }, "claude-code", "user")
    expect(of({ CLAUDE_CONFIG_DIR: "/settings/claude", XDG_DATA_HOME: "/data" })).toEqual({
      settingsFile: "/settings/claude/settings.json",
      dataDirectory: "/data/orgplane-agents/claude-code"
    })
    expect(of({ CLAUDE_CONFIG_DIR: "claude", XDG_DATA_HOME: "data" })).toEqual(of({}))
  })

  it("are inside the directories on the command line", () => {
    const overrides = { settingsDirectory: "/s", dataDirectory: "/d" }
    expect(pathsOf(machines.linux, "claude-code", "managed", overrides)).toEqual({
      settingsFile: "/s/managed-settings.d/50-orgplane.json",
      dataDirectory: "/d/claude-code"
    })
    expect(pathsOf(machines.linux, "claude-code", "user", overrides).settingsFile).toBe("/s/settings.json")
  })
})

describe("the path of the JSON document", () => {
  it("is in the data directory by default", () => {
    expect(pathsOf(machines.win32, "json", "user").settingsFile).toBe(
      "C:\\Users\\ada\\AppData\\Local\\orgplane-agents\\agents.json"
    )
    expect(pathsOf(machines.darwin, "json", "user", { settingsDirectory: "/s" }).settingsFile).toBe("/s/agents.json")
  })
})

describe("the platform", () => {
  it("is Linux for every system that is not macOS or Windows", () => {
    expect(["darwin", "win32", "freebsd"].map(platformOf)).toEqual(["darwin", "win32", "linux"])
  })
})
