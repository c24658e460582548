/** One memory, with the conversations that it comes from. */
import type { WholeMemory } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { reload } from "../../design/action.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { Facts, Section } from "../../design/facts.tsx"
import { Shown } from "../../design/query.tsx"
import { notify } from "../../design/toast.tsx"
import { Button, PageHeader, Time } from "../../design/ui.tsx"
import { usePathParameter } from "../../parameters.ts"
import { Tags } from "./memory-parts.tsx"

const origins = {
  active_conversation: "the conversation in which it was saved",
  searched_conversation: "an earlier conversation"
} as const

const Forget = ({ id }: { readonly id: string }) => {
  const [isOpen, setOpen] = useState(false)
  const navigate = useNavigate()
  const forget = async () => {
    await client.memory.delete(id)
    notify("The memory was forgotten.")
    await navigate({ to: "/memory" })
    void reload(["memory"])
  }
  return (
    <>
      <Button kind="danger" onClick={() => setOpen(true)}>
        Forget
      </Button>
      <Confirm
        title="Forget the memory"
        action="Forget"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        confirm={forget}
      >
        <p>
          It is deleted at once and for good, with what it keeps of the conversations. Your agents no longer find it.
        </p>
      </Confirm>
    </>
  )
}

const Content = ({ memory }: { readonly memory: WholeMemory }) => {
  const navigate = useNavigate()
  const { contexts, content, createdAt, id, tags } = memory
  return (
    <>
      <PageHeader
        title="Memory"
        actions={
          <>
            <Link className="button" to="/memory">
              All memories
            </Link>
            <Forget id={id} />
          </>
        }
      />
      <div className="stack narrow">
        <Section title="What is remembered">
          <p className="plain-text">{content}</p>
          <Facts
            rows={[
              [
                "Tags",
                tags.length === 0 ? null : (
                  <Tags key="tags" tags={tags} onSelect={(tag) => void navigate({ to: "/memory", search: { tag } })} />
                )
              ],
              ["Saved", <Time key="saved" at={createdAt} />]
            ]}
          />
        </Section>
        <Section title="Where it comes from">
          {contexts.length === 0 ? (
            <p className="muted">It keeps no part of a conversation.</p>
          ) : (
            contexts.map(({ conversation_id: conversation, message_id: message, origin, snippet }, index) => (
              <div key={index} className="stack">
                <p className="plain-text">{snippet}</p>
                <p className="muted plain-text">
                  {origin === null ? "From a conversation" : `From ${origins[origin]}`}
                  {conversation === null ? "" : `, conversation ${conversation}`}
                  {message === null ? "" : `, message ${message}`}
                </p>
              </div>
            ))
          )}
        </Section>
      </div>
    </>
  )
}

export const Page = () => {
  const memoryId = usePathParameter("memoryId")
  const query = useQuery({
    queryKey: ["memory", "one", memoryId],
    queryFn: ({ signal }) => client.memory.get(memoryId, { signal })
  })
  return (
    <Shown query={query} lines={6}>
      {(memory) => <Content memory={memory} />}
    </Shown>
  )
}
