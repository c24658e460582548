/** Which releases work on the schema after a migration. docs/upgrade.md has the rules. */

/** The schema version of 0.1.0. Up to it, migrations run in one transaction, because no release used them before. */
export const firstRelease = 54

export interface Requirement {
  /** The lowest schema version of the releases that work after the migration: that of the previous release, or lower. */
  readonly codeVersionMin: number
  readonly reason: string
}

/**
 * Migrations that end the compatibility with earlier releases, such as one that drops a column. Every other migration
 * only adds to the schema, so all releases since 0.1.0 work after it.
 */
export const requirements: Readonly<Record<string, Requirement>> = {}
