import { expect, it } from "vitest"
import * as ControlPlane from "../../control-plane.ts"
import type { ControlPlaneOptions } from "../options.ts"

const memory = { kind: "pglite", dataDir: "memory" } as const

const outside: ReadonlyArray<readonly [options: ControlPlaneOptions, message: string]> = [
  [
    { database: memory, databaseTimeoutSeconds: 301 },
    "The option databaseTimeoutSeconds is 301; it must be a whole number from 1 to 300."
  ],
  [
    { database: { kind: "postgres", url: "postgres://localhost:1/none", waitSeconds: -1 } },
    "The option database.waitSeconds is -1; it must be a whole number from 0 to 3600."
  ],
  [
    { database: memory, diskFreeMinMiB: 0.5 },
    "The option diskFreeMinMiB is 0.5; it must be a whole number from 0 to 1048576."
  ],
  [
    { database: memory, reconcileSeconds: Number.NaN },
    "The option reconcileSeconds is NaN; it must be a whole number from 0 to 604800."
  ],
  [
    { database: memory, workerHeartbeatSeconds: 0 },
    "The option workerHeartbeatSeconds is 0; it must be a whole number from 1 to 3600."
  ],
  [
    { database: memory, pluginBounds: { filesMax: 9001 } },
    "The option pluginBounds.filesMax is 9001; it must be a whole number from 1 to 9000."
  ],
  [
    { database: memory, telemetry: { retentionDays: Number.POSITIVE_INFINITY } },
    "The option telemetry.retentionDays is Infinity; it must be a whole number from 1 to 3650."
  ],
  [
    { database: memory, retention: { auditDays: 29 } },
    "The option retention.auditDays is 29; it must be a whole number from 30 to 36500."
  ]
]

it.each(outside)("ControlPlane.make refuses %j", async (options, message) => {
  await expect(ControlPlane.make(options)).rejects.toThrow(new RangeError(message))
})
