/** Enables row-level security on later tenant tables, as `0005_row_security` did for the first ones. */
export const rowSecurity = (tables: ReadonlyArray<string>): ReadonlyArray<string> =>
  tables.flatMap((table) => [
    `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`,
    `ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`,
    `CREATE POLICY ${table}_organization ON ${table}
    USING (coalesce(current_setting('orgplane.organization_id', true), '') = ''
      OR organization_id = current_setting('orgplane.organization_id', true))
    WITH CHECK (coalesce(current_setting('orgplane.organization_id', true), '') = ''
      OR organization_id = current_setting('orgplane.organization_id', true))`
  ])
