/** Opens a URL in the user's browser. */

type Env = Readonly<Record<string, string | undefined>>

/** The command that opens a URL on this machine; undefined if the user could not see the window. */
export const browserCommand = (
  platform: NodeJS.Platform,
  env: Env
): readonly [command: string, ...before: ReadonlyArray<string>] | undefined => {
  const has = (name: string) => (env[name] ?? "") !== ""
  // Over SSH the user's browser runs on another machine and its redirect cannot reach this one.
  if (has("SSH_CONNECTION") || has("SSH_TTY")) return undefined
  if (platform === "darwin") return ["open"]
  // Not `cmd`, which interprets the ampersands of a URL.
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"]
  return has("DISPLAY") || has("WAYLAND_DISPLAY") || has("WSL_DISTRO_NAME") ? ["xdg-open"] : undefined
}

export const openBrowser = (url: string, env: Env): boolean => {
  const browser = browserCommand(process.platform, env)
  if (browser === undefined) return false
  const [command, ...args] = browser
  const { spawn } = process.getBuiltinModule("node:child_process")
  const child = spawn(command, [...args, url], { stdio: "ignore", detached: true })
  // The link is also printed, so this can fail silently.
  child.on("error", () => {})
  child.unref()
  return true
}
