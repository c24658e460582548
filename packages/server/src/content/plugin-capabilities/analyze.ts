import type { CapabilityElement, Signal, SignalRule } from "@orgplane/schema/plugin-capabilities"
import { sha256 } from "../../infra/crypto/digest.ts"
import { isJsonObject, type Json, readJson } from "../config-objects/parse-json.ts"
import { compare, foldPath } from "./canonical.ts"
import { type FileIndex, hostsIn, interpreterOf, makeFileIndex } from "./commands.ts"
import { addComponent } from "./component-elements.ts"
import { addHooks, addManifest, addMonitors, addServers, addSettings, type ListedFiles } from "./config-elements.ts"
import * as elements from "./elements.ts"
import { makeLines } from "./lines.ts"
import { makeRoles, type Role } from "./roles.ts"
import { resembles, signalsOf } from "./signals.ts"

/** A file as an agent receives it. */
export interface CapabilityFile {
  readonly path: string
  readonly isExecutable: boolean
  readonly content: Uint8Array
  /** The target of a symbolic link. Archives of this server contain none. */
  readonly link?: string
}

/** The capability set with all elements. */
export interface CapabilitySet {
  readonly digest: string
  readonly elements: ReadonlyArray<CapabilityElement>
  readonly signals: ReadonlyArray<Signal>
  /** The network hosts that hooks, servers and settings name, by `elementKey`. */
  readonly hosts: ReadonlyMap<string, ReadonlyArray<string>>
}

export const elementKey = ({ digest, kind }: Pick<CapabilityElement, "digest" | "kind">): string => `${kind}:${digest}`

/** Elements whose hosts are compared with those of the earlier version. Fields of unknown meaning may be settings. */
const hostKinds: ReadonlySet<CapabilityElement["kind"]> = new Set(["hook", "server", "setting", "unknown"])

/** A configuration file or component that is larger is not parsed. Its digest is an element. */
const parsedBytesMax = 2 * 1_048_576
/** Text in which other files and hosts are searched; a larger file counts as a reference to nothing. */
const scannedBytesMax = 8 * 1_048_576
/** Further elements are combined in one. */
export const elementsMax = 20_000
const signalsMax = 2000

export const manifestPath = ".claude-plugin/plugin.json"
export const isManifest = (path: string): boolean => foldPath(path) === manifestPath

const isText = (bytes: Uint8Array): boolean => !bytes.subarray(0, 8192).includes(0)
/** ELF, Windows and macOS programs, and WebAssembly. */
const isBinaryProgram = (bytes: Uint8Array): boolean =>
  /^(?:7f454c46|4d5a|feedfac[ef]|cefaedfe|cffaedfe|cafebabe|0061736d)/u.test(
    Buffer.from(bytes.subarray(0, 4)).toString("hex")
  )

const shebangOf = (text: string): string | null => {
  const line = /^\uFEFF?#!([^\n]{1,500})/u.exec(text)?.[1]
  return line === undefined ? null : (interpreterOf(line) ?? elements.show(line.trim(), 100))
}

const extensionInterpreters: Readonly<Record<string, string>> = {
  bash: "bash",
  bat: "cmd",
  cjs: "node",
  cmd: "cmd",
  js: "node",
  mjs: "node",
  php: "php",
  pl: "perl",
  ps1: "pwsh",
  py: "python",
  rb: "ruby",
  sh: "sh",
  ts: "node"
}

interface FileFacts {
  readonly path: string
  readonly sha256: string
  readonly interpreter: string | null
  readonly isExecutable: boolean
  readonly named: ReadonlyArray<string>
  readonly hosts: ReadonlyArray<string>
}

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

const hasInvalidText = (bytes: Uint8Array): boolean => {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes)
    return false
  } catch {
    return true
  }
}

/**
 * Computes the capability set of a plugin. The files are added one by one, the manifest first, so that their contents
 * are not all in memory. Throws nothing: a file that cannot be read is an element.
 */
export const makeAnalysis = (paths: ReadonlyArray<string>, isEnabled: (rule: SignalRule) => boolean = () => true) => {
  const index: FileIndex = makeFileIndex(paths)
  const set = new Map<string, CapabilityElement>()
  const overflow: Array<string> = []
  const signals: Array<Signal> = []
  const hosts = new Map<string, ReadonlyArray<string>>()
  const executables = new Map<string, FileFacts>()
  /** Files that run only if a command or another executable names them. */
  const others = new Map<string, FileFacts>()
  const reached = new Set<string>()
  let rolesOf = makeRoles([])
  let listed: ListedFiles = []

  const add = (element: CapabilityElement, mentions = ""): void => {
    if (mentions !== "") for (const file of index.namedIn(mentions)) reached.add(file)
    const key = elementKey(element)
    if (hostKinds.has(element.kind)) {
      const named = hostsIn(mentions)
      if (named.length > 0) hosts.set(key, named)
    }
    const existing = set.get(key)
    if (existing !== undefined) {
      // The first place in path order, whatever the order in which the files were added.
      if (compare(element.path, existing.path) < 0) set.set(key, element)
      return
    }
    if (set.size >= elementsMax) overflow.push(key)
    else set.set(key, element)
  }

  const addJson = (path: string, text: string, roles: ReadonlySet<Role>, digest: string): void => {
    const read = readJson(text)
    if (!read.ok) {
      add(elements.unparsable(path, read.reason, digest))
      return
    }
    if (read.warnings.length > 0) add(elements.unparsable(path, read.warnings.join("; "), digest))
    const source = { path, text, lines: makeLines(text), scope: "plugin", index }
    const value: Json = read.value
    if (roles.has("manifest")) {
      listed = [...listed, ...addManifest(source, value, add)]
      rolesOf = makeRoles(listed)
      const name = isJsonObject(value) ? value["name"] : undefined
      const match = typeof name === "string" ? resembles(name) : undefined
      if (match !== undefined && isEnabled("look_alike_name")) {
        signals.push({
          rule: "look_alike_name",
          path,
          line: 1,
          message: `The plugin's name ${JSON.stringify(elements.show(typeof name === "string" ? name : "", 100))} looks like "${match}".`
        })
      }
    }
    if (roles.has("hooks")) addHooks(source, value, add)
    if (roles.has("mcp")) addServers(source, "mcp", value, add)
    if (roles.has("lsp")) addServers(source, "lsp", value, add)
    if (roles.has("monitors")) addMonitors(source, value, add)
    if (roles.has("settings")) addSettings(source, value, add)
  }

  const addFile = ({ content, isExecutable, link, path }: CapabilityFile): void => {
    if (link !== undefined) {
      add(elements.link({ path, line: 1 }, link))
      return
    }
    const digest = sha256(content)
    const roles = rolesOf(path)
    const isScanned = content.length <= scannedBytesMax && isText(content)
    const text = isScanned ? decode(content) : ""
    const interpreter =
      shebangOf(text) ?? extensionInterpreters[/\.([^.]+)$/u.exec(path.toLowerCase())?.[1] ?? ""] ?? null
    const isConfiguration = ["manifest", "hooks", "mcp", "lsp", "monitors", "settings"].some((role) =>
      roles.has(role as Role)
    )
    const componentTypes = (["skill", "agent", "command", "output-style"] as const).filter((role) => roles.has(role))
    if (isConfiguration || componentTypes.length > 0) {
      if (content.length > parsedBytesMax) add(elements.unparsable(path, "is larger than 2 MiB", digest))
      else if (!isScanned || hasInvalidText(content)) add(elements.unparsable(path, "is not UTF-8 text", digest))
      else {
        if (isConfiguration) addJson(path, text, roles, digest)
        for (const type of componentTypes) {
          addComponent(
            { path, text, lines: makeLines(text), scope: "plugin", index },
            type === "output-style" ? "output_style" : type,
            add
          )
        }
      }
    }
    if (roles.has("special")) add(elements.unknown({ path, line: 1 }, null, { sha256: digest }))
    const isProgram = isExecutable || roles.has("executable") || /^\uFEFF?#!/u.test(text) || isBinaryProgram(content)
    const facts: FileFacts = {
      path,
      sha256: digest,
      interpreter,
      isExecutable,
      named:
        isScanned && (isProgram || text.length < 262_144) ? index.namedIn(text).filter((other) => other !== path) : [],
      hosts: isProgram ? hostsIn(text) : []
    }
    if (isProgram) executables.set(path, facts)
    // A configuration or component is already an element.
    else if (!isConfiguration) others.set(path, facts)
    if (isScanned && signals.length < signalsMax)
      for (const signal of signalsOf(path, text, isEnabled)) signals.push(signal)
  }

  /** Executables, and the files that they or commands name, at any distance. */
  const addExecutables = (): void => {
    for (const facts of executables.values()) for (const path of facts.named) reached.add(path)
    // A set grows while it is iterated.
    for (const path of reached) for (const other of others.get(path)?.named ?? []) reached.add(other)
    for (const facts of [...executables.values(), ...[...others.values()].filter(({ path }) => reached.has(path))]) {
      const { hosts, interpreter, isExecutable, path, sha256: digest } = facts
      add(elements.executable(path, { sha256: digest, interpreter, isExecutable }))
      for (const host of hosts) add(elements.networkHost({ path, line: 1 }, host))
    }
  }

  const finish = (): CapabilitySet => {
    addExecutables()
    if (overflow.length > 0) {
      const digest = sha256([...new Set(overflow)].sort().join("\n"))
      set.set("overflow", elements.unparsable("", `The plugin has more than ${elementsMax} capabilities.`, digest))
    }
    const sorted = [...set.values()].sort(
      (a, b) => compare(a.kind, b.kind) || compare(a.id, b.id) || compare(a.digest, b.digest)
    )
    const digests = sorted.map(({ digest }) => digest).sort()
    return {
      digest: sha256(digests.map((digest) => `${digest}\n`).join("")),
      elements: sorted,
      hosts,
      signals: signals.sort(
        (a, b) => compare(a.path, b.path) || a.line - b.line || compare(a.rule, b.rule) || compare(a.message, b.message)
      )
    }
  }

  return { addFile, finish }
}

/** The capability set of files in memory. */
export const capabilitiesOf = (
  files: ReadonlyArray<CapabilityFile>,
  isEnabled?: (rule: SignalRule) => boolean
): CapabilitySet => {
  const sorted = [...files].sort(
    (a, b) => Number(isManifest(b.path)) - Number(isManifest(a.path)) || compare(a.path, b.path)
  )
  const analysis = makeAnalysis(
    sorted.map(({ path }) => path),
    isEnabled
  )
  for (const file of sorted) analysis.addFile(file)
  return analysis.finish()
}
