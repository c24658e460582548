import type { Member } from "@orgplane/schema/shared/caller"
import { builtInRoles, type Permission } from "@orgplane/schema/shared/permissions"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { BootstrapService } from "./identity/bootstrap/service.ts"
import { ImportService } from "./content/connectors/import-service.ts"
import { ConnectService } from "./content/connectors/connect-service.ts"
import { makeId } from "./infra/ids.ts"
import * as organizations from "./identity/organizations/repo.ts"
import * as plugins from "./content/plugins/repo.ts"
import { SqlDatabase } from "./infra/sql/client.ts"

/** The values that a script needs to use the demo workspace. */
export interface Seed {
  readonly organizationId: string
  readonly ownerToken: string
  readonly connectorInstanceId: string
  readonly connectorTargetId: string
  readonly marketplaceId: string
  readonly pluginId: string
  readonly configObjectId: string
}

const author = { name: "orgplane", email: "demo@orgplane.invalid" }

/** The sample plugins: next to the packages in a checkout, inside the installed package otherwise. */
const samples = [
  fileURLToPath(new URL("../../../examples/sample-plugins", import.meta.url)),
  fileURLToPath(new URL("../sample-plugins", import.meta.url))
].find((path) => fs.existsSync(path))

/** Creates a bare repository of the sample plugins atomically: an interrupted start leaves nothing incomplete. */
const makeRepository = async (directory: string): Promise<string> => {
  const finished = join(directory, "sample-plugins.git")
  if (fs.existsSync(finished)) return finished
  if (samples === undefined) throw new Error("The sample plugins are missing from this package.")
  const gitdir = join(directory, `.sample-plugins-${process.pid}.git`)
  await rm(gitdir, { recursive: true, force: true })
  await mkdir(gitdir, { recursive: true, mode: 0o700 })
  // A dynamic import, because only the first start of a demo needs git.
  const { default: git } = await import("isomorphic-git")
  await git.init({ fs, dir: samples, gitdir, bare: true, defaultBranch: "main" })
  const files = (await readdir(samples, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => relative(samples, join(entry.parentPath, entry.name)))
  // `dir` is the working directory, so only the objects and the index are written to the bare repository.
  for (const filepath of files.sort()) await git.add({ fs, dir: samples, gitdir, filepath })
  await git.commit({ fs, dir: samples, gitdir, message: "Add the sample plugins", author, ref: "refs/heads/main" })
  await rename(gitdir, finished)
  return finished
}

/** The directory of the demo repository: the only local path that the demo allows. */
export const demoRoot = (dataDir: string) => join(dataDir, "demo")

/**
 * Creates the demo workspace in an empty database, with the same services as any other workspace; undefined if an
 * organization exists.
 */
export const seedDemo = Effect.fnUntraced(function* (dataDir: string, services: Context.Context<SeedServices>) {
  const { bootstrap, connect, imports, sql } = {
    sql: Context.get(services, SqlDatabase),
    bootstrap: Context.get(services, BootstrapService),
    connect: Context.get(services, ConnectService),
    imports: Context.get(services, ImportService)
  }
  // `seed.json` is written last, so without it an earlier start was interrupted.
  if (readSeed(dataDir) === undefined) yield* bootstrap.dropHalfMadeDemo
  if (!(yield* organizations.isEmpty(sql))) return undefined
  const repository = yield* Effect.tryPromise(() => makeRepository(demoRoot(dataDir)))
  const workspace = yield* bootstrap.seedWorkspace("Demo workspace")
  const caller: Member = {
    kind: "member",
    organizationId: workspace.organizationId,
    principal: {
      kind: "session",
      sessionId: workspace.sessionId,
      userId: workspace.userId,
      membershipId: workspace.membershipId
    },
    isAdmin: true,
    isOwner: true,
    permissions: new Set<Permission>(builtInRoles.owner),
    provisional: false,
    hasManagedObjects: false,
    plan: "enterprise",
    request: {
      requestId: makeId("req"),
      address: "127.0.0.1",
      userAgent: "orgplane demo",
      operation: "seed",
      idempotency: null,
      digests: [],
      ifMatch: null,
      responseState: { headers: {}, status: undefined, isEtagPartial: false }
    }
  }
  const { connectorInstance, connectorTarget } = yield* connect.setup(caller, {
    adapter: "git",
    cloneUrl: repository,
    name: "sample-plugins"
  })
  const discovered = yield* imports.discover(caller, connectorInstance.id)
  const applied = yield* imports.apply(
    caller,
    connectorInstance.id,
    {
      selectedKeys: discovered.discoveredPlugins
        .filter((plugin) => plugin.selectedByDefault)
        .map((plugin) => plugin.key),
      autoImportNewPlugins: true,
      share: "orgWide"
    },
    true
  )
  const first = applied.plugins[0]
  if (first === undefined) return yield* Effect.die(new Error("The sample repository contains no plugins."))
  const objects = yield* plugins.listObjects(sql, caller.organizationId, first.id, null, 1)
  const seed: Seed = {
    organizationId: workspace.organizationId,
    ownerToken: workspace.token,
    connectorInstanceId: connectorInstance.id,
    connectorTargetId: connectorTarget.id,
    marketplaceId: applied.marketplace?.id ?? "",
    pluginId: first.id,
    configObjectId: objects[0]?.id ?? ""
  }
  return seed
})

export type SeedServices = SqlDatabase | BootstrapService | ConnectService | ImportService
type SqlDatabase = typeof SqlDatabase.Identifier

export const seedPath = (dataDir: string) => join(dataDir, "seed.json")

/** Writes `seed.json` atomically, readable only by the current user. */
export const writeSeed = async (dataDir: string, seed: Seed, baseUrl: string): Promise<void> => {
  const path = seedPath(dataDir)
  const hidden = `${path}.${process.pid}`
  const content = { baseUrl, pid: process.pid, ...seed }
  await writeFile(hidden, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
  await rename(hidden, path)
}

/** The seed of an earlier start. */
export const readSeed = (dataDir: string): Seed | undefined => {
  try {
    const {
      baseUrl: _baseUrl,
      pid: _pid,
      ...seed
    } = JSON.parse(fs.readFileSync(seedPath(dataDir), "utf8")) as Seed & {
      readonly baseUrl: string
      readonly pid: number
    }
    return seed
  } catch {
    return undefined
  }
}
