import type { VariableName } from "./variables.ts"

interface RetentionSetting {
  readonly variable: VariableName
  readonly unit: string
  readonly range: readonly [min: number, max: number]
  /** Null: kept without a limit. */
  readonly ifUnset: number | null
}

/** How long rows are kept, or how many of them: each is a field of the option `retention` and a variable. */
export const retentionSettings = {
  auditDays: { variable: "ORGPLANE_RETENTION_AUDIT_DAYS", unit: "days", range: [30, 36_500], ifUnset: null },
  credentialDays: { variable: "ORGPLANE_RETENTION_CREDENTIAL_DAYS", unit: "days", range: [1, 3650], ifUnset: 30 },
  deliveryDays: { variable: "ORGPLANE_RETENTION_DELIVERY_DAYS", unit: "days", range: [7, 3650], ifUnset: 30 },
  deviceDays: { variable: "ORGPLANE_RETENTION_DEVICE_DAYS", unit: "days", range: [7, 3650], ifUnset: 90 },
  invitationDays: { variable: "ORGPLANE_RETENTION_INVITATION_DAYS", unit: "days", range: [1, 3650], ifUnset: 400 },
  removedDays: { variable: "ORGPLANE_RETENTION_REMOVED_DAYS", unit: "days", range: [1, 3650], ifUnset: 30 },
  scimLogDays: { variable: "ORGPLANE_RETENTION_SCIM_LOG_DAYS", unit: "days", range: [1, 3650], ifUnset: 30 },
  syncsMax: { variable: "ORGPLANE_RETENTION_SYNCS", unit: "syncs", range: [100, 100_000], ifUnset: 1000 },
  workerActivityDays: {
    variable: "ORGPLANE_RETENTION_WORKER_ACTIVITY_DAYS",
    unit: "days",
    range: [1, 3650],
    ifUnset: 30
  }
} as const satisfies Readonly<Record<string, RetentionSetting>>

export type RetentionName = keyof typeof retentionSettings

/** The resolved retention. Null: kept without a limit. */
export type Retention = {
  readonly [N in RetentionName]: (typeof retentionSettings)[N]["ifUnset"] extends null ? number | null : number
}

export const retentionDefaults: Retention = {
  auditDays: retentionSettings.auditDays.ifUnset,
  credentialDays: retentionSettings.credentialDays.ifUnset,
  deliveryDays: retentionSettings.deliveryDays.ifUnset,
  deviceDays: retentionSettings.deviceDays.ifUnset,
  invitationDays: retentionSettings.invitationDays.ifUnset,
  removedDays: retentionSettings.removedDays.ifUnset,
  scimLogDays: retentionSettings.scimLogDays.ifUnset,
  syncsMax: retentionSettings.syncsMax.ifUnset,
  workerActivityDays: retentionSettings.workerActivityDays.ifUnset
}

/** The fields, in the order in which they are documented. */
export const retentionNames: ReadonlyArray<RetentionName> = [
  "auditDays",
  "credentialDays",
  "deliveryDays",
  "deviceDays",
  "invitationDays",
  "removedDays",
  "scimLogDays",
  "syncsMax",
  "workerActivityDays"
]
