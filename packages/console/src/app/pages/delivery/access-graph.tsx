/**
 * Why a member reaches an object: every way as a graph, from the member over teams, grants and what contains the object. A
 * grant can be selected, to see what its revocation would change, and revoked.
 */
import type { AccessExplanation, AccessPath, AccessStep } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { Section } from "../../design/facts.tsx"
import { Graph, type GraphEdge, type GraphNode } from "../../design/graph.tsx"
import { Shown } from "../../design/query.tsx"
import { Badge, Button, Notice } from "../../design/ui.tsx"
import { objectKind } from "../../objects/kinds.ts"
import type { GrantedObject } from "../../objects/grants.ts"
import { Impact, impactQuery, RevokeGrant } from "../../objects/grant-impact.tsx"
import "./delivery.css"

export type AccessAction = "view" | "edit" | "manage"

interface GrantStep {
  readonly grantId: string
  /** Such as "viewer for the whole organization". */
  readonly label: string
  /** The object of the grant; undefined if the caller cannot see it. */
  readonly on: GrantedObject | undefined
}

const details: Readonly<Record<AccessStep["kind"], string>> = {
  member: "member",
  role: "role",
  team: "team",
  grant: "grant",
  marketplace: "marketplace",
  plugin: "plugin",
  object: "",
  hidden: "hidden from you"
}

/** A hidden step has no ID, so each path has its own. */
const keyOf = ({ id, kind, label }: AccessStep, path: number, index: number): string =>
  kind === "hidden" ? `hidden ${path} ${index}` : `${kind} ${id ?? label}`

/** The grant of a path, and the object that follows it. */
const grantOf = ({ steps }: AccessPath, object: GrantedObject): GrantStep | undefined => {
  const index = steps.findIndex(({ kind }) => kind === "grant")
  const step = steps[index]
  if (step === undefined || step.id === null) return undefined
  const next = steps[index + 1]
  const on =
    next?.kind === "object"
      ? object
      : (next?.kind === "marketplace" || next?.kind === "plugin") && next.id !== null
        ? { kind: next.kind, id: next.id }
        : undefined
  return { grantId: step.id, label: step.label, on }
}

/** Nodes and edges of all paths. What only leads over the selected grant would go away. */
export const graphOf = (
  { allowed, paths }: AccessExplanation,
  object: GrantedObject,
  selected: string | undefined
): { readonly nodes: ReadonlyArray<GraphNode>; readonly edges: ReadonlyArray<GraphEdge> } => {
  const nodes = new Map<string, GraphNode>()
  const edges = new Map<string, { readonly from: string; readonly to: string; isKept: boolean }>()
  paths.forEach(({ steps }, path) => {
    const isKept = !steps.some(({ id, kind }) => kind === "grant" && id === selected)
    steps.forEach((step, index) => {
      const id = keyOf(step, path, index)
      const isSelected = step.kind === "grant" && step.id === selected
      nodes.set(id, {
        id,
        title: step.label,
        detail: step.kind === "object" ? objectKind(object.kind).noun : details[step.kind],
        tone: isSelected
          ? "bad"
          : step.kind === "member"
            ? "accent"
            : step.kind === "object"
              ? allowed
                ? "good"
                : "warn"
              : "neutral"
      })
      const before = steps[index - 1]
      if (before === undefined) return
      const from = keyOf(before, path, index - 1)
      const edge = edges.get(`${from} ${id}`) ?? { from, to: id, isKept: false }
      edge.isKept ||= isKept
      edges.set(`${from} ${id}`, edge)
    })
  })
  return {
    nodes: [...nodes.values()],
    edges: [...edges.values()].map(({ from, isKept, to }) => ({ from, to, isRemoved: !isKept }))
  }
}

const Paths = ({
  explanation: { paths },
  object,
  onSelect,
  selected
}: {
  readonly explanation: AccessExplanation
  readonly object: GrantedObject
  readonly selected: string | undefined
  readonly onSelect: (grantId: string) => void
}) => (
  <ol className="plain-list" aria-label="Ways">
    {paths.map((path, index) => {
      const grant = grantOf(path, object)
      return (
        <li key={path.steps.map((step, each) => keyOf(step, index, each)).join(" ")}>
          <span className="row">
            <span>{path.steps.map(({ label }) => label).join(" → ")}</span>
            <Badge>{path.level}</Badge>
            {grant !== undefined && (
              <Button kind="quiet" aria-pressed={grant.grantId === selected} onClick={() => onSelect(grant.grantId)}>
                What if this grant is revoked?
              </Button>
            )}
          </span>
        </li>
      )
    })}
  </ol>
)

const Selected = ({
  explanation,
  grant,
  object,
  onRevoked
}: {
  readonly explanation: AccessExplanation
  readonly grant: GrantStep
  readonly object: GrantedObject
  readonly onRevoked: () => void
}) => {
  const impact = useQuery(impactQuery(grant.grantId))
  const [isRevoking, setRevoking] = useState(false)
  const others = explanation.paths.filter((path) => grantOf(path, object)?.grantId !== grant.grantId)
  return (
    <Section
      title="If this grant is revoked"
      actions={
        grant.on === undefined ? undefined : (
          <Button kind="danger" disabled={!impact.isSuccess} onClick={() => setRevoking(true)}>
            Revoke the grant
          </Button>
        )
      }
    >
      <p>
        {others.length === 0
          ? "No other way remains for this member: the access ends."
          : `${others.length === 1 ? "One other way remains" : `${others.length} other ways remain`} for this member, with the role ${others[0]?.level ?? ""}.`}
      </p>
      <Shown query={impact}>{(value) => <Impact impact={value} />}</Shown>
      {grant.on === undefined ? (
        <p className="muted">You cannot see the object of this grant, so you cannot revoke it.</p>
      ) : (
        <RevokeGrant
          object={grant.on}
          grantId={grant.grantId}
          isOpen={isRevoking}
          onClose={() => setRevoking(false)}
          onDone={onRevoked}
        />
      )}
    </Section>
  )
}

/** Shows the access of a member to an object; without a member, that of the caller. */
export const AccessGraph = ({
  action = "view",
  object,
  orgMembershipId
}: {
  readonly object: GrantedObject
  readonly orgMembershipId?: string | undefined
  readonly action?: AccessAction
}) => {
  const [selected, setSelected] = useState<string>()
  const { id, kind } = object
  const query = useQuery({
    queryKey: ["access", "explanation", kind, id, orgMembershipId, action],
    queryFn: ({ signal }) => client.access.explain({ orgMembershipId, object: { kind, id }, action }, { signal })
  })
  const path = objectKind(kind).path
  return (
    <Shown query={query} lines={6}>
      {(explanation) => {
        const { allowed, level, missing, needed, paths } = explanation
        const { edges, nodes } = graphOf(explanation, object, selected)
        const grant = paths.flatMap((each) => grantOf(each, object) ?? []).find(({ grantId }) => grantId === selected)
        return (
          <div className="stack">
            <Notice title={allowed ? "Access is allowed" : "Access is not allowed"} tone={allowed ? "good" : "warn"}>
              <span>
                {missing ??
                  `The role is ${level ?? "none"}, and ${needed} is needed. ${paths.length === 1 ? "There is one way." : `There are ${paths.length} ways.`}`}
              </span>
              {missing !== null && path !== undefined && (
                <span>
                  <Link to={path(id)} search={{ tab: "access" }}>
                    Open the {objectKind(kind).noun} to grant access
                  </Link>
                </span>
              )}
            </Notice>
            {paths.length > 0 && (
              <>
                <Graph
                  label="Ways of access"
                  nodes={nodes}
                  edges={edges}
                  onSelect={(node) => {
                    if (node.startsWith("grant ")) setSelected(node.slice("grant ".length))
                  }}
                />
                <Paths explanation={explanation} object={object} selected={selected} onSelect={setSelected} />
              </>
            )}
            {paths.length >= 50 && <p className="muted">The 50 ways with the highest roles are shown.</p>}
            {grant !== undefined && (
              <Selected
                key={grant.grantId}
                explanation={explanation}
                grant={grant}
                object={object}
                onRevoked={() => setSelected(undefined)}
              />
            )}
          </div>
        )
      }}
    </Shown>
  )
}
