/** The members to whom an assignment or a policy applies. */
import { useId } from "react"
import { plural } from "../../design/text.ts"
import { Names } from "../../objects/names.tsx"
import { Pickers } from "../../objects/picker.tsx"
import "./delivery.css"

type Scope = "everyone" | "selected" | "nobody"

export interface AudienceValue {
  readonly scope: Scope
  readonly memberIds: ReadonlyArray<string>
  readonly teamIds: ReadonlyArray<string>
}

interface WithAudience {
  readonly audience: "organization" | "assigned" | "nobody"
  readonly memberIds: ReadonlyArray<string>
  readonly teamIds: ReadonlyArray<string>
}

const scopes = { organization: "everyone", assigned: "selected", nobody: "nobody" } as const

export const everyone: AudienceValue = { scope: "everyone", memberIds: [], teamIds: [] }

export const audienceOf = ({ audience, memberIds, teamIds }: WithAudience): AudienceValue => ({
  scope: scopes[audience],
  memberIds,
  teamIds
})

/** Whether the form can be sent: an empty selection would mean everyone. */
export const isComplete = ({ memberIds, scope, teamIds }: AudienceValue): boolean =>
  scope !== "selected" || memberIds.length + teamIds.length > 0

/** The fields of the input. For nobody, none: the empty lists of the object stay. */
export const audienceInput = ({ memberIds, scope, teamIds }: AudienceValue) =>
  scope === "nobody" ? {} : scope === "everyone" ? { memberIds: [], teamIds: [] } : { memberIds, teamIds }

export const audienceMax = 500

/** One line, such as "Platform and 2 members". */
export const AudienceText = ({
  audience,
  link = false,
  memberIds,
  teamIds
}: WithAudience & { readonly link?: boolean }) => {
  if (audience === "organization") return <>Everyone</>
  if (audience === "nobody") return <span className="muted">No members</span>
  return (
    <>
      {teamIds.length > 0 && <Names kind="team" ids={teamIds} link={link} max={2} />}
      {teamIds.length > 0 && memberIds.length > 0 && ", "}
      {memberIds.length === 0 ? null : memberIds.length <= 2 ? (
        <Names kind="member" ids={memberIds} link={link} />
      ) : (
        plural(memberIds.length, "member")
      )}
    </>
  )
}

const choices: ReadonlyArray<readonly [Scope, string, string]> = [
  ["everyone", "Everyone", "All members of the organization, now and later."],
  ["selected", "Teams and members", "The members of these teams, and these members."]
]

export const AudienceFields = ({
  onChange,
  problem,
  value,
  wasNobody = false
}: {
  readonly value: AudienceValue
  readonly onChange: (value: AudienceValue) => void
  readonly problem: (field: string) => string | undefined
  /** It applies to nobody now, because all its members and teams were removed. */
  readonly wasNobody?: boolean
}) => {
  const name = useId()
  const shown = wasNobody
    ? [
        [
          "nobody",
          "No members (unchanged)",
          "All its members and teams were removed. To apply it to everyone, create another one."
        ] as const,
        ...choices.slice(1)
      ]
    : choices
  return (
    <fieldset className="radios">
      <legend>Who</legend>
      {shown.map(([scope, label, hint]) => (
        <div className="radio" key={scope}>
          <input
            id={`${name}-${scope}`}
            type="radio"
            name={name}
            checked={value.scope === scope}
            onChange={() => onChange({ ...value, scope })}
          />
          <label htmlFor={`${name}-${scope}`}>
            {label} <span className="hint">{hint}</span>
          </label>
        </div>
      ))}
      {value.scope === "selected" && (
        <>
          <Pickers
            kind="team"
            label="Teams"
            max={audienceMax}
            value={value.teamIds}
            onChange={(teamIds) => onChange({ ...value, teamIds })}
            problem={problem("teamIds")}
          />
          <Pickers
            kind="member"
            label="Members"
            max={audienceMax}
            value={value.memberIds}
            onChange={(memberIds) => onChange({ ...value, memberIds })}
            problem={problem("memberIds")}
          />
          {!isComplete(value) && <p className="muted">Select at least one team or member.</p>}
        </>
      )}
    </fieldset>
  )
}
