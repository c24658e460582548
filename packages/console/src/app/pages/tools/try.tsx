/** Calls a tool of an MCP server with a form, and shows the exchange. Nothing of it is stored. */
import type { Json, McpInspection, McpTool, McpToolCall } from "@orgplane/client"
import { OrgplaneError, ServerError } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { type FormEvent, useState } from "react"
import { client } from "../../api/client.ts"
import { Confirm } from "../../design/dialog.tsx"
import { Section } from "../../design/facts.tsx"
import { Checkbox, TextArea } from "../../design/fields.tsx"
import { canShow, initialOf, isObject, problemsOf, schemaOf } from "../../design/json-schema.ts"
import { Shown } from "../../design/query.tsx"
import { SchemaForm } from "../../design/schema-form.tsx"
import { Badge, Button, Empty, Notice, PageHeader, Time } from "../../design/ui.tsx"
import { useParameters, usePathParameter, useSetParameters } from "../../parameters.ts"
import { allTools } from "./all-tools.ts"
import { Hints } from "./connection-states.tsx"
import { ServerFailure } from "./diagnosis.tsx"
import { Exchange, ToolResult } from "./exchange.tsx"
import "./tools.css"

type Arguments = { readonly [name: string]: Json }

/** A call that was made on this page. It is gone when the page closes. */
interface Try {
  readonly id: number
  readonly tool: string
  readonly at: string
  readonly arguments: Arguments
  readonly millis: number
  readonly requestId: string | undefined
  readonly call?: McpToolCall
  /** Also that of a tool that ran and reported an error. */
  readonly error?: unknown
}

const triesMax = 20

const inspectionOf = ({ call, error }: Try): McpInspection | undefined =>
  call?.inspection ?? (error instanceof ServerError ? error.inspection : undefined)

const OutcomeBadge = ({ of: { error } }: { readonly of: Try }) =>
  error === undefined ? <Badge tone="good">done</Badge> : <Badge tone="bad">failed</Badge>

const Outcome = ({ shown }: { readonly shown: Try }) => {
  const { call, error, millis, requestId, tool } = shown
  const inspection = inspectionOf(shown)
  return (
    <Section
      title={`Result of ${tool}`}
      actions={
        <>
          <OutcomeBadge of={shown} />
          <span className="muted">{Math.round(call?.durationMs ?? millis)} ms</span>
        </>
      }
    >
      {call !== undefined && <ToolResult result={call.result} />}
      {error !== undefined && <ServerFailure error={error} />}
      {requestId !== undefined && (
        <p className="muted">
          Request <code>{requestId}</code>
        </p>
      )}
      {inspection !== undefined && <Exchange inspection={inspection} />}
    </Section>
  )
}

const CallForm = ({
  connectionId,
  initial,
  onTry,
  tool
}: {
  readonly connectionId: string
  readonly tool: McpTool
  readonly initial: Arguments | undefined
  readonly onTry: (done: Omit<Try, "id">) => void
}) => {
  const schema = schemaOf(tool.inputSchema)
  const [value, setValue] = useState<Arguments>(() => initial ?? initialOf(schema))
  const [json, setJson] = useState(() => (canShow(schema, value) ? undefined : JSON.stringify(value, null, 2)))
  const [problems, setProblems] = useState<ReadonlyArray<string>>([])
  const [isBusy, setBusy] = useState(false)
  const [asked, setAsked] = useState<Arguments>()

  const call = async (input: Arguments) => {
    setBusy(true)
    const at = new Date().toISOString()
    const started = performance.now()
    const common = () => ({ tool: tool.name, at, arguments: input, millis: performance.now() - started })
    try {
      const { data, response } = await client.mcpConnections
        .callTool(connectionId, { toolName: tool.name, arguments: input })
        .withResponse()
      onTry({ ...common(), call: data, requestId: response.requestId })
    } catch (error) {
      onTry({ ...common(), error, requestId: error instanceof OrgplaneError ? error.requestId : undefined })
    }
    setBusy(false)
  }
  const inputOf = (): Arguments | undefined => {
    if (json === undefined) return value
    try {
      const parsed: unknown = JSON.parse(json === "" ? "{}" : json)
      if (isObject(parsed)) return parsed
    } catch {
      // The same message as for JSON that is no object.
    }
    setProblems(["The arguments must be a JSON object."])
    return undefined
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setProblems([])
    const input = inputOf()
    if (input === undefined) return
    const missing = problemsOf(schema, input)
    setProblems(missing)
    if (missing.length > 0) return
    if (tool.destructiveHint && !tool.readOnlyHint) setAsked(input)
    else void call(input)
  }
  const setMode = (isJson: boolean) => {
    setProblems([])
    if (isJson) {
      setJson(JSON.stringify(value, null, 2))
      return
    }
    const input = inputOf()
    if (input === undefined) return
    if (!canShow(schema, input)) {
      setProblems([
        'The form cannot show these arguments. Change them, or keep "Write the arguments as JSON" selected.'
      ])
      return
    }
    setValue(input)
    setJson(undefined)
  }
  return (
    <form className="stack" onSubmit={submit}>
      <Checkbox label="Write the arguments as JSON" isChecked={json !== undefined} onChange={setMode} />
      {json === undefined ? (
        <SchemaForm schema={schema} value={value} onChange={setValue} />
      ) : (
        <TextArea
          label="Arguments"
          hint="A JSON object"
          rows={10}
          spellCheck={false}
          value={json}
          onChange={({ target }) => setJson(target.value)}
        />
      )}
      {problems.length > 0 && (
        <div role="alert" className="field">
          {problems.map((text) => (
            <span key={text} className="problem">
              {text}
            </span>
          ))}
        </div>
      )}
      <div className="row">
        <Button kind="primary" type="submit" disabled={isBusy || tool.decision !== "allowed"}>
          {isBusy ? "Calling the tool" : "Call the tool"}
        </Button>
        {isBusy && (
          <span role="status" className="muted">
            The server has 60 seconds to respond.
          </span>
        )}
      </div>
      <Confirm
        title={`Call ${tool.name}`}
        action="Call the tool"
        isOpen={asked !== undefined}
        onClose={() => setAsked(undefined)}
        confirm={() => {
          if (asked !== undefined) void call(asked)
          return Promise.resolve()
        }}
      >
        <p>
          According to the server, this tool can change or delete data. The call is real, and cannot be undone here.
        </p>
        <pre className="code exchange-body" tabIndex={0}>
          {JSON.stringify(asked, null, 2)}
        </pre>
      </Confirm>
    </form>
  )
}

const Blocked = ({ connectionId, tool }: { readonly connectionId: string; readonly tool: McpTool }) => {
  switch (tool.decision) {
    case "allowed":
      return null
    case "denied":
      return (
        <Notice title="The tool policy denies this tool" tone="warn">
          <Link to={`/mcp-connections/${connectionId}`} search={{ tab: "tools", q: tool.name }}>
            Change the policy
          </Link>
        </Notice>
      )
    case "review_required":
      return (
        <Notice title="This tool is new or has changed, and waits for a review" tone="warn">
          <Link to={`/mcp-connections/${connectionId}/review`}>Review the changes</Link>
        </Notice>
      )
  }
}

const About = ({ tool }: { readonly tool: McpTool }) => (
  <div className="stack">
    <div className="row">
      {tool.title !== null && <strong>{tool.title}</strong>}
      <Hints tool={tool} />
    </div>
    {tool.description !== null && <p className="plain-text">{tool.description}</p>}
    <details>
      <summary>Input schema</summary>
      <pre className="code exchange-body" tabIndex={0}>
        {JSON.stringify(tool.inputSchema, null, 2)}
      </pre>
    </details>
  </div>
)

const Tries = ({
  onSelect,
  onUse,
  selected,
  tries
}: {
  readonly tries: ReadonlyArray<Try>
  readonly selected: number | undefined
  readonly onSelect: (id: number) => void
  readonly onUse: (used: Try) => void
}) => (
  <Section title="Recent tries">
    <p className="muted">Kept on this page only, until you leave it.</p>
    <ul className="split-list" aria-label="Recent tries">
      {tries.map((each) => (
        <li key={each.id} className="row">
          <button type="button" aria-current={each.id === selected} onClick={() => onSelect(each.id)}>
            <span>
              <code>{each.tool}</code>{" "}
              <span className="muted">
                <Time at={each.at} />
              </span>
            </span>
            <OutcomeBadge of={each} />
          </button>
          <Button kind="quiet" onClick={() => onUse(each)}>
            Use the arguments again
          </Button>
        </li>
      ))}
    </ul>
  </Section>
)

const Playground = ({
  connectionId,
  tools
}: {
  readonly connectionId: string
  readonly tools: ReadonlyArray<McpTool>
}) => {
  const { tool: name } = useParameters()
  const set = useSetParameters()
  const [tries, setTries] = useState<ReadonlyArray<Try>>([])
  const [selected, setSelected] = useState<number>()
  const [used, setUsed] = useState<Try>()
  const tool =
    tools.find((each) => each.name === name) ?? tools.find(({ decision }) => decision === "allowed") ?? tools[0]
  if (tool === undefined) return <Empty title="The server has no tools for you" />
  const add = (done: Omit<Try, "id">) => {
    const id = (tries[0]?.id ?? 0) + 1
    setTries([{ ...done, id }, ...tries].slice(0, triesMax))
    setSelected(id)
  }
  const shown = tries.find(({ id }) => id === selected)
  return (
    <div className="stack">
      <div className="columns">
        <Section title="Tool">
          <div className="field">
            <label htmlFor="try-tool">Tool to call</label>
            <select
              id="try-tool"
              className="input"
              value={tool.name}
              onChange={({ target }) => {
                setUsed(undefined)
                set({ tool: target.value })
              }}
            >
              {tools.map((each) => (
                <option key={each.name} value={each.name}>
                  {each.name}
                  {each.decision === "allowed" ? "" : each.decision === "denied" ? " (denied)" : " (waits for review)"}
                </option>
              ))}
            </select>
          </div>
          <About tool={tool} />
          <Blocked connectionId={connectionId} tool={tool} />
        </Section>
        <Section title="Arguments">
          <CallForm
            key={`${tool.name} ${used?.id ?? ""}`}
            connectionId={connectionId}
            tool={tool}
            initial={used?.arguments}
            onTry={add}
          />
        </Section>
      </div>
      {shown !== undefined && <Outcome key={shown.id} shown={shown} />}
      {tries.length > 0 && (
        <Tries
          tries={tries}
          selected={selected}
          onSelect={setSelected}
          onUse={(each) => {
            setUsed(each)
            set({ tool: each.tool })
          }}
        />
      )}
    </div>
  )
}

export const Page = () => {
  const connectionId = usePathParameter("connectionId")
  const connection = useQuery({
    queryKey: ["mcp-connections", connectionId],
    queryFn: ({ signal }) => client.mcpConnections.get(connectionId, { signal })
  })
  const tools = useQuery({ ...allTools(connectionId), staleTime: 60_000 })
  const name = connection.data?.name ?? "an MCP server"
  return (
    <>
      <PageHeader
        title={`Try a tool of ${name}`}
        description="The call is real, with the credential that is connected. The request and the response are shown with secrets hidden, and are not stored."
        actions={
          <Link className="button" to={`/mcp-connections/${connectionId}`}>
            Back to the connection
          </Link>
        }
      />
      {tools.isError && tools.data === undefined ? (
        <div className="stack">
          <ServerFailure error={tools.error} retry={() => void tools.refetch()} />
          <Link to={`/mcp-connections/${connectionId}`}>Connect first</Link>
        </div>
      ) : (
        <Shown query={tools} lines={8}>
          {(list) => <Playground connectionId={connectionId} tools={list} />}
        </Shown>
      )}
    </>
  )
}
