/** How an assignment or the access reaches a person, as part of a sentence. */
import type { DesiredStateReason } from "@orgplane/client"
import { Name } from "./names.tsx"

export const StateVia = ({
  person,
  reason: { via, viaId }
}: {
  readonly reason: DesiredStateReason
  /** Such as "you". */
  readonly person: string
}) => {
  switch (via) {
    case "organization":
      return <>for everyone</>
    case "admin":
      return <>as an owner or admin</>
    case "member":
      return <>for {person}</>
    case "team":
      return viaId === null ? (
        <>through a team</>
      ) : (
        <>
          through the team <Name kind="team" id={viaId} />
        </>
      )
    case "marketplace":
      return viaId === null ? (
        <>through a marketplace</>
      ) : (
        <>
          through the marketplace <Name kind="marketplace" id={viaId} />
        </>
      )
  }
}
