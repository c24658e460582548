/** Explains a member's access to an object, and previews the revocation of a grant. */
import { SelectField } from "../../design/fields.tsx"
import { Section } from "../../design/facts.tsx"
import { Empty, PageHeader } from "../../design/ui.tsx"
import { objectKind, withArticle } from "../../objects/kinds.ts"
import { useParameters, useSetParameters } from "../../parameters.ts"
import { grantedKindOf, grantedKinds } from "../../objects/grants.ts"
import { type AccessAction, AccessGraph } from "./access-graph.tsx"
import { Picker } from "../../objects/picker.tsx"
import "./delivery.css"

const actions: ReadonlyArray<readonly [AccessAction, string]> = [
  ["view", "View"],
  ["edit", "Edit"],
  ["manage", "Manage"]
]

export const Page = () => {
  const { action: actionText, kind: kindText, member, object } = useParameters()
  const set = useSetParameters()
  const kind = grantedKindOf(kindText)
  const action = actions.find(([value]) => value === actionText)?.[0] ?? "view"
  return (
    <div className="stack">
      <PageHeader
        title="Access"
        description="Explains a member's access to an object, and previews the revocation of a grant."
      />
      <Section title="Question">
        <div className="two-columns">
          <Picker
            kind="member"
            label="Member"
            hint={member === undefined ? "Without a member, your own access is shown." : ""}
            value={member}
            onChange={(id) => set({ member: id })}
          />
          <SelectField
            label="Kind of object"
            value={kind}
            options={grantedKinds}
            onChange={({ target }) => set({ kind: target.value, object: undefined })}
          />
          <Picker
            key={kind}
            kind={kind}
            label={grantedKinds.find(([each]) => each === kind)?.[1] ?? "Object"}
            value={object}
            onChange={(id) => set({ object: id })}
          />
          <SelectField
            label="Action"
            value={action}
            options={actions}
            onChange={({ target }) => set({ action: target.value === "view" ? undefined : target.value })}
          />
        </div>
      </Section>
      {object === undefined ? (
        <Empty title={`Select ${withArticle(objectKind(kind).noun)}`}>
          <p>The graph then shows every way in which the member reaches it.</p>
        </Empty>
      ) : (
        <AccessGraph
          key={`${kind} ${object} ${member ?? ""} ${action}`}
          object={{ kind, id: object }}
          orgMembershipId={member}
          action={action}
        />
      )}
    </div>
  )
}
