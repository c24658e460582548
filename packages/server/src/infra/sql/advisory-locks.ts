/** PostgreSQL's advisory locks, one key for each purpose; keys that are shared would make unrelated work wait. */
export const advisoryLocks = {
  migrations: 7_203_141_980,
  signingKeys: 7_203_141_981,
  auditChain: 7_203_141_982,
  secretKeyCanary: 7_203_141_983,
  telemetryPartitions: 7_203_141_984,
  provisionalWorkspaces: 7_203_141_985
} as const
