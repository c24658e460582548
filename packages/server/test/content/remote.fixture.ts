import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { commit, type Content, type Files as GitFiles, makeRepository } from "../../../../test/fixtures/git.ts"
import { handleGitRequest, readBody } from "../../../../test/fixtures/git-server.ts"
import { type Files, integrityOf, sha256Of, tarGz, zipOf } from "./archives.fixture.ts"
import { skill } from "./connectors.fixture.ts"

/** The sources of a marketplace's plugins: a Git host, an npm registry and a file server in one process. */
export interface Elsewhere {
  readonly origin: string
  /** For `remoteSources`: the usual hosts, mirrored here. */
  readonly sources: ReadonlyArray<string>
  /** `METHOD /path` of every request, in order. */
  readonly seen: Array<string>
  /** Responds at a path instead of the existing content; undefined removes the override. */
  readonly override: (path: string, respond: ((response: ServerResponse) => void) | undefined) => void
  /** Creates a repository `owner/name`; returns its commit. */
  readonly repository: (name: string, files: GitFiles) => string
  readonly commit: (name: string, changes: Readonly<Record<string, Content | null>>) => string
  /** Publishes one version of a package; returns its integrity. */
  readonly publish: (name: string, version: string, tarball: Uint8Array) => string
  /** Stores a file at a path; returns its SHA-256. */
  readonly file: (path: string, bytes: Uint8Array) => string
}

export const hosts = { git: "git.example.com", files: "files.example.com" } as const

/** Runs until the test file ends. */
export const serveElsewhere = async (): Promise<Elsewhere> => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "orgplane-elsewhere-")))
  const seen: Array<string> = []
  const overrides = new Map<string, (response: ServerResponse) => void>()
  const repositories = new Map<string, string>()
  const packages = new Map<string, Record<string, string>>()
  const files = new Map<string, Uint8Array>()

  const server = createServer((request, response) => {
    const { method = "", url = "" } = request
    const respondTo = async () => {
      const body = await readBody(request)
      seen.push(`${method} ${url}`)
      const overridden = overrides.get(url)
      if (overridden !== undefined) return overridden(response)
      for (const [name, dir] of repositories) {
        if (await handleGitRequest(dir, { path: `/git/${name}` }, { method, url, body }, response)) return
      }
      const file = files.get(url)
      if (file !== undefined) return void response.writeHead(200).end(file)
      const name = url.startsWith("/npm/") ? decodeURIComponent(url.slice(5)) : ""
      const versions = packages.get(name)
      if (versions !== undefined) {
        const dist = Object.entries(versions).map(([version, path]) => [
          version,
          { name, version, dist: { tarball: `${originOf()}/npm/${path}` } }
        ])
        return void response
          .writeHead(200, { "content-type": "application/json" })
          .end(JSON.stringify({ name, versions: Object.fromEntries(dist) }))
      }
      response.writeHead(404).end("nothing")
    }
    respondTo().catch(() => response.destroy())
  })
  const originOf = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    rmSync(root, { recursive: true, force: true })
  })
  const origin = originOf()
  const dirOf = (name: string) => join(root, name)
  return {
    origin,
    sources: [
      `github.com=${origin}/git`,
      `${hosts.git}=${origin}/git`,
      `npm=${origin}/npm`,
      `${hosts.files}=${origin}`
    ],
    seen,
    override: (path, respond) => {
      if (respond === undefined) overrides.delete(path)
      else overrides.set(path, respond)
    },
    repository: (name, content) => {
      repositories.set(name, dirOf(name))
      return makeRepository(dirOf(name), content)
    },
    commit: (name, changes) => commit(dirOf(name), changes),
    publish: (name, version, tarball) => {
      const path = `${name}/-/${version}.tgz`
      files.set(`/npm/${path}`, tarball)
      packages.set(name, { ...packages.get(name), [version]: path })
      return integrityOf(tarball)
    },
    file: (path, bytes) => {
      files.set(path, bytes)
      return sha256Of(bytes)
    }
  }
}

/** A plugin's own files: a manifest, a skill with a supporting file, a command. */
export const pluginFiles = (name: string, text = "Do it well."): Record<string, string> => ({
  ".claude-plugin/plugin.json": JSON.stringify({ name, description: `Does ${name}.` }),
  [`skills/${name}/SKILL.md`]: skill(name, text),
  [`skills/${name}/notes.md`]: `Notes on ${name}.\n`,
  "commands/go.md": `# Go ${name}\n\nGo on.\n`
})

/** Objects that importing `pluginFiles` creates. */
export const objectsPerPlugin = 3

export const forms = ["local", "github", "url", "git-subdir", "npm", "tar.gz", "zip"] as const
export type Form = (typeof forms)[number]

export interface Entry {
  readonly name: string
  readonly source: unknown
}

export const below = (folder: string, files: Files) =>
  Object.fromEntries(Object.entries(files).map(([path, content]) => [`${folder}/${path}`, content]))

/** Places a plugin's files in a source; returns the entry, and the files of the listing repository. */
export const placePlugin = async (
  elsewhere: Elsewhere,
  form: Form,
  name: string,
  files: Files = pluginFiles(name)
): Promise<{ readonly entry: Entry; readonly own: Files }> => {
  const elsewhereOnly = (source: unknown) => ({ entry: { name, source }, own: {} })
  switch (form) {
    case "local":
      return { entry: { name, source: `./plugins/${name}` }, own: below(`plugins/${name}`, files) }
    case "github": {
      const sha = elsewhere.repository(`acme/${name}`, files)
      return elsewhereOnly({ source: "github", repo: `acme/${name}`, ref: "main", sha })
    }
    case "url": {
      const sha = elsewhere.repository(`team/${name}`, files)
      return elsewhereOnly({ source: "url", url: `https://${hosts.git}/team/${name}.git`, sha })
    }
    case "git-subdir": {
      const sha = elsewhere.repository(`mono/${name}`, { "README.md": "# Many\n", ...below(`packages/${name}`, files) })
      const url = `https://${hosts.git}/mono/${name}`
      return elsewhereOnly({ source: "git-subdir", url, path: `packages/${name}`, ref: "main", sha })
    }
    case "npm": {
      const tarball = await tarGz({ "package.json": JSON.stringify({ name, version: "1.0.0" }), ...files }, "package/")
      const integrity = elsewhere.publish(`@acme/${name}`, "1.0.0", tarball)
      return elsewhereOnly({ source: "npm", package: `@acme/${name}`, version: "1.0.0", integrity })
    }
    case "tar.gz":
    case "zip": {
      const bytes = form === "zip" ? zipOf(files) : await tarGz(files, `${name}-1.0/`)
      const sha256 = elsewhere.file(`/${name}.${form}`, bytes)
      return elsewhereOnly({ source: "archive", url: `https://${hosts.files}/${name}.${form}`, sha256 })
    }
  }
}

/** The same sequence of numbers for the same seed. */
export const chance = (seed: number) => {
  let state = seed >>> 0
  return (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/**
 * A marketplace of `count` plugins in every form, with texts and sizes derived from the seed. `plugins` are the
 * expected files of each after an import.
 */
export const generateMarketplace = async (elsewhere: Elsewhere, count: number, seed: number) => {
  const next = chance(seed)
  const entries: Array<Entry> = []
  const plugins = new Map<string, { readonly form: Form; readonly files: Record<string, string> }>()
  let own: Files = {}
  for (let index = 0; index < count; index++) {
    // Each form in turn, so that a small marketplace has them all.
    const form = forms[index % forms.length] ?? "local"
    const name = `p${seed}-${index}`
    const files = pluginFiles(name, `Step ${next(1000)}.\n\n${"More. ".repeat(next(200))}`)
    for (let more = next(4); more > 0; more--) files[`agents/helper-${more}.md`] = `# Helper ${next(1e6)}\n`
    const placed = await placePlugin(elsewhere, form, name, files)
    entries.push(placed.entry)
    own = { ...own, ...placed.own }
    plugins.set(name, { form, files })
  }
  return { entries, own, plugins }
}

export const marketplaceOf = (entries: ReadonlyArray<unknown>) => ({
  ".claude-plugin/marketplace.json": JSON.stringify({ name: "acme-tools", owner: { name: "Acme" }, plugins: entries })
})
