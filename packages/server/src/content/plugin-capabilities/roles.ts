/** The role of each file of a plugin, by its path. */
import { withoutTrailing } from "../../infra/normalize.ts"
import { foldPath } from "./canonical.ts"
import type { ListedFiles, ListedRole } from "./config-elements.ts"

export type Role = ListedRole | "manifest" | "executable" | "special" | "data" | "text"

const fixed: Readonly<Record<string, Role>> = {
  ".claude-plugin/plugin.json": "manifest",
  ".lsp.json": "lsp",
  ".mcp.json": "mcp",
  "hooks/hooks.json": "hooks",
  "monitors/monitors.json": "monitors",
  "settings.json": "settings",
  "skill.md": "skill"
}

const executableExtensions = new Set(
  "sh bash zsh fish ksh csh ps1 psm1 bat cmd com exe msi dll so dylib node wasm py pyc pyw js mjs cjs jsx ts mts cts tsx rb pl pm php lua r jl go rs swift kt scala groovy clj java jar class c cc cpp h hpp m cs vb vbs wsf scpt applescript awk sed tcl elf bin run out app apk deb rpm pkg dmg whl gem nix mk cmake gradle service desktop plist".split(
    " "
  )
)
/** Files that tools run or install from. */
const executableNames =
  /^(?:makefile|gnumakefile|dockerfile.*|containerfile|justfile|rakefile|gemfile|procfile|vagrantfile|package\.json|pyproject\.toml|setup\.cfg|requirements.*\.txt|cargo\.toml|go\.mod|deno\.jsonc?|composer\.json|.*\.lock|package-lock\.json|pnpm-lock\.yaml)$/u
const textExtensions = new Set(
  "md markdown mdx txt rst adoc png jpg jpeg gif webp ico svg pdf ttf woff woff2".split(" ")
)
const textNames =
  /^(?:license|licence|notice|readme|changelog|authors|contributors|codeowners|copying|version)(?:\..{1,20})?$/u
const dataExtensions = new Set(
  "json jsonc yaml yml toml csv tsv xml html css xsd sql tmpl tpl template j2 ini graphql proto".split(" ")
)
const hiddenText = new Set([
  ".gitignore",
  ".gitattributes",
  ".gitkeep",
  ".editorconfig",
  ".prettierignore",
  ".npmignore"
])
/** Names of configuration files that agents read in other folders. */
const configurationNames =
  /^(?:\.?mcp\.json|\.?lsp\.json|hooks\.json|monitors\.json|settings(?:\.local)?\.json|plugin\.json|marketplace\.json|managed-.*\.json)$/u
const specialFolders = new Set([
  ".claude-plugin",
  "bin",
  "hooks",
  "monitors",
  "output-styles",
  "themes",
  "workflows",
  "agents",
  "commands"
])

const resolved = (path: string): string =>
  withoutTrailing(foldPath(path.replace(/^\$\{CLAUDE_PLUGIN_ROOT\}\/?/u, "")).replace(/^\/+/u, ""), "/")

/** Whether a listed file or folder contains the path, and its role there. */
const listedRole = (
  path: string,
  listed: ReadonlyMap<string, ReadonlyArray<ListedRole>>
): ReadonlyArray<ListedRole> => {
  const roles: Array<ListedRole> = []
  const parts = path.split("/")
  for (let length = 0; length <= parts.length; length += 1) {
    for (const role of listed.get(parts.slice(0, length).join("/")) ?? []) {
      const isFile = length === parts.length
      const isSkill = role === "skill" && parts.at(-1) === "skill.md"
      const isMarkdown = path.endsWith(".md") && (role === "agent" || role === "command" || role === "output-style")
      if (isFile || isSkill || isMarkdown || role === "special") roles.push(isFile && role === "skill" ? "skill" : role)
    }
  }
  return roles
}

export const makeRoles = (listedFiles: ListedFiles) => {
  const listed = new Map<string, Array<ListedRole>>()
  for (const { path, role } of listedFiles) {
    const key = resolved(path)
    const roles = listed.get(key)
    if (roles === undefined) listed.set(key, [role])
    else roles.push(role)
  }
  /** A file can have several roles. */
  return (path: string): ReadonlySet<Role> => {
    const folded = foldPath(path)
    const roles = new Set<Role>(listedRole(folded, listed))
    const parts = folded.split("/")
    const [folder = ""] = parts
    const name = parts.at(-1) ?? folded
    const extension = /\.([^.]+)$/u.exec(name)?.[1] ?? ""
    const fixedRole = Object.hasOwn(fixed, folded) ? fixed[folded] : undefined
    if (fixedRole !== undefined) roles.add(fixedRole)
    if (parts.length > 1 && extension === "md") {
      if (folder === "agents") roles.add("agent")
      if (folder === "commands") roles.add("command")
      if (folder === "output-styles") roles.add("output-style")
    }
    if (name === "skill.md") roles.add("skill")
    if (roles.size > 0) return roles
    if (executableExtensions.has(extension) || executableNames.test(name) || folder === "bin") roles.add("executable")
    else if (parts.length > 1 && textNames.test(name) && textExtensions.has(extension)) roles.add("text")
    else if (parts.length > 1 && specialFolders.has(folder)) roles.add("special")
    else if (configurationNames.test(name)) roles.add("special")
    else if (parts.some((part) => part.startsWith(".")))
      roles.add(hiddenText.has(name) && parts.length === 1 ? "text" : "special")
    else if (textExtensions.has(extension) || (textNames.test(name) && extension === "")) roles.add("text")
    else if (dataExtensions.has(extension)) roles.add("data")
    else roles.add("executable")
    return roles
  }
}
