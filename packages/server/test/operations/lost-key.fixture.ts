import { runSql, type TestPlane } from "../harness.ts"

/** Names a key that is not configured in an organization's encrypted values of a table, as if their key had been lost. */
export const loseKeyOf = (plane: TestPlane, { organizationId }: { readonly organizationId: string }, table: string) =>
  runSql(
    plane,
    (sql) => sql`UPDATE ${sql(table)} SET key_id = '000000000000'
      WHERE organization_id = ${organizationId} AND key_id IS NOT NULL`
  )
