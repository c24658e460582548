/** Infrastructure: the database, the configuration, the adapters, and the services that every module may use. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import { Refusals } from "./audit/refusals.ts"
import { layerAdapters } from "./config/adapters.ts"
import { layerSettings } from "./config/settings-layer.ts"
import { isSealed, layerCanary } from "./crypto/canary.ts"
import { KeyRing } from "./crypto/key-ring.ts"
import { SigningKeys } from "./crypto/signing-keys.ts"
import { SyncJobs } from "./jobs/index.ts"
import { CredentialGate } from "./limits/credential-gate.ts"
import { RateLimiter } from "./limits/index.ts"
import { MailQueue } from "./mail/index.ts"
import { layerMailer } from "./mail/mailer.ts"
import { Mutate } from "./mutate/index.ts"
import type { ControlPlaneOptions } from "./options.ts"
import { Pages } from "./pages/index.ts"
import { ScimLog } from "./scim/log.ts"
import { secretKeysOf } from "./secret-keys.ts"
import { layerDatabase } from "./sql/database.ts"
import { Storage } from "./storage/index.ts"

const layerKeys = (options: ControlPlaneOptions) =>
  Layer.unwrap(
    Effect.flatMap(isSealed, (sealed) =>
      Effect.map(secretKeysOf(options, sealed), ({ secrets, signing }) => KeyRing.layer(secrets, signing))
    )
  )

export const layer = (options: ControlPlaneOptions) =>
  Layer.mergeAll(
    Mutate.layer,
    SigningKeys.layer,
    CredentialGate.layer.pipe(Layer.provideMerge(RateLimiter.layer)),
    Pages.layer,
    SyncJobs.layer,
    ScimLog.layer,
    Refusals.layer,
    Storage.layer
  ).pipe(
    Layer.provideMerge(MailQueue.layer.pipe(Layer.provide(layerMailer(options)))),
    Layer.provideMerge(
      Layer.mergeAll(
        layerSettings(options),
        Layer.provideMerge(layerCanary, layerKeys(options)),
        layerAdapters(options)
      )
    ),
    Layer.provideMerge(layerDatabase(options.database)),
    Layer.provideMerge(Reactivity.layer)
  )
