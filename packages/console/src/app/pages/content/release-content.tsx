/** The contents of a release that differ from what is served now. A text is read when its difference is opened. */
import type { PluginReleaseContentChanges, PluginReleaseObjectChange } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { TextDiff } from "../../design/diff.tsx"
import { Section } from "../../design/facts.tsx"
import { Shown } from "../../design/query.tsx"
import { Badge } from "../../design/ui.tsx"
import { textOf } from "./source.tsx"

const shownMax = 100
const tones = { added: "good", changed: "warn", removed: "bad" } as const

const textAt = async (objectId: string, versionId: string | null, signal: AbortSignal) =>
  versionId === null ? "" : textOf(await client.configObjects.getVersion(objectId, versionId, { signal }))

const Difference = ({ object }: { readonly object: PluginReleaseObjectChange }) => {
  const { configObjectId, title, versionIdAfter, versionIdBefore } = object
  const query = useQuery({
    queryKey: ["objects", configObjectId, "texts", versionIdBefore, versionIdAfter],
    queryFn: async ({ signal }) => {
      const [before, after] = await Promise.all(
        [versionIdBefore, versionIdAfter].map((id) => textAt(configObjectId, id, signal))
      )
      return { before: before ?? "", after: after ?? "" }
    },
    staleTime: Infinity
  })
  return versionIdAfter === versionIdBefore ? (
    <p className="muted">Only the path has changed.</p>
  ) : (
    <Shown query={query} lines={6}>
      {({ after, before }) => <TextDiff before={before} after={after} label={`Difference of ${title}`} />}
    </Shown>
  )
}

const ChangedObject = ({ object }: { readonly object: PluginReleaseObjectChange }) => {
  const [isOpen, setOpen] = useState(false)
  const { change, objectType, path, title } = object
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <Badge tone={tones[change]}>{change}</Badge> <strong>{title}</strong>{" "}
        <span className="muted">
          {objectType}
          {path === null ? "" : `, ${path}`}
        </span>
      </summary>
      {isOpen && <Difference object={object} />}
    </details>
  )
}

export const ContentChanges = ({ changes }: { readonly changes: PluginReleaseContentChanges }) => {
  const { files, objects, servedReleaseId, truncated } = changes
  const isCut = truncated || objects.length > shownMax || files.length > shownMax
  return (
    <Section title="Changes of the content">
      <p className="muted">
        {servedReleaseId === null
          ? "No release is served now, so that everything is added."
          : "Compared with the release that is served now."}
      </p>
      {objects.length === 0 && files.length === 0 && <p>The content does not differ.</p>}
      {objects.slice(0, shownMax).map((object) => (
        <ChangedObject key={object.configObjectId} object={object} />
      ))}
      {files.length > 0 && (
        <ul className="facts" aria-label="Other files that differ">
          {files.slice(0, shownMax).map(({ change, path }) => (
            <li key={path}>
              <Badge tone={tones[change]}>{change}</Badge> <code>{path}</code>
            </li>
          ))}
        </ul>
      )}
      {isCut && <p className="muted">Only the first {shownMax} objects and files are shown.</p>}
    </Section>
  )
}
