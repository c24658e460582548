/** Locations of errors: operations name the fields of their requests, which are not always those of the document. */
import type { Kind, Path } from "./kind.ts"

type Fields = Readonly<Record<string, Path>>

const recipients: Fields = { memberIds: ["to", "members"], teamIds: ["to", "teams"] }

/** The fields of a kind that have other names in requests. */
const fields: Partial<Readonly<Record<Kind["kind"], Fields>>> = {
  assignments: { ...recipients, pluginId: ["plugin"], marketplaceId: ["marketplace"] },
  connectors: { cloneUrl: ["remoteId"], credential: ["token"] },
  desktopPolicies: {
    policyName: ["name"],
    policy: ["settings"],
    memberIds: ["appliesTo", "members"],
    teamIds: ["appliesTo", "teams"]
  },
  rolloutSettings: { memberIds: ["members"], teamIds: ["teams"] }
}

/** The location within an entry of the document. A position in a list of IDs can be another one in the document. */
export const documentPath = ({ kind }: Pick<Kind, "kind">, path: Path): Path => {
  const names = fields[kind] ?? {}
  const parts: Array<string | number> = []
  for (const part of path[0] === "body" ? path.slice(1) : path) {
    const renamed = typeof part === "string" && Object.hasOwn(names, part) ? names[part] : undefined
    parts.push(...(renamed ?? [part]))
    if (renamed !== undefined && (part === "memberIds" || part === "teamIds")) break
  }
  return parts
}
