/** The versions of a template: two of them side by side, and the return to an earlier one. */
import type { Template, TemplateVersion, TemplateVersionSummary } from "@orgplane/client"
import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { reload } from "../../design/action.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { TextDiff, ValueDiff } from "../../design/diff.tsx"
import { Section } from "../../design/facts.tsx"
import { SelectField } from "../../design/fields.tsx"
import { Shown } from "../../design/query.tsx"
import { plural } from "../../design/text.ts"
import { notify } from "../../design/toast.tsx"
import { Badge, Button, Failure, Skeleton, Time } from "../../design/ui.tsx"
import { Author } from "../../objects/names.tsx"
import { useParameters, useSetParameters } from "../../parameters.ts"
import { labelOf, objectTypes } from "./words.ts"

type Content = TemplateVersion["content"]
type TemplateObject = Content["objects"][number]

const pathOf = (object: TemplateObject, index: number) => {
  const path = object.metadata?.["relativePath"] ?? object.metadata?.["fileName"]
  return typeof path === "string" ? path : `${labelOf(objectTypes, object.type)} ${index + 1}`
}

const textOf = (object: TemplateObject | undefined) =>
  object === undefined ? "" : (object.rawSourceText ?? JSON.stringify(object.normalizedPayloadJson, null, 2))

/** What is not the text of an object. */
const settingsOf = ({ objects, plugin, variables }: Content) => ({
  plugin,
  variables,
  objects: objects.map(({ metadata, parserMode, schemaVersion, type }) => ({
    type,
    metadata,
    parserMode,
    schemaVersion
  }))
})

export const ContentDifference = ({
  after,
  before,
  noun = "Difference"
}: {
  readonly before: Content
  readonly after: Content
  /** The start of the labels, which differ if a page has two differences. */
  readonly noun?: "Difference" | "Change"
}) => {
  const older = new Map(before.objects.map((object, index) => [pathOf(object, index), object]))
  const newer = new Map(after.objects.map((object, index) => [pathOf(object, index), object]))
  const paths = [...new Set([...older.keys(), ...newer.keys()])].filter(
    (path) => textOf(older.get(path)) !== textOf(newer.get(path))
  )
  return (
    <div className="stack">
      <Section title="Plugin, variables and settings">
        <ValueDiff before={settingsOf(before)} after={settingsOf(after)} label={`${noun} of the settings`} />
      </Section>
      {paths.map((path) => (
        <Section key={path} title={path}>
          <TextDiff before={textOf(older.get(path))} after={textOf(newer.get(path))} label={`${noun} of ${path}`} />
        </Section>
      ))}
      {paths.length === 0 && <p className="muted">The texts of the objects are the same.</p>}
    </div>
  )
}

const useVersion = (templateId: string, versionId: string | undefined) =>
  useQuery({
    queryKey: ["templates", templateId, "versions", versionId],
    queryFn: ({ signal }) => client.templates.getVersion(templateId, versionId ?? "", { signal }),
    enabled: versionId !== undefined,
    staleTime: Infinity
  })

const Compared = ({
  fromId,
  templateId,
  toId
}: {
  readonly templateId: string
  readonly fromId: string
  readonly toId: string
}) => {
  const before = useVersion(templateId, fromId)
  const after = useVersion(templateId, toId)
  return (
    <Shown query={before} lines={6}>
      {(older) => (
        <Shown query={after} lines={6}>
          {(newer) => <ContentDifference before={older.content} after={newer.content} />}
        </Shown>
      )}
    </Shown>
  )
}

const Row = ({
  isLatest,
  onCompare,
  version
}: {
  readonly version: TemplateVersionSummary
  readonly isLatest: boolean
  readonly onCompare: (() => void) | undefined
}) => {
  const [isAsking, setAsking] = useState(false)
  return (
    <tr>
      <td>
        <strong>{version.ordinal}</strong> {isLatest && <Badge>latest</Badge>}
      </td>
      <td>
        {plural(version.objectCount, "object")}, {plural(version.variableCount, "variable")}
      </td>
      <td>
        <Time at={version.createdAt} />, <Author id={version.createdByOrgMembershipId} />
      </td>
      <td>
        <div className="row">
          {onCompare !== undefined && (
            <Button kind="quiet" onClick={onCompare}>
              Compare
            </Button>
          )}
          {!isLatest && (
            <Button kind="quiet" permission="templates:write" onClick={() => setAsking(true)}>
              Restore
            </Button>
          )}
        </div>
        <Confirm
          title={`Restore version ${version.ordinal}?`}
          action="Restore the version"
          isOpen={isAsking}
          onClose={() => setAsking(false)}
          confirm={async () => {
            await client.templates.restoreVersion(version.templateId, version.id)
            notify(`Version ${version.ordinal} was restored as a new version.`)
            await reload(["templates"])
          }}
        >
          <p>
            A new version with this content is created, and new plugins are created from it. Plugins that exist do not
            change, and no version is lost.
          </p>
        </Confirm>
      </td>
    </tr>
  )
}

export const TemplateVersions = ({ template }: { readonly template: Template }) => {
  const { from: fromId, to: toId } = useParameters()
  const set = useSetParameters()
  const query = useInfiniteQuery({
    queryKey: ["templates", template.id, "versions"],
    queryFn: ({ pageParam, signal }) =>
      client.templates.listVersions(template.id, { limit: 50, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined
  })
  const versions = query.data?.pages.flatMap(({ items }) => items) ?? []
  const to = versions.find(({ id }) => id === toId) ?? versions[0]
  const from =
    versions.find(({ id }) => id === fromId) ?? (to === undefined ? undefined : versions[versions.indexOf(to) + 1])
  if (query.isError) return <Failure error={query.error} retry={() => void query.refetch()} />
  if (to === undefined) return <Skeleton height={200} />
  const options = versions.map(({ id, ordinal }) => [id, `Version ${ordinal}`] as const)
  return (
    <div className="stack">
      <div className="change-table list-table" tabIndex={0} role="region" aria-label="Versions">
        <table>
          <thead>
            <tr>
              <th>Version</th>
              <th>Content</th>
              <th>Created</th>
              <th>Actions</th>
            </tr>
          </thead>
          <tbody>
            {versions.map((version, index) => {
              const older = versions[index + 1]
              return (
                <Row
                  key={version.id}
                  version={version}
                  isLatest={index === 0}
                  onCompare={older === undefined ? undefined : () => set({ to: version.id, from: older.id })}
                />
              )
            })}
          </tbody>
        </table>
      </div>
      {query.hasNextPage && (
        <div className="row">
          <Button disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Load more
          </Button>
        </div>
      )}
      {from === undefined ? (
        <p className="muted">There is no earlier version to compare with.</p>
      ) : (
        <>
          <div className="sides">
            <SelectField
              label="Before"
              options={options}
              value={from.id}
              onChange={({ target }) => set({ from: target.value, to: to.id })}
            />
            <SelectField
              label="After"
              options={options}
              value={to.id}
              onChange={({ target }) => set({ to: target.value, from: from.id })}
            />
          </div>
          <Compared templateId={template.id} fromId={from.id} toId={to.id} />
        </>
      )}
    </div>
  )
}
