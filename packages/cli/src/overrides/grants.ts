/** Overrides shared by the commands for grants on all kinds of objects. */
import type { Override } from "../override.ts"

export const grantColumns = ["id", "role", "orgMembershipId", "teamId", "orgWide", "createdAt"]

export const revokeGrant = {
  confirm: (ids: ReadonlyArray<string>) => `Revoke the grant ${ids[1] ?? ""}?`
} satisfies Override
