/** The config objects and files of a release that differ from the release that is served now, with their texts. */
import type { PluginReleaseContentChanges, PluginReleaseDetails, PluginReleaseObjectChange } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { client, statusOf } from "../../api/client.ts"
import { TextDiff } from "../../design/diff.tsx"
import { Section } from "../../design/facts.tsx"
import { Shown } from "../../design/query.tsx"
import { Badge } from "../../design/ui.tsx"
import { type ChangeRow, ChangeTable } from "./changes.tsx"
import { FirstRows } from "./parts.tsx"
import { textOf } from "./source.tsx"
import { labelOf, objectTypes } from "./words.ts"

const tones = { added: "good", changed: "warn", removed: "bad" } as const

/** The text of a version; empty without a version. */
const useText = (objectId: string, versionId: string | null) =>
  useQuery({
    queryKey: ["objects", objectId, "versions", versionId ?? "none", "text"],
    queryFn: async ({ signal }) =>
      versionId === null ? "" : textOf(await client.configObjects.getVersion(objectId, versionId, { signal })),
    staleTime: Infinity
  })

const Texts = ({ change }: { readonly change: PluginReleaseObjectChange }) => {
  const { configObjectId, title, versionIdAfter, versionIdBefore } = change
  const before = useText(configObjectId, versionIdBefore)
  const after = useText(configObjectId, versionIdAfter)
  if (versionIdBefore === versionIdAfter) {
    return (
      <p className="muted">
        The text of the object is the same. Its type, title, path or place in the plugin has changed.
      </p>
    )
  }
  if (statusOf(before.error) === 404 || statusOf(after.error) === 404) {
    return <p className="muted">The text cannot be shown, because the object was removed or you cannot see it.</p>
  }
  return (
    <Shown query={before}>
      {(older) => (
        <Shown query={after}>
          {(newer) => <TextDiff before={older} after={newer} label={`Difference of ${title}`} />}
        </Shown>
      )}
    </Shown>
  )
}

const ObjectChange = ({ change }: { readonly change: PluginReleaseObjectChange }) => {
  // Only the texts of opened objects are read: a release can contain hundreds of them.
  const [isOpened, setOpened] = useState(false)
  return (
    <details
      onToggle={({ currentTarget }) => {
        if (currentTarget.open) setOpened(true)
      }}
    >
      <summary>
        {labelOf(objectTypes, change.objectType)} <strong>{change.title}</strong>{" "}
        <Badge tone={tones[change.change]}>{change.change}</Badge>{" "}
        {change.path !== null && <code className="muted">{change.path}</code>}
      </summary>
      {isOpened && (
        <div className="stack">
          <Texts change={change} />
          <p>
            <Link to={`/objects/${change.configObjectId}`} search={{ tab: "versions" }}>
              Versions of the object
            </Link>
          </p>
        </div>
      )}
    </details>
  )
}

/** The name and the description, which are part of the plugin that agents receive. */
const PluginTexts = ({ change }: { readonly change: NonNullable<PluginReleaseContentChanges["plugin"]> }) => {
  const { after, before } = change
  const rows = (["name", "description"] as const).flatMap((kind): ReadonlyArray<ChangeRow> => {
    const [older, newer] = [before?.[kind] ?? null, after[kind]]
    if (older === newer) return []
    return [
      {
        id: kind,
        kind,
        ...(older === null ? {} : { before: older }),
        ...(newer === null ? {} : { after: newer })
      }
    ]
  })
  return <ChangeTable label="Name and description" rows={rows} />
}

const Changes = ({ changes }: { readonly changes: PluginReleaseContentChanges }) => {
  const { files, objects, plugin, servedReleaseId, truncated } = changes
  return (
    <>
      <p className="muted">
        {servedReleaseId === null
          ? "No release of the plugin is served now, so everything in this release is added."
          : "Compared with the release that is served now. Open an object to compare its text."}
      </p>
      {plugin !== null && <PluginTexts change={plugin} />}
      {objects.length === 0 && files.length === 0 && (
        <p>
          {servedReleaseId === null
            ? "The release contains no config object and no file."
            : `${plugin === null ? "The name, the description, the config objects and the files" : "The config objects and the files"} are the same. Other metadata of the plugin, such as its version and its author, is not compared.`}
        </p>
      )}
      <FirstRows rows={objects}>
        {(rows) => rows.map((change) => <ObjectChange key={change.configObjectId} change={change} />)}
      </FirstRows>
      {files.length > 0 && (
        <>
          <h3 className="part">Other files</h3>
          <p className="muted">The contents of these files cannot be compared here.</p>
          <FirstRows rows={files}>
            {(rows) => (
              <ul className="facts" aria-label="Other files">
                {rows.map(({ becomesExecutable, change, path }) => (
                  <li key={path}>
                    <Badge tone={tones[change]}>{change}</Badge> <code>{path}</code>{" "}
                    {becomesExecutable && <Badge tone="warn">becomes executable</Badge>}
                  </li>
                ))}
              </ul>
            )}
          </FirstRows>
        </>
      )}
      {truncated && <p className="muted">There are more changes than are shown. Review the files too.</p>}
    </>
  )
}

export const ReleaseTexts = ({ release }: { readonly release: PluginReleaseDetails }) => (
  <Section title="Texts">
    {release.contentChanges === null ? (
      <p className="muted">
        The texts cannot be compared, because the files of this release are not stored, or because every change of the
        plugin is served at once.
      </p>
    ) : (
      <Changes changes={release.contentChanges} />
    )}
  </Section>
)
