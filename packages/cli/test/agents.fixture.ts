/** A server that signs desired states, and a machine that syncs with it. */
import { createHash, generateKeyPairSync, sign } from "node:crypto"
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { zip, type ZipItem } from "../../server/test/content/archives.fixture.ts"
import { folder, type Reply, type Seen, serve, spawned, start } from "./harness.ts"

export const sha256 = (bytes: string | Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

export type PluginFiles = Readonly<Record<string, string | { readonly executable: string }>>

/** An archive as the server creates it. */
export const archive = (files: PluginFiles, more: ReadonlyArray<ZipItem> = []): Buffer =>
  zip([
    ...Object.entries(files).map(([name, content]) =>
      typeof content === "string"
        ? { name, content, mode: 0o100644 }
        : { name, content: content.executable, mode: 0o100755 }
    ),
    ...more
  ])

export const manifestOf = (name: string) => JSON.stringify({ name, description: `The plugin ${name}.` })

export const filesOf = (name: string, text: string): PluginFiles => ({
  ".claude-plugin/plugin.json": manifestOf(name),
  [`skills/${name}/SKILL.md`]: `---\nname: ${name}\ndescription: How to ${name}.\n---\n\n${text}\n`,
  "run.sh": { executable: "#!/bin/sh\n" }
})

export const makeKey = (kid: string, retiredAt: string | null = null) => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519")
  const { x } = publicKey.export({ format: "jwk" })
  return { kid, privateKey, jwk: { kid, kty: "OKP", crv: "Ed25519", x, alg: "EdDSA", use: "sig", retiredAt } }
}
export type Key = ReturnType<typeof makeKey>

export interface PluginSpec {
  readonly name: string
  readonly text?: string
  readonly files?: PluginFiles
  readonly mode?: string
  readonly enabled?: boolean
  readonly locked?: boolean
  readonly digest?: string
  /** The server no longer delivers the pinned release. */
  readonly isMissing?: true
  /** The archive that is sent instead. */
  readonly sent?: Buffer
}

export const idOf = (name: string) => `plg_${name}`

interface Contents {
  readonly revision?: number
  readonly plugins?: ReadonlyArray<PluginSpec>
  readonly more?: Readonly<Record<string, unknown>>
}

/** A report of a machine. */
export interface Report {
  readonly deviceId: string
  readonly sequence: number
  readonly revision: number | null
  readonly failure: string | null
  readonly plugins: ReadonlyArray<Readonly<Record<string, unknown>>>
}

/** A server whose desired state tests replace. */
export const startAuthority = async () => {
  let key = makeKey("k1")
  let reply: (seen: Seen) => Reply = () => ({ status: 503, body: { error: "unavailable", message: "Not yet." } })
  const archives = new Map<string, Buffer>()
  /** Names of plugins whose archives are never sent. */
  const held = new Set<string>()
  let onArchive: (name: string) => void = () => {}
  /** By device. */
  const lastSequences = new Map<string, number>()
  let firstSequence = 0
  let reportReply: ((report: Report) => Reply) | undefined
  const reports: Array<Report> = []
  const { seen, url } = await serve({
    "GET /v1/me/desired-state": (request) => reply(request),
    "GET /v1/keys": () => ({ body: { keys: [key.jwk] } }),
    "POST /v1/delivery/reports": ({ body }) => {
      const report = JSON.parse(body) as Report
      reports.push(report)
      if (reportReply !== undefined) return reportReply(report)
      const last = lastSequences.get(report.deviceId) ?? firstSequence
      lastSequences.set(report.deviceId, Math.max(last, report.sequence))
      return { body: { accepted: report.sequence > last, lastSequence: Math.max(last, report.sequence) } }
    },
    ...Object.fromEntries(
      ["deploy", "review", "notes", "tools"].map((name) => [
        `GET /v1/plugins/${idOf(name)}/archive/link`,
        () => {
          onArchive(name)
          if (held.has(name)) return { silent: true as const }
          const bytes = archives.get(name)
          return bytes === undefined
            ? { status: 404, body: { error: "plugin_archive_not_found", message: "No such archive." } }
            : { raw: bytes, headers: { "content-type": "application/zip" } }
        }
      ])
    )
  })

  const stateOf = async ({ more = {}, plugins = [], revision = 1 }: Contents) => {
    const wirePlugins = []
    for (const {
      digest,
      enabled = true,
      files,
      isMissing,
      locked,
      mode = "required",
      name,
      sent,
      text = "First."
    } of plugins) {
      const bytes = archive(files ?? filesOf(name, text))
      archives.set(name, sent ?? bytes)
      wirePlugins.push({
        pluginId: idOf(name),
        name,
        description: `The plugin ${name}.`,
        version: "1.0.0",
        digest: digest ?? null,
        delivery: "latest_approved",
        archive: isMissing
          ? null
          : {
              url: `${url}/v1/plugins/${idOf(name)}/archive/link?sha256=${sha256(bytes)}`,
              format: "zip",
              sha256: sha256(bytes)
            },
        mode,
        enabled,
        locked: locked ?? mode === "required",
        marketplaceIds: []
      })
    }
    return {
      formatVersion: 1,
      organizationId: "org_1",
      orgMembershipId: "om_ada",
      workerId: null,
      revision,
      generatedAt: "2026-01-15T06:00:00.000Z",
      validUntil: "2999-01-15T18:00:00.000Z",
      signingKeyId: key.kid,
      policy: { desktopPolicy: { allowManageExtensions: true }, reasons: [] },
      plugins: wirePlugins,
      blocked: [],
      marketplaces: [],
      mcpConnections: [],
      models: [],
      truncated: false,
      ...more
    }
  }

  const signedReply = (state: Awaited<ReturnType<typeof stateOf>>, signer: Key = key) => {
    const body = JSON.stringify(state)
    const text = `orgplane desired state\n${state.organizationId}\n${state.workerId ?? state.orgMembershipId}\n${state.revision}\n${sha256(body)}\n`
    return {
      body,
      headers: {
        etag: `"${sha256(body)}"`,
        "x-desired-state-signature": sign(null, Buffer.from(text), signer.privateKey).toString("base64"),
        "x-desired-state-key-id": signer.kid
      }
    }
  }

  return {
    url,
    seen,
    key: () => key,
    rotateKey: (next: Key) => (key = next),
    stateOf,
    signedReply,
    respond: (next: (seen: Seen) => Reply) => (reply = next),
    reports,
    /** Replaces the response to reports. Undefined: a report with a higher sequence is accepted. */
    respondToReports: (next: ((report: Report) => Reply) | undefined) => (reportReply = next),
    /** The server has already accepted reports with sequences up to this one. */
    setLastSequence: (sequence: number) => (firstSequence = sequence),
    held,
    onArchive: (next: (name: string) => void) => (onArchive = next),
    archives,
    /** Publishes a state, and responds with 304 to its `ETag`. */
    publish: async (contents: Contents) => {
      const signed = signedReply(await stateOf(contents))
      reply = ({ headers }) => (headers["if-none-match"] === signed.headers.etag ? { status: 304 } : signed)
      return signed
    }
  }
}
export type Authority = Awaited<ReturnType<typeof startAuthority>>

/** The paths, contents and modes of all files below a directory. */
export const treeOf = (directory: string, prefix = ""): Readonly<Record<string, string>> => {
  if (!existsSync(directory)) return {}
  return Object.fromEntries(
    readdirSync(directory).flatMap((name) => {
      const path = join(directory, name)
      if (lstatSync(path).isDirectory()) return Object.entries(treeOf(path, `${prefix}${name}/`))
      return [[`${prefix}${name}`, `${(statSync(path).mode & 0o777).toString(8)} ${readFileSync(path, "utf8")}`]]
    })
  )
}

/** A home directory, with the settings of a user. */
export const makeMachine = async (authority: Pick<Authority, "url">, settings?: string) => {
  const home = await folder()
  const settingsFile = join(home, ".claude", "settings.json")
  const data = join(home, "data", "orgplane-agents")
  mkdirSync(join(home, ".claude"))
  if (settings !== undefined) writeFileSync(settingsFile, settings)
  const env = { HOME: home, XDG_DATA_HOME: join(home, "data") }
  const options = { url: authority.url, config: join(home, "config"), env }
  const at = (args: ReadonlyArray<string>) => [...args, ...(args.includes("--scope") ? [] : ["--scope", "user"])]
  return {
    home,
    data,
    settingsFile,
    run: (args: ReadonlyArray<string>, more: { readonly token?: string; readonly url?: string } = {}) =>
      spawned(["agents", ...at(args)], { ...options, ...more }),
    start: (args: ReadonlyArray<string>) => start(["agents", ...at(args)], options),
    text: () => readFileSync(settingsFile, "utf8"),
    settings: () => JSON.parse(readFileSync(settingsFile, "utf8")) as Settings,
    tree: () => treeOf(home),
    /** What an agent reads: the settings, and the files of the enabled plugins. */
    view: () => viewOf(settingsFile)
  }
}
export type MachineFixture = Awaited<ReturnType<typeof makeMachine>>

export interface Settings {
  readonly extraKnownMarketplaces?: Readonly<Record<string, { readonly source: { readonly path: string } }>>
  readonly enabledPlugins?: Readonly<Record<string, boolean>>
}

interface View {
  readonly settings: Settings | null
  /** The files of each plugin. */
  readonly plugins: Readonly<Record<string, Readonly<Record<string, string>>>>
}

export const viewOf = (settingsFile: string): View => {
  if (!existsSync(settingsFile)) return { settings: null, plugins: {} }
  const settings = JSON.parse(readFileSync(settingsFile, "utf8")) as Settings
  const directory = settings.extraKnownMarketplaces?.["orgplane"]?.source.path
  if (directory === undefined) return { settings, plugins: {} }
  const manifest = JSON.parse(readFileSync(join(directory, ".claude-plugin/marketplace.json"), "utf8")) as {
    readonly plugins: ReadonlyArray<{ readonly name: string; readonly source: string }>
  }
  const plugins = Object.fromEntries(
    manifest.plugins.map(({ name, source }) => [name, treeOf(join(directory, source))])
  )
  const marketplaces = { ...settings.extraKnownMarketplaces, orgplane: { source: { path: "directory" } } }
  return { settings: { ...settings, extraKnownMarketplaces: marketplaces }, plugins }
}
