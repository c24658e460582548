import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { app, appKey } from "../../../../../../test/fixtures/code-host-server.ts"
import { layerOutbound } from "../../outbound/index.ts"
import { CodeHostApp, type InstalledRepository } from "../../ports/code-host-app.ts"
import type { CodeHostFailed } from "../../ports/code-host.ts"
import { openedBy, type Reader } from "../code-host.fixture.ts"
import { type CodeHostRestOptions, layerCodeHostRest } from "./index.ts"

type Shape = CodeHostApp["Service"]

export const installationId = "1"

/** The real layer with the real outbound client, which has the host's origin as configured and no other private one. */
export const withApp = <A>(
  url: string,
  use: (app: Shape) => Promise<A>,
  options: Partial<CodeHostRestOptions> = {}
): Promise<A> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const shape = yield* CodeHostApp
      return yield* Effect.promise(() => use(shape))
    }).pipe(
      Effect.provide(
        layerCodeHostRest({
          url,
          appId: app.appId,
          privateKey: Redacted.make(appKey),
          clientId: app.clientId,
          clientSecret: Redacted.make(app.clientSecret),
          ...options
        }).pipe(Layer.provide(layerOutbound({ configuredOrigins: [new URL(url).origin] })))
      ),
      Effect.orDie
    )
  )

export const run = <A, E>(effect: Effect.Effect<A, E>): Promise<A> => Effect.runPromise(Effect.orDie(effect))
export const refusal = <A>(effect: Effect.Effect<A, CodeHostFailed>): Promise<CodeHostFailed> =>
  run(Effect.flip(effect))

export const repositoryOf = (repositoryId: number | string): InstalledRepository => ({
  installationId,
  repositoryId: String(repositoryId),
  organizationId: "org_test"
})

export const readerOf = (shape: Shape, repository: InstalledRepository): Reader => ({
  inspect: shape.inspect(repository),
  head: (branch) => shape.head(repository, branch),
  snapshot: (branch, revision) => shape.snapshot(repository, branch, revision)
})

export const opened = (shape: Shape, repository: InstalledRepository) => openedBy(readerOf(shape, repository), run)
