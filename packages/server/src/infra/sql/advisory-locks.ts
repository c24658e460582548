/** Keys of PostgreSQL advisory locks, one for each purpose, so that unrelated work does not wait. */
export const advisoryLocks = {
  migrations: 7_203_141_980,
  signingKeys: 7_203_141_981,
  auditChain: 7_203_141_982,
  secretKeyCanary: 7_203_141_983,
  telemetryPartitions: 7_203_141_984,
  provisionalWorkspaces: 7_203_141_985,
  /** Every server holds it as a shared lock while it is connected. */
  servers: 7_203_141_986,
  storage: 7_203_141_987
} as const
