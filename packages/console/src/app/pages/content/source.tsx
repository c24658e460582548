/** The content of a config object: Markdown with its front matter as a table, otherwise the text or the JSON. */
import type { ConfigObject, ConfigObjectVersion } from "@orgplane/client"
import { useState } from "react"
import { Facts } from "../../design/facts.tsx"
import { Markdown } from "../../design/markdown.tsx"
import { Button } from "../../design/ui.tsx"
import "./content.css"

/** The text of a version, or its payload as JSON. */
export const textOf = ({ normalizedPayloadJson, rawSourceText }: ConfigObjectVersion): string =>
  rawSourceText ?? (normalizedPayloadJson === null ? "" : JSON.stringify(normalizedPayloadJson, null, 2))

export const isMarkdown = ({
  currentFileExtension,
  currentRelativePath,
  objectType
}: Pick<ConfigObject, "currentFileExtension" | "currentRelativePath" | "objectType">): boolean =>
  currentFileExtension === null && currentRelativePath === null
    ? objectType === "skill" || objectType === "agent" || objectType === "command" || objectType === "context"
    : /^\.?md$/i.test(currentFileExtension ?? "") || currentRelativePath?.toLowerCase().endsWith(".md") === true

const parted = (text: string) => {
  const [, head, body] = /^---\r?\n([\s\S]*?)\r?\n---\r?\n?([\s\S]*)$/.exec(text) ?? []
  return head === undefined || body === undefined ? { head: "", body: text } : { head, body }
}

const lineOf = /^([\w-]{1,80}):[ \t]+(\S.*)$/

/** Front matter of simple values as a table; other front matter as text. */
const FrontMatter = ({ text }: { readonly text: string }) => {
  if (text === "") return null
  const rows = text.split(/\r?\n/).map((line) => lineOf.exec(line))
  const simple = rows.flatMap((row) => (row === null ? [] : [[row[1] ?? "", row[2] ?? ""] as const]))
  const hasNames = new Set(simple.map(([name]) => name)).size === simple.length
  return simple.length === rows.length && hasNames ? (
    <Facts rows={simple} />
  ) : (
    <pre className="code" tabIndex={0} role="group" aria-label="Front matter">
      {text}
    </pre>
  )
}

export const Rendered = ({ isText, text }: { readonly text: string; readonly isText: boolean }) => {
  if (!isText) {
    return (
      <pre className="code" tabIndex={0} role="group" aria-label="Content">
        {text}
      </pre>
    )
  }
  const { body, head } = parted(text)
  return (
    <div className="stack">
      <FrontMatter text={head} />
      <Markdown text={body} />
    </div>
  )
}

export const Source = ({
  object,
  version
}: {
  readonly object: ConfigObject
  readonly version: ConfigObjectVersion | null
}) => {
  const [isRaw, setRaw] = useState(false)
  if (version === null) return <p className="muted">This object has no content yet.</p>
  const text = textOf(version)
  if (text === "") return <p className="muted">The content is empty.</p>
  const renders = isMarkdown(object)
  return (
    <div className="stack">
      {renders && (
        <div className="row">
          <Button aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
            Show the source
          </Button>
        </div>
      )}
      <Rendered text={text} isText={renders && !isRaw} />
    </div>
  )
}
