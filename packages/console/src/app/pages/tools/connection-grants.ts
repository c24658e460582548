/** The grants of an MCP connection, whose members and teams lose access if it is removed or disconnected. */
import { client } from "../../api/client.ts"
import { plural } from "../../design/text.ts"

/** More grants than this are not counted. */
const grantsMax = 100

export interface ConnectionGrants {
  readonly count: number
  readonly memberCount: number
  readonly teamCount: number
  readonly isForEveryone: boolean
  /** True if there are more grants than are counted. */
  readonly isCut: boolean
}

export const readGrants = async (connectionId: string, signal: AbortSignal): Promise<ConnectionGrants> => {
  const { items, nextCursor } = await client.mcpConnections.listAccess(connectionId, { limit: grantsMax }, { signal })
  const grants = items.filter(({ removedAt }) => removedAt === null)
  return {
    count: grants.length,
    memberCount: grants.filter(({ orgMembershipId }) => orgMembershipId !== null).length,
    teamCount: grants.filter(({ teamId }) => teamId !== null).length,
    isForEveryone: grants.some(({ orgWide }) => orgWide),
    isCut: nextCursor !== null
  }
}

/** Such as "At least 2 members and 1 team". */
export const receiversOf = ({ isCut, isForEveryone, memberCount, teamCount }: ConnectionGrants): string =>
  isForEveryone
    ? "Everyone in the organization"
    : `${isCut ? "At least " : ""}${plural(memberCount, "member")} and ${plural(teamCount, "team")}`
