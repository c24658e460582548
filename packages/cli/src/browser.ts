/** The browser of the person at this machine. */
import { spawn } from "node:child_process"

type Env = Readonly<Record<string, string | undefined>>

/** The program that opens an address here; none where its window would be seen by nobody. */
export const openerOf = (
  platform: NodeJS.Platform,
  env: Env
): readonly [command: string, ...before: ReadonlyArray<string>] | undefined => {
  const has = (name: string) => (env[name] ?? "") !== ""
  // Of another machine: its browser could not come back to this one.
  if (has("SSH_CONNECTION") || has("SSH_TTY")) return undefined
  if (platform === "darwin") return ["open"]
  // Not by `cmd`, which reads an address' ampersands as commands.
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"]
  return has("DISPLAY") || has("WAYLAND_DISPLAY") || has("WSL_DISTRO_NAME") ? ["xdg-open"] : undefined
}

export const openBrowser = (url: string, env: Env): boolean => {
  const opener = openerOf(process.platform, env)
  if (opener === undefined) return false
  const [command, ...before] = opener
  const child = spawn(command, [...before, url], { stdio: "ignore", detached: true })
  // The link stands in the terminal all the same.
  child.on("error", () => {})
  child.unref()
  return true
}
