/** Adds an MCP connection: finds the server step by step, and creates the connection with what was found. */
import type { ListedMcpPreset, McpResolution } from "@orgplane/client"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { type FormEvent, useDeferredValue, useState } from "react"
import { client } from "../../api/client.ts"
import { problemOf, useSubmit } from "../../design/action.tsx"
import { Section } from "../../design/facts.tsx"
import { Shown } from "../../design/query.tsx"
import { Badge, Button, Failure, Field, Notice, PageHeader, SearchInput } from "../../design/ui.tsx"
import { useUnsaved } from "../../design/unsaved.ts"
import { useParameters, useSetParameters } from "../../parameters.ts"
import {
  emptySettings,
  inputOf,
  type Settings,
  SettingsFields,
  settingsFields,
  settingsFor
} from "./connection-form.tsx"
import { stepsOf, waitingSteps } from "./resolve-steps.tsx"
import { Steps } from "./steps.tsx"

const presetsMax = 100

const Presets = ({ onSelect }: { readonly onSelect: (preset: ListedMcpPreset) => void }) => {
  const [text, setText] = useState("")
  const q = useDeferredValue(text.trim())
  const presets = useQuery({
    queryKey: ["mcp-presets", q],
    queryFn: ({ signal }) =>
      client.mcpConnections.listPresets({ limit: presetsMax, ...(q === "" ? {} : { q }) }, { signal }),
    placeholderData: keepPreviousData,
    staleTime: 300_000
  })
  return (
    <Section
      title="Well-known servers"
      actions={<SearchInput label="Search well-known servers" value={text} onChange={setText} />}
    >
      <Shown query={presets} lines={6}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="muted">No well-known server matches. Enter its address above.</p>
          ) : (
            <ul className="presets" aria-label="Well-known servers">
              {items.map((preset) => (
                <li key={preset.presetId}>
                  <button type="button" className="preset" onClick={() => onSelect(preset)}>
                    <strong>{preset.displayName}</strong>
                    <span className="muted">{preset.description}</span>
                    {preset.requiresOAuthClient && (
                      <span>
                        <Badge tone="warn">needs your own OAuth client</Badge>
                      </span>
                    )}
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </Section>
  )
}

const CreateForm = ({
  initial,
  needsClient,
  presetId
}: {
  readonly initial: Settings
  readonly needsClient: boolean
  readonly presetId: string | undefined
}) => {
  const [settings, setSettings] = useState(initial)
  const { error, isBusy, submit } = useSubmit({ done: "The connection was created.", changes: ["mcp-connections"] })
  const navigate = useNavigate()
  useUnsaved(JSON.stringify(settings) !== JSON.stringify(initial), false)
  const create = async () => {
    const { id } = await client.mcpConnections.create({
      ...inputOf(settings),
      // The address of another server is not that of the preset.
      ...(presetId === undefined || settings.url !== initial.url ? {} : { presetId })
    })
    await navigate({ to: `/mcp-connections/${id}`, ignoreBlocker: true })
  }
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    void submit(create)
  }
  const problem = (field: string) => problemOf(error, field)
  const isShown = settingsFields.some((field) => problem(field) !== undefined)
  return (
    <Section title="Create the connection">
      <form className="stack narrow" onSubmit={onSubmit}>
        <SettingsFields value={settings} onChange={setSettings} problem={problem} needsClient={needsClient} />
        <p className="muted">At first, only you can use the connection. You give others access on its page.</p>
        {error !== undefined && !isShown && <Failure error={error} />}
        <div className="row">
          <Button kind="primary" type="submit" disabled={isBusy}>
            Create the connection
          </Button>
        </div>
      </form>
    </Section>
  )
}

const Resolved = ({ resolution }: { readonly resolution: McpResolution }) => {
  const { match, preset, resolution: outcome } = resolution
  const needsClient =
    match?.discovery.manualRequirements.some(({ code, required }) => code === "oauth_client" && required) ??
    preset?.requiresOAuthClient === true
  return (
    <div className="columns">
      <Section title={outcome === "not_found" ? "No server was found" : `Found: ${match?.url ?? preset?.url ?? ""}`}>
        <Steps label="Steps" steps={stepsOf(resolution)} />
      </Section>
      {outcome === "not_found" ? (
        <Section title="Enter the settings yourself">
          <p>If you know the address of the MCP endpoint, you can create the connection without finding it first.</p>
          <Manual />
        </Section>
      ) : (
        <CreateForm initial={settingsFor(resolution)} needsClient={needsClient} presetId={preset?.presetId} />
      )}
    </div>
  )
}

const Manual = () => {
  const set = useSetParameters()
  return (
    <div className="row">
      <Button onClick={() => set({ query: undefined, manual: "yes" })}>Enter the settings</Button>
    </div>
  )
}

/** A search is sent once for a query: it contacts other servers, and is limited. */
const useResolution = (query: string | undefined) =>
  useQuery({
    queryKey: ["mcp-resolve", query],
    queryFn: ({ signal }) => client.mcpConnections.resolve({ query: query ?? "" }, { signal }),
    enabled: query !== undefined && query !== "",
    staleTime: Infinity,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false
  })

export const Page = () => {
  const { manual, query } = useParameters()
  const set = useSetParameters()
  const [text, setText] = useState(query ?? "")
  const resolution = useResolution(query)
  const isAsked = query !== undefined && query !== ""
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const next = text.trim()
    if (next === query) void resolution.refetch()
    else set({ query: next, manual: undefined })
  }
  return (
    <>
      <PageHeader
        title="Add an MCP connection"
        description="Enter an address, a host or the name of a product. The search contacts the server without a credential and stores nothing."
      />
      <div className="stack">
        <form className="card row" role="search" onSubmit={submit}>
          <div className="find-field">
            <Field
              label="Address or name"
              required
              maxLength={200}
              autoComplete="off"
              spellCheck={false}
              placeholder="linear.app"
              value={text}
              onChange={({ target }) => setText(target.value)}
            />
          </div>
          <Button kind="primary" type="submit" disabled={resolution.isFetching}>
            Find the server
          </Button>
          {manual === undefined && (
            <Button onClick={() => set({ query: undefined, manual: "yes" })}>Enter the settings</Button>
          )}
        </form>
        {isAsked && resolution.isFetching && (
          <Section title="Looking for the server">
            <p role="status" aria-busy="true">
              At most five addresses are tried. This takes up to 15 seconds.
            </p>
            <Steps label="Steps" steps={waitingSteps} />
          </Section>
        )}
        {isAsked && !resolution.isFetching && resolution.isError && (
          <Failure error={resolution.error} retry={() => void resolution.refetch()} />
        )}
        {isAsked && !resolution.isFetching && resolution.data !== undefined && (
          <Resolved key={query} resolution={resolution.data} />
        )}
        {!isAsked && manual !== undefined && (
          <>
            <Notice title="The server is contacted when you connect, not when you create the connection" />
            <CreateForm initial={emptySettings} needsClient={false} presetId={undefined} />
          </>
        )}
        {!isAsked && manual === undefined && (
          <Presets
            onSelect={({ url }) => {
              setText(url)
              set({ query: url })
            }}
          />
        )}
      </div>
    </>
  )
}
