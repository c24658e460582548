/** Invites everyone in a CSV file. The file is read and checked in the browser, and its lines are sent in batches. */
import { Link } from "@tanstack/react-router"
import { type DragEvent, useMemo, useRef, useState } from "react"
import { client } from "../../api/client.ts"
import { reload } from "../../design/action.tsx"
import { messageOf, RunProgress, Summary, useRun, withRequest } from "../../design/bulk.tsx"
import { chunksOf } from "../../design/chunks.ts"
import { Checkbox } from "../../design/fields.tsx"
import { plural } from "../../design/text.ts"
import { Badge, Button, Notice, PageHeader } from "../../design/ui.tsx"
import { fileBytesMax, inviteesOf, type Invitee, linesMax } from "./csv.ts"
import { useCustomRoles, useTeams } from "./choices.tsx"
import "../../design/simple-table.css"
import "./people.css"

interface ChosenFile {
  readonly name: string
  readonly text: string
}

const example = "email,role,teams\nada@acme.example,admin,Platform\nbob@acme.example,member,Platform;Research\n"

const readFile = async (file: File): Promise<ChosenFile | string> => {
  if (file.size > fileBytesMax) return `${file.name} is larger than 1 MiB. Divide the file.`
  const bytes = await file.arrayBuffer()
  try {
    return { name: file.name, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) }
  } catch {
    return `${file.name} is not a text file in UTF-8. Save it as CSV UTF-8.`
  }
}

const DropZone = ({ onFile }: { readonly onFile: (file: File) => void }) => {
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setOver] = useState(false)
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    const file = event.dataTransfer.files.item(0)
    if (file !== null) onFile(file)
  }
  return (
    <div
      className="drop-zone"
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <p>
        <strong>Drop a CSV file here</strong>
      </p>
      <p className="muted">
        One person per line: email address, role and teams. At most {linesMax.toLocaleString("en")} lines. Nothing is
        sent before you have seen the result.
      </p>
      <Button kind="primary" onClick={() => input.current?.click()}>
        Choose a file
      </Button>
      <input
        ref={input}
        type="file"
        className="visually-hidden"
        tabIndex={-1}
        aria-label="CSV file"
        accept=".csv,.txt,text/csv,text/plain"
        onChange={(event) => {
          const file = event.target.files?.item(0)
          if (file) onFile(file)
          event.target.value = ""
        }}
      />
    </div>
  )
}

type State = "waiting" | "invited" | "failed"

const Line = ({
  invitee,
  message,
  state
}: {
  readonly invitee: Invitee
  readonly state: State
  readonly message: string | undefined
}) => (
  <tr data-bad={invitee.problems.length > 0 || state === "failed"}>
    <td>{invitee.line}</td>
    <td>{invitee.email}</td>
    <td>{invitee.shown}</td>
    <td>
      {invitee.problems.length > 0 ? (
        <ul>
          {invitee.problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      ) : state === "invited" ? (
        <Badge tone="good">invited</Badge>
      ) : state === "failed" ? (
        <span>{message}</span>
      ) : (
        <span className="muted">ready</span>
      )}
    </td>
  </tr>
)

const Lines = ({
  failed,
  invited,
  invitees
}: {
  readonly invitees: ReadonlyArray<Invitee>
  readonly invited: ReadonlySet<string>
  readonly failed: ReadonlyMap<string, string>
}) => (
  <div className="simple-table people-lines" role="region" aria-label="Lines of the file" tabIndex={0}>
    <table>
      <thead>
        <tr>
          <th scope="col">Line</th>
          <th scope="col">Email address</th>
          <th scope="col">Role and teams</th>
          <th scope="col">Result</th>
        </tr>
      </thead>
      <tbody>
        {invitees.map((invitee) => (
          <Line
            key={invitee.line}
            invitee={invitee}
            state={invited.has(invitee.email) ? "invited" : failed.has(invitee.email) ? "failed" : "waiting"}
            message={failed.get(invitee.email)}
          />
        ))}
      </tbody>
    </table>
  </div>
)

/** Lines that are sent with one request. The limit of `invitations.batch` is 100. */
const chunkSize = 25

/** The addresses that were invited, and what the API says about the others. */
const invite = async (invitees: ReadonlyArray<Invitee>) => {
  const items = invitees.map(({ email, role, teamIds }) => ({
    email,
    role,
    ...(teamIds.length === 0 ? {} : { teamIds })
  }))
  try {
    const { data, response } = await client.invitations.batch({ items }).withResponse()
    const { results } = data
    return {
      sent: results.filter(({ ok }) => ok).map(({ email }) => email),
      messages: new Map(
        results.flatMap(({ email, error }) =>
          error === null ? [] : [[email, withRequest(error.message, response.requestId)] as const]
        )
      )
    }
  } catch (error) {
    return { sent: [], messages: new Map(invitees.map(({ email }) => [email, messageOf(error)] as const)) }
  }
}

const Check = ({ file, onClear }: { readonly file: ChosenFile; readonly onClear: () => void }) => {
  const roles = useCustomRoles()
  const teams = useTeams()
  const [invited, setInvited] = useState<ReadonlySet<string>>(new Set())
  const [failed, setFailed] = useState<ReadonlyMap<string, string>>(new Map())
  const [isFiltered, setFiltered] = useState(false)
  const { progress, outcome, run, stop } = useRun()
  const { invitees, problem } = useMemo(() => inviteesOf(file.text, { roles, teams }), [file.text, roles, teams])
  const bad = invitees.filter(({ problems }) => problems.length > 0).length
  const shown = isFiltered
    ? invitees.filter(({ email, problems }) => problems.length > 0 || failed.has(email))
    : invitees
  const ready = invitees.filter(({ email, problems }) => problems.length === 0 && !invited.has(email))

  const start = async () => {
    setFailed(new Map())
    await run(chunksOf(ready, chunkSize), async (chunk) => {
      const { messages, sent } = await invite(chunk)
      setInvited((current) => new Set([...current, ...sent]))
      setFailed((current) => new Map([...current, ...messages]))
      return { done: sent.length, problems: [...messages].map(([name, message]) => ({ name, message })) }
    })
    await reload(["invitations"])
  }
  if (problem !== undefined) {
    return (
      <Notice tone="bad" title="This file cannot be used">
        <span>{problem}</span>
        <div className="row">
          <Button onClick={onClear}>Choose another file</Button>
        </div>
      </Notice>
    )
  }
  return (
    <div className="stack">
      <div className="row spread">
        <p className="people-long" role="status">
          <strong>{file.name}</strong>: {plural(ready.length, "person", "people")} to invite
          {bad > 0 && `, ${plural(bad, "line")} with problems, which will be skipped`}
          {invited.size > 0 && `, ${invited.size} invited`}
        </p>
        <div className="row">
          <Button disabled={progress !== undefined} onClick={onClear}>
            Choose another file
          </Button>
          <Button kind="primary" disabled={progress !== undefined || ready.length === 0} onClick={() => void start()}>
            {failed.size > 0
              ? `Try again: ${plural(ready.length, "person", "people")}`
              : `Invite ${plural(ready.length, "person", "people")}`}
          </Button>
        </div>
      </div>
      <RunProgress label="Sending invitations" progress={progress} stop={stop} />
      {outcome !== undefined && progress === undefined && (
        <Summary outcome={outcome} done={`${plural(outcome.done, "invitation was", "invitations were")} sent.`} />
      )}
      {bad + failed.size > 0 && (
        <Checkbox label="Show only lines with problems" isChecked={isFiltered} onChange={setFiltered} />
      )}
      <Lines invitees={shown} invited={invited} failed={failed} />
      {outcome !== undefined && <Link to="/invitations">All invitations</Link>}
    </div>
  )
}

export const Page = () => {
  const [file, setFile] = useState<ChosenFile>()
  const [problem, setProblem] = useState<string>()
  const choose = async (chosen: File) => {
    const result = await readFile(chosen)
    setProblem(typeof result === "string" ? result : undefined)
    setFile(typeof result === "string" ? undefined : result)
  }
  return (
    <>
      <PageHeader
        title="Invite from a file"
        description="Send an invitation to every person in a CSV file, such as an export of your directory."
      />
      {file === undefined ? (
        <div className="stack">
          {problem !== undefined && <Notice tone="bad" title={problem} />}
          <DropZone onFile={(chosen) => void choose(chosen)} />
          <details>
            <summary>File format</summary>
            <pre className="code" tabIndex={0}>
              {example}
            </pre>
            <p className="muted">
              The headings, the role and the teams are optional. Without a role, people become members. Teams are
              separated by semicolons, and named as they are here.
            </p>
          </details>
        </div>
      ) : (
        <Check key={file.name + file.text.length} file={file} onClear={() => setFile(undefined)} />
      )}
    </>
  )
}
