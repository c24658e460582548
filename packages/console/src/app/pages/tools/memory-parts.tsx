/** Parts of the pages about memories. */
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { client, selectedOrganization } from "../../api/client.ts"
import { FormDialog } from "../../design/action.tsx"
import { TextArea } from "../../design/fields.tsx"
import { Button, Field } from "../../design/ui.tsx"
import "./tools.css"

export type Scope = "current" | "all"

/** The names of the person's organizations by ID, and the one that is shown. */
export const useOrganizations = () => {
  const organizations = useQuery({
    queryKey: ["organizations"],
    queryFn: ({ signal }) => client.users.organizations({ limit: 100 }, { signal }),
    staleTime: 60_000
  })
  const items = organizations.data?.items ?? []
  const current =
    items.find(({ organization }) => organization.id === selectedOrganization()) ??
    items.find(({ active }) => active) ??
    items[0]
  return {
    currentId: current?.organization.id,
    nameOf: (id: string) => items.find(({ organization }) => organization.id === id)?.organization.name ?? id
  }
}

export const Tags = ({
  onSelect,
  tags
}: {
  readonly tags: ReadonlyArray<string>
  readonly onSelect: (tag: string) => void
}) => (
  <span className="tags">
    {tags.map((tag) => (
      <button
        key={tag}
        type="button"
        className="tag"
        title={`Only memories with the tag ${tag}`}
        onClick={(event) => {
          event.stopPropagation()
          onSelect(tag)
        }}
      >
        {tag}
      </button>
    ))}
  </span>
)

const tagsOf = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "")

export const AddMemory = () => {
  const [isOpen, setOpen] = useState(false)
  const [content, setContent] = useState("")
  const [tags, setTags] = useState("")
  const close = () => {
    setOpen(false)
    setContent("")
    setTags("")
  }
  return (
    <>
      <Button kind="primary" onClick={() => setOpen(true)}>
        Add a memory
      </Button>
      <FormDialog
        title="Add a memory"
        description="Your agents find it when they search your memories. Only you can read it."
        action="Save the memory"
        done="The memory was saved."
        changes={["memory"]}
        isOpen={isOpen}
        onClose={close}
        submit={() => {
          const list = tagsOf(tags)
          return client.memory.save({ content, ...(list.length === 0 ? {} : { tags: list }) })
        }}
        fields={["content", "tags"]}
      >
        {(problem) => (
          <>
            <TextArea
              label="What to remember"
              hint="At most 8,000 characters."
              required
              maxLength={8000}
              rows={6}
              value={content}
              problem={problem("content")}
              onChange={({ target }) => setContent(target.value)}
            />
            <Field
              label="Tags (optional)"
              hint="Separated by commas. Searches find them too."
              maxLength={2000}
              value={tags}
              problem={problem("tags")}
              onChange={({ target }) => setTags(target.value)}
            />
          </>
        )}
      </FormDialog>
    </>
  )
}
