/** A mail or calendar account: its state, and what agents can do with it, to be tried by the person. */
import type { CalendarEvent, CapabilityConnection, MailMessage } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { type FormEvent, type ReactNode, useState } from "react"
import { client } from "../../api/client.ts"
import { problemOf } from "../../design/action.tsx"
import { Facts, Section } from "../../design/facts.tsx"
import { TextArea } from "../../design/fields.tsx"
import { Shown } from "../../design/query.tsx"
import { isWebPage } from "../../design/text.ts"
import { Badge, Button, Failure, Field, Notice, PageHeader, Time } from "../../design/ui.tsx"
import { usePathParameter } from "../../parameters.ts"
import { SuiteActions } from "./capability-connect.tsx"
import { connectionStates, suiteOf, suites } from "./suites.ts"
import "./tools.css"

const pollMillis = 3_000

const ExternalLink = ({ children, href }: { readonly href: string | null; readonly children: ReactNode }) =>
  href === null || !isWebPage(href) ? null : (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  )

/** Runs a call, and keeps its result or its error. */
const useCall = <Result,>() => {
  const [result, setResult] = useState<Result>()
  const [error, setError] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const run = async (work: () => Promise<Result>) => {
    setBusy(true)
    setError(undefined)
    setResult(undefined)
    await work().then(setResult, setError)
    setBusy(false)
  }
  return { result, error, isBusy, run }
}

const addressesOf = (text: string): ReadonlyArray<string> => text.split(/[\s,;]+/).filter((address) => address !== "")

const nameOf = (mailbox: MailMessage["from"]): string =>
  mailbox === null ? "" : mailbox.name === null ? mailbox.address : `${mailbox.name} <${mailbox.address}>`

const Message = ({ message }: { readonly message: MailMessage }) => {
  const { body, bodyContentType, bodyTruncated, cc, from, receivedDateTime, subject, to, webLink } = message
  return (
    <div className="stack">
      <Facts
        rows={[
          ["Subject", subject],
          ["From", nameOf(from)],
          ["To", to.map(nameOf).join(", ")],
          ["Copy", cc.map(nameOf).join(", ")],
          ["Time", receivedDateTime === null ? null : <Time key="time" at={receivedDateTime} />],
          ["ID", <code key="id">{message.id}</code>]
        ]}
      />
      <pre className="code exchange-body" tabIndex={0} role="region" aria-label="Text of the message">
        {body}
      </pre>
      {bodyContentType !== "text" && <p className="muted">The suite returned HTML. It is shown as text.</p>}
      {bodyTruncated && <p className="muted">The text is longer than is shown.</p>}
      <ExternalLink href={webLink}>Open it in the mailbox</ExternalLink>
    </div>
  )
}

const Draft = ({ isReady }: { readonly isReady: boolean }) => {
  const [to, setTo] = useState("")
  const [subject, setSubject] = useState("")
  const [body, setBody] = useState("")
  const { error, isBusy, result, run } = useCall<MailMessage>()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void run(() => client.capabilities.createMailDraft({ to: addressesOf(to), subject, body }))
  }
  const problem = (field: string) => problemOf(error, field)
  const isShown = ["to", "subject", "body"].some((field) => problem(field) !== undefined)
  return (
    <Section title="Create a draft">
      <p className="muted">The draft is saved in your mailbox. It is not sent.</p>
      <form className="stack" onSubmit={submit}>
        <Field
          label="To"
          hint="Email addresses, separated by commas."
          required
          maxLength={12_000}
          value={to}
          problem={problem("to")}
          onChange={({ target }) => setTo(target.value)}
        />
        <Field
          label="Subject"
          required
          maxLength={998}
          value={subject}
          problem={problem("subject")}
          onChange={({ target }) => setSubject(target.value)}
        />
        <TextArea
          label="Text"
          rows={6}
          maxLength={200_000}
          value={body}
          problem={problem("body")}
          onChange={({ target }) => setBody(target.value)}
        />
        <div className="row">
          <Button kind="primary" type="submit" disabled={isBusy || !isReady}>
            Create the draft
          </Button>
        </div>
      </form>
      {error !== undefined && !isShown && <Failure error={error} />}
      {result !== undefined && (
        <>
          <Notice title="The draft is in your mailbox" tone="good" />
          <Message message={result} />
        </>
      )}
    </Section>
  )
}

const Read = ({ isReady }: { readonly isReady: boolean }) => {
  const [id, setId] = useState("")
  const { error, isBusy, result, run } = useCall<MailMessage>()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void run(() => client.capabilities.getMailMessage(id.trim()))
  }
  return (
    <Section title="Read a message">
      <form className="stack" onSubmit={submit}>
        <Field
          label="ID of the message"
          hint="Agents get it from a draft, or from you."
          required
          maxLength={1024}
          value={id}
          problem={problemOf(error, "messageId")}
          onChange={({ target }) => setId(target.value)}
        />
        <div className="row">
          <Button type="submit" disabled={isBusy || !isReady}>
            Read the message
          </Button>
        </div>
      </form>
      {error !== undefined && problemOf(error, "messageId") === undefined && <Failure error={error} />}
      {result !== undefined && <Message message={result} />}
    </Section>
  )
}

const Meeting = ({ isReady }: { readonly isReady: boolean }) => {
  const [id, setId] = useState("")
  const { error, isBusy, result, run } = useCall<CalendarEvent>()
  const call = (createMeetLink: boolean) =>
    run(() => client.capabilities.updateCalendarEvent(id.trim(), { createMeetLink }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void call(true)
  }
  return (
    <Section title="Add a meeting link">
      <p className="muted">The event is changed if it has no meeting yet. One that it has is kept.</p>
      <form className="stack" onSubmit={submit}>
        <Field
          label="ID of the event"
          hint="An event of your own calendar."
          required
          maxLength={1024}
          value={id}
          problem={problemOf(error, "eventId")}
          onChange={({ target }) => setId(target.value)}
        />
        <div className="row">
          <Button kind="primary" type="submit" disabled={isBusy || !isReady}>
            Add a meeting link
          </Button>
          <Button disabled={isBusy || !isReady || id.trim() === ""} onClick={() => void call(false)}>
            Show the event only
          </Button>
        </div>
      </form>
      {error !== undefined && problemOf(error, "eventId") === undefined && <Failure error={error} />}
      {result !== undefined && (
        <div className="stack">
          <Facts
            rows={[
              ["Event", result.summary],
              ["Starts", result.start],
              ["Ends", result.end],
              ["Meeting", result.meetLink === null ? null : <code key="link">{result.meetLink}</code>]
            ]}
          />
          <ExternalLink href={result.htmlLink}>Open it in the calendar</ExternalLink>
        </div>
      )}
    </Section>
  )
}

const State = ({
  connection,
  onWaiting
}: {
  readonly connection: CapabilityConnection
  readonly onWaiting: (isWaiting: boolean) => void
}) => {
  const { configured, connectedAt, scopes, status, statusReason, suite } = connection
  const { allows, never } = suites[suite]
  return (
    <Section title="Your account" actions={<SuiteActions connection={connection} onWaiting={onWaiting} />}>
      <Facts
        rows={[
          ["State", connectionStates[status][1]],
          ...(statusReason === null ? [] : [["Reason", statusReason] as const]),
          ["Connected", <Time key="connected" at={connectedAt} />],
          [
            "Permissions",
            scopes.length === 0 ? null : (
              <span key="scopes" className="tags">
                {scopes.map((scope) => (
                  <Badge key={scope}>{scope}</Badge>
                ))}
              </span>
            )
          ]
        ]}
      />
      {!configured && (
        <Notice title="The suite is not set up" tone="warn">
          <span>The operator of this installation registers an app with the suite first.</span>
        </Notice>
      )}
      <div>
        <strong>What agents can do</strong>
        <ul>
          {allows.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
        <p>{never}</p>
      </div>
    </Section>
  )
}

export const Page = () => {
  const suite = suiteOf(usePathParameter("suite"))
  const [isWaiting, setWaiting] = useState(false)
  const query = useQuery({
    queryKey: ["capabilities", suite],
    queryFn: ({ signal }) => client.capabilities.getConnection(suite, { signal }),
    refetchInterval: isWaiting ? pollMillis : false
  })
  const { description, name } = suites[suite]
  return (
    <>
      <PageHeader
        title={name}
        description={description}
        actions={
          <Link className="button" to="/capabilities">
            Mail and calendar
          </Link>
        }
      />
      <Shown query={query} lines={8}>
        {(connection) => (
          <div className="stack">
            {connection.status !== "ready" && (
              <Notice title="Your account is not connected" tone="warn">
                <span>Connect it to try what agents can do.</span>
              </Notice>
            )}
            <div className="columns">
              <State connection={connection} onWaiting={setWaiting} />
              {suite === "suite-a" ? (
                <div className="stack">
                  <Draft isReady={connection.status === "ready"} />
                  <Read isReady={connection.status === "ready"} />
                </div>
              ) : (
                <Meeting isReady={connection.status === "ready"} />
              )}
            </div>
          </div>
        )}
      </Shown>
    </>
  )
}
