/** What a project's setup hands to its test files. */
declare module "vitest" {
  export interface ProvidedContext {
    readonly engine: "pglite" | "postgres"
    /** PGlite: a file with the migrated database. */
    readonly snapshotPath: string
    /** PostgreSQL: the server, and the migrated database that others are copied from. */
    readonly postgresUrl: string
    readonly postgresTemplate: string
  }
}
export {}
