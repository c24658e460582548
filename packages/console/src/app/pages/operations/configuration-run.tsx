/** A configuration run: its changes and problems, and the decision if it waits for one. */
import type { ConfigurationRunChange, ConfigurationRunDetails, ConfigurationRunProblem } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { FormDialog, reload } from "../../design/action.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { Facts, Section } from "../../design/facts.tsx"
import { TextArea } from "../../design/fields.tsx"
import { Shown } from "../../design/query.tsx"
import { notify } from "../../design/toast.tsx"
import { Badge, Button, Notice, PageHeader, Time, type Tone } from "../../design/ui.tsx"
import { Name } from "../../objects/names.tsx"
import { usePathParameter } from "../../parameters.ts"
import { isActive, Revision, RunStatus, summaryText, triggerText } from "./run-parts.tsx"
import "./operations.css"

const changes = ["configuration", "attention"]
const refreshMilliseconds = 1500
/** Changes that the API lists. */
const listedMax = 500
/** Removals that are named in the question. */
const namedMax = 10

const actions: Readonly<Record<ConfigurationRunChange["action"], readonly [label: string, tone: Tone]>> = {
  delete: ["remove", "bad"],
  create: ["create", "good"],
  update: ["update", "warn"],
  move: ["new key", "neutral"],
  adopt: ["adopt", "neutral"]
}

const Changes = ({ run }: { readonly run: ConfigurationRunDetails }) => (
  <Section title="Changes" actions={<span className="muted">{summaryText(run.summary)}</span>}>
    {run.changes.length === 0 ? (
      <p className="muted">{isActive(run) ? "The plan is being made." : "There are no changes."}</p>
    ) : (
      <div className="scroll-x" tabIndex={0} role="region" aria-label="List of changes">
        <table className="changes">
          <thead>
            <tr>
              <th>Change</th>
              <th>Kind</th>
              <th>Object</th>
              <th>Fields</th>
            </tr>
          </thead>
          <tbody>
            {run.changes.map(({ action, fields, key, kind, name }) => {
              const [label, tone] = actions[action]
              return (
                <tr key={`${action} ${kind} ${key ?? ""} ${name}`}>
                  <td>
                    <Badge tone={tone}>{label}</Badge>
                  </td>
                  <td>{kind}</td>
                  <td>
                    {name} {key !== null && <code className="muted">{key}</code>}
                  </td>
                  <td>{fields.join(", ")}</td>
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
    )}
    {run.changes.length === listedMax && <p className="muted">The first {listedMax} changes are listed.</p>}
  </Section>
)

const placeOf = ({ column, file, line }: ConfigurationRunProblem) =>
  [file, line, column].filter((each) => each !== null).join(":")

const Problems = ({ problems }: { readonly problems: ReadonlyArray<ConfigurationRunProblem> }) =>
  problems.length === 0 ? null : (
    <Section title={problems.length === 1 ? "Problem" : `${problems.length} problems`}>
      <ul className="facts">
        {problems.map((problem) => (
          <li key={`${placeOf(problem)} ${problem.path.join(".")} ${problem.message}`}>
            <div>{problem.message}</div>
            <code className="muted">
              {placeOf(problem)} {problem.path.join(".")}
            </code>
          </li>
        ))}
      </ul>
    </Section>
  )

const Approve = ({ run }: { readonly run: ConfigurationRunDetails }) => {
  const [isOpen, setOpen] = useState(false)
  const removals = run.changes.filter(({ action }) => action === "delete")
  const digest = run.planDigest
  if (digest === null) return null
  const approve = async () => {
    await client.configurationRuns.approve(run.id, { planDigest: digest })
    notify("The run was approved, and is applied now.")
    await reload(changes)
  }
  return (
    <>
      <Button kind="primary" onClick={() => setOpen(true)}>
        Approve…
      </Button>
      <Confirm
        title="Approve this run?"
        action="Approve the run"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        confirm={approve}
      >
        <p>All changes are made in one transaction: {summaryText(run.summary)}.</p>
        {removals.length > 0 && (
          <>
            <p>These are removed:</p>
            <ul className="wrap">
              {removals.slice(0, namedMax).map(({ key, kind, name }) => (
                <li key={`${kind} ${key ?? ""} ${name}`}>
                  {name} <span className="muted">({kind})</span>
                </li>
              ))}
              {removals.length > namedMax && <li>and {removals.length - namedMax} more</li>}
            </ul>
          </>
        )}
        <p className="muted">
          The approval is for this plan. If the plan changes and still removes too much, it waits again.
        </p>
      </Confirm>
    </>
  )
}

const Reject = ({ run }: { readonly run: ConfigurationRunDetails }) => {
  const [isOpen, setOpen] = useState(false)
  const [comment, setComment] = useState("")
  return (
    <>
      <Button kind="danger" onClick={() => setOpen(true)}>
        Reject…
      </Button>
      <FormDialog
        title="Reject this run"
        description="Nothing is changed until the branch has a new commit, or someone starts a run."
        action="Reject the run"
        done="The run was rejected."
        changes={changes}
        fields={["comment"]}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        submit={() => client.configurationRuns.reject(run.id, comment.trim() === "" ? {} : { comment })}
      >
        {(problem) => (
          <TextArea
            label="Comment (optional)"
            maxLength={1000}
            value={comment}
            problem={problem("comment")}
            onChange={(event) => setComment(event.target.value)}
          />
        )}
      </FormDialog>
    </>
  )
}

const commitStatuses = { pending: "is being sent", set: "was set", failed: "could not be set" } as const

const Details = ({ run }: { readonly run: ConfigurationRunDetails }) => (
  <Section title="Run">
    <Facts
      rows={[
        ["Status", <RunStatus status={run.status} />],
        ["Commit", <Revision revision={run.revision} />],
        ["Repository", <Name id={run.connectorInstanceId} />],
        ["Branch", run.branch],
        ["Path", <code>{run.path}</code>],
        ["Mode", run.mode],
        [
          "Started by",
          run.startedByOrgMembershipId === null ? triggerText(run.trigger) : <Name id={run.startedByOrgMembershipId} />
        ],
        ["With the permissions of", <Name id={run.appliedAsOrgMembershipId} />],
        ["Started", run.startedAt === null ? "not yet" : <Time at={run.startedAt} />],
        ["Ended", run.endedAt === null ? "not yet" : <Time at={run.endedAt} />],
        ...(run.decidedByOrgMembershipId === null
          ? []
          : [["Decided by", <Name id={run.decidedByOrgMembershipId} />] as const]),
        ...(run.comment === null ? [] : [["Comment", run.comment] as const]),
        ...(run.commitStatus === null
          ? []
          : [
              [
                "Status on the code host",
                `${commitStatuses[run.commitStatus.result]}${run.commitStatus.message === null ? "" : `: ${run.commitStatus.message}`}`
              ] as const
            ])
      ]}
    />
  </Section>
)

export const Page = () => {
  const runId = usePathParameter("configurationRunId")
  const query = useQuery({
    queryKey: ["configuration", "runs", "one", runId],
    queryFn: ({ signal }) => client.configurationRuns.get(runId, { signal }),
    refetchInterval: ({ state }) => (state.data !== undefined && isActive(state.data) ? refreshMilliseconds : false)
  })
  return (
    <Shown query={query} lines={8}>
      {(run) => (
        <>
          <PageHeader
            title={run.revision === null ? "Configuration run" : `Run of ${run.revision.slice(0, 12)}`}
            description={`${run.path} on ${run.branch}`}
            actions={
              run.status === "held" ? (
                <>
                  <Approve run={run} />
                  <Reject run={run} />
                </>
              ) : (
                <Link className="button" to="/configuration">
                  All runs
                </Link>
              )
            }
          />
          <div className="stack">
            {run.status === "held" && (
              <Notice title="This run is pending approval" tone="warn">
                <span>
                  It would remove many objects of one kind. Read the removals, then approve or reject it. Nothing is
                  changed before.
                </span>
              </Notice>
            )}
            {run.status === "failed" && (
              <Notice title="Nothing was changed" tone="bad">
                <span>Correct the problems in the repository and push, or run it again.</span>
              </Notice>
            )}
            {run.status === "planned" && (
              <Notice title="The organization differs from the files" tone="warn">
                <span>The source only plans. To make the changes, set its mode to apply.</span>
              </Notice>
            )}
            <Problems problems={run.problems} />
            <Changes run={run} />
            <Details run={run} />
          </div>
        </>
      )}
    </Shown>
  )
}
