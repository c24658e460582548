/** The memories of the person: all of them, and a search as agents do it. */
import type { Memory } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link, useNavigate } from "@tanstack/react-router"
import { type FormEvent, useState } from "react"
import { client } from "../../api/client.ts"
import { reload } from "../../design/action.tsx"
import { type Column, DataTable } from "../../design/data-table.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { saveStream } from "../../design/download.ts"
import { Shown } from "../../design/query.tsx"
import { Tabs } from "../../design/tabs.tsx"
import { notify } from "../../design/toast.tsx"
import { Badge, Button, Empty, PageHeader, Time } from "../../design/ui.tsx"
import { useParameters, useSetParameters } from "../../parameters.ts"
import { AddMemory, type Scope, Tags, useOrganizations } from "./memory-parts.tsx"

const names = ["memory"]

const useScope = (): Scope => (useParameters()["organization"] === "all" ? "all" : "current")

const ScopeSwitch = () => {
  const set = useSetParameters()
  return (
    <select
      className="input filter"
      aria-label="Organization of the memories"
      value={useScope()}
      onChange={({ target }) => set({ organization: target.value === "all" ? "all" : undefined })}
    >
      <option value="current">This organization</option>
      <option value="all">All my organizations</option>
    </select>
  )
}

const TagFilter = () => {
  const { tag } = useParameters()
  const set = useSetParameters()
  if (tag === undefined) return null
  return (
    <span className="row">
      <Badge>Tag: {tag}</Badge>
      <Button kind="quiet" onClick={() => set({ tag: undefined })}>
        Show all tags
      </Button>
    </span>
  )
}

const Export = () => {
  const [isBusy, setBusy] = useState(false)
  const scope = useScope()
  const save = async () => {
    setBusy(true)
    try {
      await saveStream(await client.memory.export({ organization: scope }), "memories.ndjson", "application/x-ndjson")
    } catch (error) {
      notify("The export failed.", "bad", error)
    }
    setBusy(false)
  }
  return (
    <Button kind="quiet" disabled={isBusy} onClick={() => void save()}>
      {isBusy ? "Exporting" : "Export with the conversations"}
    </Button>
  )
}

/** Forgets one after another, and reports those that failed. */
const Forget = ({ clear, memories }: { readonly memories: ReadonlyArray<Memory>; readonly clear: () => void }) => {
  const [isOpen, setOpen] = useState(false)
  const forget = async () => {
    const failures: Array<unknown> = []
    for (const { id } of memories) await client.memory.delete(id).catch((error: unknown) => failures.push(error))
    const done = memories.length - failures.length
    if (done > 0) notify(`${done === 1 ? "One memory was" : `${done} memories were`} forgotten.`)
    if (failures.length > 0) {
      notify(`${failures.length} of ${memories.length} memories were not forgotten.`, "bad", failures[0])
    }
    clear()
    void reload(names)
  }
  return (
    <>
      <Button kind="danger" onClick={() => setOpen(true)}>
        Forget
      </Button>
      <Confirm
        title={memories.length === 1 ? "Forget the memory" : `Forget ${memories.length} memories`}
        action="Forget"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        confirm={forget}
      >
        <p>They are deleted at once and for good. Your agents no longer find them.</p>
      </Confirm>
    </>
  )
}

const ForgetAll = () => {
  const [isOpen, setOpen] = useState(false)
  const forget = async () => {
    await client.memory.deleteAll()
    notify("All memories of this organization were forgotten.")
    void reload(names)
  }
  return (
    <>
      <Button kind="quiet" onClick={() => setOpen(true)}>
        Forget everything
      </Button>
      <Confirm
        title="Forget everything"
        action="Forget all memories"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        confirm={forget}
      >
        <p>
          All your memories in this organization are deleted at once and for good. Export them first to keep a copy.
        </p>
        <p>Your memories in other organizations stay.</p>
      </Confirm>
    </>
  )
}

const All = () => {
  const scope = useScope()
  const { tag } = useParameters()
  const set = useSetParameters()
  const navigate = useNavigate()
  const { currentId, nameOf } = useOrganizations()
  const isAll = scope === "all"
  const columns: ReadonlyArray<Column<Memory>> = [
    {
      name: "Memory",
      width: "minmax(0, 4fr)",
      cell: ({ content }) => <span title={content.slice(0, 500)}>{content.slice(0, 300)}</span>,
      sort: ({ content }) => content.slice(0, 300)
    },
    {
      name: "Tags",
      width: "minmax(0, 2fr)",
      wide: true,
      cell: ({ tags }) => <Tags tags={tags} onSelect={(next) => set({ tag: next })} />
    },
    ...(isAll
      ? [
          {
            name: "Organization",
            width: "minmax(0, 1fr)",
            wide: true,
            cell: ({ organizationId }: Memory) => nameOf(organizationId)
          }
        ]
      : []),
    {
      name: "Saved",
      width: "120px",
      cell: ({ createdAt }) => <Time at={createdAt} />,
      sort: ({ createdAt }) => createdAt
    }
  ]
  return (
    <div className="stack">
      <div className="row">
        <ScopeSwitch />
        <TagFilter />
        <Export />
        <ForgetAll />
      </div>
      <DataTable
        label="Memories"
        columns={columns}
        queryKey={["memory", "list", scope, tag]}
        load={(cursor, signal) =>
          client.memory.list(
            {
              limit: 50,
              organization: scope,
              ...(tag === undefined ? {} : { tag }),
              ...(cursor === undefined ? {} : { cursor })
            },
            { signal }
          )
        }
        idOf={({ id }) => id}
        open={({ id, organizationId }) => {
          // A memory can be opened in its own organization only.
          if (organizationId === currentId) void navigate({ to: `/memory/${id}` })
          else
            notify(`This memory belongs to ${nameOf(organizationId)}. Switch to that organization to open it.`, "warn")
        }}
        {...(isAll
          ? {}
          : { bulk: (rows: ReadonlyArray<Memory>, clear: () => void) => <Forget memories={rows} clear={clear} /> })}
        empty={
          tag === undefined ? (
            <Empty title="Nothing is remembered yet">
              <p>Your agents save memories when you ask them to. You can also add one here.</p>
              <AddMemory />
            </Empty>
          ) : (
            <Empty title="No memory has this tag">
              <Button onClick={() => set({ tag: undefined })}>Show all tags</Button>
            </Empty>
          )
        }
      />
    </div>
  )
}

const resultsMax = 20

const Results = ({ q }: { readonly q: string }) => {
  const scope = useScope()
  const { tag } = useParameters()
  const set = useSetParameters()
  const { currentId, nameOf } = useOrganizations()
  const query = useQuery({
    queryKey: ["memory", "search", q, scope, tag],
    queryFn: ({ signal }) =>
      client.memory.search(
        { q, limit: resultsMax, organization: scope, ...(tag === undefined ? {} : { tag }) },
        { signal }
      )
  })
  return (
    <Shown query={query} lines={6}>
      {({ results }) =>
        results.length === 0 ? (
          <Empty title="An agent finds nothing with this question">
            <p>The search finds words, their forms and small typos. Add a tag with the word to find a memory by it.</p>
          </Empty>
        ) : (
          <ol className="results" aria-label="Results, best first">
            {results.map(({ content, createdAt, id, organizationId, score, tags }) => (
              <li key={id} className="card stack">
                <p className="plain-text">{content}</p>
                <div className="row spread">
                  <span className="row">
                    <Badge tone={score >= 0.6 ? "good" : "neutral"}>match {Math.round(score * 100)} %</Badge>
                    <Tags tags={tags} onSelect={(next) => set({ tag: next })} />
                    {scope === "all" && <span className="muted">{nameOf(organizationId)}</span>}
                    <span className="muted">
                      <Time at={createdAt} />
                    </span>
                  </span>
                  {organizationId === currentId && <Link to={`/memory/${id}`}>Open the memory</Link>}
                </div>
              </li>
            ))}
          </ol>
        )
      }
    </Shown>
  )
}

const Search = () => {
  const { q = "" } = useParameters()
  const set = useSetParameters()
  const [text, setText] = useState(q)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    set({ q: text.trim() === "" ? undefined : text.trim() })
  }
  return (
    <div className="stack">
      <p className="muted">
        Agents search your memories with a question, and read only the best matches, in this order.
      </p>
      <form className="row" role="search" onSubmit={submit}>
        <input
          className="input search"
          type="search"
          aria-label="Question"
          placeholder="Which milk does Ada take?"
          maxLength={512}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <Button type="submit">Search</Button>
        <ScopeSwitch />
        <TagFilter />
      </form>
      {q !== "" && <Results q={q} />}
    </div>
  )
}

export const Page = () => (
  <>
    <PageHeader
      title="Memory"
      description="What your agents remember for you. Only you can read it: not owners, not admins, not API keys."
      actions={<AddMemory />}
    />
    <Tabs
      tabs={[
        { value: "all", label: "All memories", content: () => <All /> },
        { value: "search", label: "What agents find", content: () => <Search /> }
      ]}
    />
  </>
)
