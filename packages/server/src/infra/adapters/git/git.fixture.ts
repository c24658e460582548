import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import { afterAll } from "vitest"
import { CodeHost, type CodeHostFailed, type Repository, type Snapshot } from "../../ports/code-host.ts"
import { layerOutbound, type OutboundOptions } from "../../outbound/index.ts"
import { type CodeHostGitOptions, layerCodeHostGit } from "./index.ts"

type Shape = CodeHost["Service"]

export interface TestHost {
  readonly run: <A>(use: (host: Shape) => Effect.Effect<A, CodeHostFailed>) => Promise<A>
  readonly refusal: <A>(use: (host: Shape) => Effect.Effect<A, CodeHostFailed>) => Promise<CodeHostFailed>
}

/** The real layer with the real outbound client, which may reach loopback and no other private address. */
export const makeTestHost = (
  options: CodeHostGitOptions,
  outbound: OutboundOptions = { allowHttp: true, allowCidrs: ["127.0.0.0/8"] }
): TestHost => {
  const layer = Layer.provide(layerCodeHostGit({ allowHttp: true, ...options }), layerOutbound(outbound))
  const run = <A, E>(use: (host: Shape) => Effect.Effect<A, E>): Promise<A> =>
    Effect.runPromise(
      Effect.gen(function* () {
        return yield* use(yield* CodeHost)
      }).pipe(Effect.provide(layer), Effect.orDie)
    )
  return { run, refusal: (use) => run((host) => Effect.flip(use(host))) }
}

/** A folder that is deleted after the file's tests. */
export const makeFolder = (): string => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "orgplane-git-")))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export const repositoryAt = (
  cloneUrl: string,
  credential: { readonly username: string; readonly token: Redacted.Redacted } | null = null
): Repository => ({ cloneUrl, credential, organizationId: "org_test" })

export interface Seen {
  readonly revision: string
  readonly truncated: boolean
  readonly strategy: Snapshot["strategy"]
  readonly entries: Snapshot["entries"]
  readonly contents: ReadonlyMap<string, Uint8Array>
}

/** A complete snapshot with all readable contents. */
export const see = (host: Shape, repository: Repository, branch = "main", revision?: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const {
        revision: headRevision,
        truncated,
        strategy,
        entries,
        read
      } = yield* host.snapshot(repository, branch, revision)
      const contents = yield* read(entries.map(({ sha }) => sha))
      return { revision: headRevision, truncated, strategy, entries, contents } satisfies Seen
    })
  )

export const textAt = ({ entries, contents }: Seen, path: string): string | undefined => {
  const sha = entries.find((entry) => entry.path === path)?.sha
  const bytes = sha === undefined ? undefined : contents.get(sha)
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes)
}
