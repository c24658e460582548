/** The command palette: pages, actions, and objects by name. */
import type { SearchKind } from "@orgplane/client"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { type KeyboardEvent as ReactKeyboardEvent, useEffect, useId, useState } from "react"
import { client } from "../api/client.ts"
import { isPermitted, type Need, useOwnPermissions } from "../api/permissions.ts"
import { Dialog } from "../design/dialog.tsx"
import { Failure } from "../design/ui.tsx"
import { useOwnAreas } from "./own-areas.ts"
import { setTheme } from "./theme.ts"

interface Item {
  readonly key: string
  /** What it is, such as the area of a page or the kind of an object. */
  readonly type: string
  readonly name: string
  readonly detail?: string
  readonly run: () => void
}

interface Action {
  readonly name: string
  readonly to: string
  readonly search?: Readonly<Record<string, string | boolean>>
  readonly permission?: Need
}

const actions: ReadonlyArray<Action> = [
  { name: "Connect a repository", to: "/connectors/new", permission: "connectors:write" },
  { name: "Add an MCP connection", to: "/mcp-connections/new", permission: "mcpConnections:write" },
  { name: "Create a template", to: "/templates/new", permission: "templates:write" },
  { name: "Invite a person", to: "/invitations", search: { new: true }, permission: "invitations:write" },
  { name: "Invite people from a file", to: "/invitations/import", permission: "invitations:write" },
  { name: "Create an assignment", to: "/assignments", search: { create: "1" }, permission: "assignments:write" },
  {
    name: "Create a desktop policy",
    to: "/desktop-policies",
    search: { create: "1" },
    permission: "desktopPolicies:write"
  },
  { name: "Add an LLM provider", to: "/llm-providers", search: { create: "1" }, permission: "llmProviders:write" },
  { name: "Create a role", to: "/roles", search: { new: true }, permission: "roles:write" },
  { name: "Explain the access of a member", to: "/access", permission: "access:read" },
  { name: "Show the permission matrix", to: "/roles/matrix", permission: "roles:read" },
  { name: "Show the connector accounts", to: "/connector-accounts", permission: "connectors:read" },
  { name: "Show your sessions", to: "/me", search: { tab: "sessions" } }
]

const themes = [
  ["light", "Use the light theme"],
  ["dark", "Use the dark theme"],
  ["system", "Use the theme of the system"]
] as const

const kinds: Readonly<Record<SearchKind, readonly [type: string, path: string]>> = {
  plugin: ["Plugin", "/plugins"],
  configObject: ["Config object", "/objects"],
  marketplace: ["Marketplace", "/marketplaces"],
  connectorInstance: ["Connector", "/connectors"],
  mcpConnection: ["MCP connection", "/mcp-connections"],
  member: ["Member", "/members"],
  team: ["Team", "/teams"],
  template: ["Template", "/templates"],
  role: ["Role", "/roles"],
  apiKey: ["API key", "/api-keys"],
  desktopPolicy: ["Desktop policy", "/desktop-policies"],
  worker: ["Worker", "/workers"],
  llmProvider: ["LLM provider", "/llm-providers"]
}

const typingMilliseconds = 150
const searchedMax = 255

/** The text, once the person has stopped typing. */
const useSettled = (text: string): string => {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), typingMilliseconds)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

/** Objects whose names contain the text. A search that is no longer needed is cancelled. */
const useObjects = (text: string) => {
  const q = useSettled(text.trim()).slice(0, searchedMax)
  const isSearching = q !== "" && text.trim() !== ""
  const query = useQuery({
    queryKey: ["search", q],
    queryFn: ({ signal }) => client.search.objects({ q }, { signal }),
    enabled: isSearching,
    placeholderData: keepPreviousData
  })
  const found = isSearching ? (query.data?.items ?? []) : []
  // Results for the text before stay as long as they match.
  const isMatch = (part: string | null) => part?.toLowerCase().includes(text.trim().toLowerCase()) === true
  const objects = query.isPlaceholderData ? found.filter(({ detail, name }) => isMatch(name) || isMatch(detail)) : found
  return { query, objects, isSearching }
}

const Panel = ({ close }: { readonly close: () => void }) => {
  const [text, setText] = useState("")
  const [index, setIndex] = useState(0)
  const navigate = useNavigate()
  const id = useId()
  const own = useOwnPermissions().data
  const areas = useOwnAreas()
  const { isSearching, objects, query } = useObjects(text)
  const go = (to: string, search?: Action["search"]) => () =>
    void navigate({ to, ...(search === undefined ? {} : { search }) })
  const contains = (...parts: ReadonlyArray<string>) =>
    parts.join(" ").toLowerCase().includes(text.trim().toLowerCase())
  const items: ReadonlyArray<Item> = [
    ...[{ title: "Page", entries: [{ to: "/", name: "Home" }] }, ...areas].flatMap(({ entries, title }) =>
      entries.map(({ name, to }) => ({ key: to, type: title, name, run: go(to) }))
    ),
    ...actions
      .filter(({ permission }) => own !== undefined && isPermitted(own, permission))
      .map(({ name, search, to }) => ({ key: `action ${name}`, type: "Action", name, run: go(to, search) })),
    ...themes.map(([theme, name]) => ({ key: `theme ${theme}`, type: "Action", name, run: () => setTheme(theme) }))
  ]
  const shown: ReadonlyArray<Item> = [
    ...items.filter(({ name, type }) => contains(type, name)),
    // A newer server can find kinds that this code does not know.
    ...objects
      .filter(({ kind }) => kind in kinds)
      .map(({ detail, id: objectId, kind, name }) => {
        const [type, path] = kinds[kind]
        return {
          key: objectId,
          type,
          name,
          ...(detail === null ? {} : { detail }),
          run: go(`${path}/${objectId}`)
        }
      })
  ]
  const selected = Math.min(index, shown.length - 1)
  const select = (next: number) => {
    setIndex(next)
    document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: "nearest" })
  }
  const run = (item: Item) => {
    close()
    item.run()
  }
  const onKeyDown = (event: ReactKeyboardEvent) => {
    const last = Math.max(0, shown.length - 1)
    const next = {
      ArrowDown: selected < last ? selected + 1 : 0,
      ArrowUp: selected > 0 ? selected - 1 : last,
      PageDown: Math.min(last, selected + 10),
      PageUp: Math.max(0, selected - 10)
    }[event.key]
    const item = shown[selected]
    if (next !== undefined) select(next)
    else if (event.key === "Enter" && item !== undefined) run(item)
    else return
    event.preventDefault()
  }
  const isPending = isSearching && query.isFetching
  return (
    <>
      <input
        className="input"
        role="combobox"
        aria-label="Page, action or object"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={selected >= 0 ? `${id}-${selected}` : undefined}
        autoComplete="off"
        maxLength={searchedMax}
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setIndex(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div role="listbox" aria-label="Results" id={`${id}-list`} className="palette">
        {shown.map((item, each) => (
          <div
            role="option"
            aria-selected={each === selected}
            id={`${id}-${each}`}
            key={item.key}
            onMouseMove={() => setIndex(each)}
            onClick={() => run(item)}
          >
            <span className="muted">{item.type}</span> {item.name}
            {/* Without the space, the accessible name would join the name and the detail. */}
            {item.detail !== undefined && (
              <>
                {" "}
                <span className="muted palette-detail">{item.detail}</span>
              </>
            )}
          </div>
        ))}
      </div>
      {isSearching && query.isError && <Failure error={query.error} retry={() => void query.refetch()} />}
      <p role="status" className="muted">
        {isPending
          ? "Searching objects"
          : isSearching && query.data?.truncated === true
            ? "More objects match. Type more of the name."
            : shown.length === 0 && !query.isError
              ? "Nothing has this name."
              : ""}
      </p>
    </>
  )
}

export const Palette = ({ close, isOpen }: { readonly isOpen: boolean; readonly close: () => void }) => (
  <Dialog title="Go to" isOpen={isOpen} onClose={close}>
    <Panel close={close} />
  </Dialog>
)
