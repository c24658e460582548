import * as Layer from "effect/Layer"
import { corsOrigins, isLoopbackHost } from "../http/headers.ts"
import { withoutTrailing } from "../normalize.ts"
import type { ControlPlaneOptions } from "../options.ts"
import { mayBePlain, parsePlainHttp } from "../outbound/index.ts"
import { schemaVersion } from "../sql/database.ts"
import { version } from "../version.ts"
import { pluginBoundsOf } from "./plugin-bounds.ts"
import { consoleUrlOf, linksOf, publicUrlOf } from "./public-url.ts"
import { retentionDefaults } from "./retention.ts"
import { storageQuotaDefaults } from "./storage-quotas.ts"
import { Settings } from "./settings.ts"

/** The outbound HTTP client rejects malformed entries when it is created. */
const mayBePlainHttp = (options: ControlPlaneOptions) => {
  const plainHttp = parsePlainHttp(options.outbound?.allowHttp ?? false)
  return (url: URL): boolean => plainHttp !== undefined && mayBePlain(plainHttp, url)
}

/** The options with every default resolved. */
export const layerSettings = (options: ControlPlaneOptions) => {
  // Without configuration, anyone can create workspaces only if the server runs on the local machine.
  const isOwnMachine = isLoopbackHost(new URL(options.publicUrl ?? "http://localhost").hostname)
  const bootstrap = options.bootstrap ?? (isOwnMachine ? "open" : "off")
  return Layer.succeed(Settings, {
    publicUrl: publicUrlOf(options),
    pathPrefix: withoutTrailing(options.pathPrefix ?? "", "/"),
    links: linksOf(options),
    consoleUrl: consoleUrlOf(options),
    corsOrigins: corsOrigins(options.corsOrigins ?? []),
    mayBePlainHttp: mayBePlainHttp(options),
    bootstrap:
      typeof bootstrap === "object"
        ? { kind: "token", token: bootstrap.token }
        : bootstrap === "off"
          ? { kind: "off" }
          : { kind: "open" },
    defaultPlan: options.defaultPlan ?? "enterprise",
    platformAdmins: new Set((options.platformAdmins ?? []).map((email) => email.trim().toLowerCase())),
    metricsToken: options.metricsToken ?? null,
    webhookSecrets: options.webhookSecrets ?? [],
    reconcileSeconds: options.reconcileSeconds ?? 900,
    pluginBounds: pluginBoundsOf(options),
    telemetry: {
      types: new Set(options.telemetry?.types ?? []),
      retentionDays: options.telemetry?.retentionDays ?? 400
    },
    retention: { ...retentionDefaults, ...options.retention },
    storageQuotas: { ...storageQuotaDefaults, ...options.storageQuotas },
    controlPlaneUrl: withoutTrailing(options.provisioner?.controlPlaneUrl ?? publicUrlOf(options), "/"),
    heartbeatSeconds: options.workerHeartbeatSeconds ?? 30,
    disk:
      options.database.kind === "pglite" && options.database.dataDir !== "memory"
        ? { directory: options.database.dataDir, bytesMin: (options.diskFreeMinMiB ?? 256) * 1024 * 1024 }
        : null,
    version,
    schemaVersion
  })
}
