import { runSql, type TestPlane } from "../harness.ts"

/** Sets the key of an organization's encrypted values in a table to one that is not configured, as if the key was lost. */
export const loseKeyOf = (plane: TestPlane, { organizationId }: { readonly organizationId: string }, table: string) =>
  runSql(
    plane,
    (sql) => sql`UPDATE ${sql(table)} SET key_id = '000000000000'
      WHERE organization_id = ${organizationId} AND key_id IS NOT NULL`
  )
