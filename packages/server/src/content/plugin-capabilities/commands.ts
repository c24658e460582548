/** What a command line names: its interpreter, files of the plugin, hosts, and paths outside the plugin. */

import { withoutTrailing } from "../../infra/normalize.ts"

const interpreters = new Set(
  "sh bash zsh dash ksh fish pwsh powershell cmd python python2 python3 node deno bun npx pnpm npm yarn bunx uv uvx pipx ruby perl php lua osascript java go cargo make docker podman env sudo eval exec source".split(
    " "
  )
)

/** Words in any quoting. A backslash and a variable stay part of the word. */
export const wordsOf = (command: string): ReadonlyArray<string> => command.match(/[^\s"'`;|&<>()=,[\]]+/gu) ?? []

/** The last part of a path, without a Windows suffix such as `.exe`. */
const baseOf = (word: string) => word.replace(/^.*[/\\]/u, "").replace(/\.exe$/iu, "")

export const interpreterOf = (command: string): string | null => {
  for (const word of wordsOf(command)) {
    const base = baseOf(word).toLowerCase()
    if (base === "env" || base === "sudo") continue
    return interpreters.has(base) || /^python3\.\d{1,2}$/u.test(base) ? base : null
  }
  return null
}

const url = /\b(?:https?|wss?|ftp|ssh|git):\/\/([^\s"'`<>/?#\\)\]}]{1,255})/giu

/** The hosts of the URLs in a text, without credentials. */
export const hostsIn = (text: string): ReadonlyArray<string> => [
  ...new Set([...text.matchAll(url)].map(([, authority = ""]) => authority.replace(/^.*@/u, "").toLowerCase()))
]

export const hostOf = (address: string): string | null => hostsIn(address)[0] ?? null

/** Paths that leave the plugin: absolute, in the home folder, or through a parent folder. */
export const outsideOf = (text: string): ReadonlyArray<string> =>
  wordsOf(text).filter(
    (word) =>
      /^(?:\/[^/]|~[/\\]|[A-Za-z]:[/\\]|\\\\|\$\{?HOME\b)/u.test(word) || /(?:^|[/\\])\.\.(?:[/\\]|$)/u.test(word)
  )

/** Files of a plugin by the names with which a text can refer to them. */
export const makeFileIndex = (paths: ReadonlyArray<string>) => {
  const byName = new Map<string, Array<string>>()
  for (const path of paths) {
    const base = (path.split("/").at(-1) ?? path).toLowerCase()
    // A module is imported without its extension.
    for (const name of new Set([base, base.replace(/\.(?:[cm]?[jt]sx?|py|rb|pl|sh)$/u, "")])) {
      if (name.length < 2) continue
      const same = byName.get(name)
      if (same === undefined) byName.set(name, [path])
      else same.push(path)
    }
  }
  return {
    /** The files that a text names by their last part, in order. */
    namedIn: (text: string): ReadonlyArray<string> => {
      const named = new Set<string>()
      for (const [word] of text.matchAll(/[\p{L}\p{M}\p{N}_.@+-]+/gu)) {
        const name = word.toLowerCase()
        for (const path of byName.get(name) ?? byName.get(withoutTrailing(name, ".")) ?? []) named.add(path)
        if (named.size > 1000) break
      }
      return [...named].sort()
    }
  }
}
export type FileIndex = ReturnType<typeof makeFileIndex>
