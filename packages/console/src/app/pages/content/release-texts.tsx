/** The config objects and files of a release that differ from the release that is served now, with their texts. */
import {
  OrgplaneError,
  type PluginReleaseContentChanges,
  type PluginReleaseDetails,
  type PluginReleaseObjectChange
} from "@orgplane/client"
import { useQuery, type UseQueryResult } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { TextDiff } from "../../design/diff.tsx"
import { Section } from "../../design/facts.tsx"
import { Shown } from "../../design/query.tsx"
import { plural } from "../../design/text.ts"
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

/** Why the person cannot read a text. Undefined for other errors. */
const reasonOf = (error: unknown): string | undefined => {
  if (!(error instanceof OrgplaneError)) return undefined
  if (error.status === 403) return "You are not allowed to read config objects."
  if (error.code === "config_object_version_not_found") {
    return "Only editors of the object or of one of its plugins can read a version that is not served now."
  }
  return error.status === 404 ? "The object was removed, or you have no access to it." : undefined
}

/** The text of one release, if that of the other one cannot be read. */
const OneText = ({
  label,
  query,
  title
}: {
  readonly label: string
  readonly query: UseQueryResult<string>
  readonly title: string
}) => {
  const reason = reasonOf(query.error)
  return (
    <>
      <p>
        <strong>{label}</strong>
      </p>
      {reason === undefined ? (
        <Shown query={query}>
          {(text) =>
            text === "" ? (
              <p className="muted">The text is empty.</p>
            ) : (
              <pre className="code" tabIndex={0} role="group" aria-label={`${label}: ${title}`}>
                {text}
              </pre>
            )
          }
        </Shown>
      ) : (
        <p className="muted">The text cannot be shown. {reason}</p>
      )}
    </>
  )
}

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
  if (before.isError || after.isError) {
    return (
      <>
        {versionIdBefore !== null && <OneText label="Text in the served release" query={before} title={title} />}
        {versionIdAfter !== null && <OneText label="Text in this release" query={after} title={title} />}
      </>
    )
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

const sameText = ({ plugin, servedReleaseId }: PluginReleaseContentChanges): string =>
  servedReleaseId === null
    ? "The release contains no config object and no file."
    : `${plugin === null ? "The name, the description, the config objects and the files" : "The config objects and the files"} are the same. Other metadata of the plugin, such as its version and its author, is not compared.`

/** The name and the description, which are part of the plugin that agents receive. */
const PluginTexts = ({
  change,
  label = "Name and description"
}: {
  readonly change: NonNullable<PluginReleaseContentChanges["plugin"]>
  readonly label?: string
}) => {
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
  return <ChangeTable label={label} rows={rows} />
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
      {objects.length === 0 && files.length === 0 && <p>{sameText(changes)}</p>}
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

/** The number of config objects, and of files, that a confirmation names. */
const namedMax = 5

const FirstNames = ({
  label,
  rows
}: {
  readonly label: string
  readonly rows: ReadonlyArray<{ readonly change: keyof typeof tones; readonly id: string; readonly name: string }>
}) =>
  rows.length > 0 && (
    <ul className="facts" aria-label={label}>
      {rows.slice(0, namedMax).map(({ change, id, name }) => (
        <li key={id}>
          <Badge tone={tones[change]}>{change}</Badge> {name}
        </li>
      ))}
      {rows.length > namedMax && <li className="muted">and {rows.length - namedMax} more</li>}
    </ul>
  )

const CountedTexts = ({ changes, name }: { readonly changes: PluginReleaseContentChanges; readonly name: string }) => {
  const { files, objects, plugin, servedReleaseId, truncated } = changes
  const counts = `${plural(objects.length, "config object")} and ${plural(files.length, "other file")}`
  return (
    <>
      {servedReleaseId !== null && plugin !== null && (
        <PluginTexts change={plugin} label={`Name and description of ${name}`} />
      )}
      <p>
        {objects.length === 0 && files.length === 0
          ? sameText(changes)
          : servedReleaseId === null
            ? `No release of the plugin is served now. This release contains ${counts}.`
            : `${counts} differ from the release that is served now.`}
        {truncated && " There are more changes than are counted here."}
      </p>
      <FirstNames
        label={`Changed config objects of ${name}`}
        rows={objects.map(({ change, configObjectId: id, title }) => ({ change, id, name: title }))}
      />
      <FirstNames
        label={`Other changed files of ${name}`}
        rows={files.map(({ change, path }) => ({ change, id: path, name: path }))}
      />
    </>
  )
}

/** How many texts a release changes, for a decision about several releases. */
export const ReleaseTextCounts = ({ release }: { readonly release: PluginReleaseDetails }) => (
  <>
    {release.contentChanges === null ? (
      <p>The texts cannot be compared.</p>
    ) : (
      <CountedTexts changes={release.contentChanges} name={release.name} />
    )}
    <p>
      <Link to={`/releases/${release.id}`} target="_blank">
        Compare the texts of {release.name} (opens a new tab)
      </Link>
    </p>
  </>
)

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
