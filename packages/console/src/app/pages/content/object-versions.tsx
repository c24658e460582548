/** The versions of a config object: two of them side by side, and the return to an earlier one. */
import type { ConfigObject, ConfigObjectVersion } from "@orgplane/client"
import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { reload } from "../../design/action.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { TextDiff } from "../../design/diff.tsx"
import { Section } from "../../design/facts.tsx"
import { SelectField } from "../../design/fields.tsx"
import { Shown } from "../../design/query.tsx"
import { notify } from "../../design/toast.tsx"
import { Badge, Button, Failure, Skeleton, Time } from "../../design/ui.tsx"
import { Author } from "../../objects/names.tsx"
import { useParameters, useSetParameters } from "../../parameters.ts"
import { CapabilityChanges } from "./changes.tsx"
import { isMarkdown, Rendered, textOf } from "./source.tsx"
import { shortRevision } from "./words.ts"

const dates = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" })

const titleOf = ({ createdAt, ordinal }: ConfigObjectVersion) =>
  `Version ${ordinal}, ${dates.format(new Date(createdAt))}`

const useVersion = (objectId: string, versionId: string | undefined) =>
  useQuery({
    queryKey: ["objects", objectId, "versions", versionId],
    queryFn: ({ signal }) => client.configObjects.getVersion(objectId, versionId ?? "", { signal }),
    enabled: versionId !== undefined,
    staleTime: Infinity
  })

const Compared = ({
  from,
  object,
  to
}: {
  readonly object: ConfigObject
  readonly from: ConfigObjectVersion | undefined
  readonly to: ConfigObjectVersion
}) => {
  const before = useVersion(object.id, from?.id)
  const after = useVersion(object.id, to.id)
  const difference = useQuery({
    queryKey: ["objects", object.id, "diff", to.id, from?.id],
    queryFn: ({ signal }) =>
      client.configObjects.diffVersions(object.id, to.id, from === undefined ? {} : { against: from.id }, { signal }),
    staleTime: Infinity
  })
  const [isRendered, setRendered] = useState(false)
  const renders = isMarkdown(object)
  return (
    <div className="stack">
      <Section
        title="Content"
        actions={
          renders ? (
            <Button aria-pressed={isRendered} onClick={() => setRendered(!isRendered)}>
              Show both rendered
            </Button>
          ) : undefined
        }
      >
        <Shown query={after} lines={6}>
          {(newer) =>
            from === undefined ? (
              <Rendered text={textOf(newer)} isText={renders} />
            ) : (
              <Shown query={before} lines={6}>
                {(older) =>
                  isRendered ? (
                    <div className="sides">
                      <article aria-label={titleOf(older)}>
                        <Rendered text={textOf(older)} isText />
                      </article>
                      <article aria-label={titleOf(newer)}>
                        <Rendered text={textOf(newer)} isText />
                      </article>
                    </div>
                  ) : (
                    <TextDiff before={textOf(older)} after={textOf(newer)} label="Difference of the content" />
                  )
                }
              </Shown>
            )
          }
        </Shown>
      </Section>
      <Section title="Capabilities">
        <Shown query={difference}>
          {({ capabilities }) => <CapabilityChanges difference={capabilities} label="Changes of the capabilities" />}
        </Shown>
      </Section>
    </div>
  )
}

const VersionRow = ({
  isLatest,
  object,
  onCompare,
  version
}: {
  readonly object: ConfigObject
  readonly version: ConfigObjectVersion
  readonly isLatest: boolean
  readonly onCompare: () => void
}) => {
  const [isAsking, setAsking] = useState(false)
  const canRestore = !isLatest && object.sourceMode !== "connector" && object.status !== "archived"
  return (
    <tr>
      <td>
        <strong>{version.ordinal}</strong> {isLatest && <Badge>latest</Badge>}
      </td>
      <td>
        <Time at={version.createdAt} />
      </td>
      <td>
        {version.sourceRevisionRef === null ? (
          <Author id={version.createdByOrgMembershipId} />
        ) : (
          <>
            revision <code>{shortRevision(version.sourceRevisionRef)}</code>
          </>
        )}
      </td>
      <td>
        <div className="row">
          <Button kind="quiet" onClick={onCompare}>
            Compare
          </Button>
          {canRestore && (
            <Button kind="quiet" permission="configObjects:write" access="editor" onClick={() => setAsking(true)}>
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
            await client.configObjects.restoreVersion(object.id, version.id)
            notify(`Version ${version.ordinal} was restored as a new version.`)
            await reload(["objects", "plugins", "approvals"])
          }}
        >
          <p>
            A new version with this content is created, and members receive it with the next release of the plugins that
            contain the object. No version is lost.
          </p>
        </Confirm>
      </td>
    </tr>
  )
}

export const Versions = ({ object }: { readonly object: ConfigObject }) => {
  const { from: fromId, to: toId } = useParameters()
  const set = useSetParameters()
  const query = useInfiniteQuery({
    queryKey: ["objects", object.id, "versions"],
    queryFn: ({ pageParam, signal }) =>
      client.configObjects.listVersions(object.id, { limit: 50, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined
  })
  const versions = query.data?.pages.flatMap(({ items }) => items) ?? []
  const to = versions.find(({ id }) => id === toId) ?? versions[0]
  const index = to === undefined ? -1 : versions.indexOf(to)
  const from = versions.find(({ id }) => id === fromId) ?? versions[index + 1]
  if (query.isError) return <Failure error={query.error} retry={() => void query.refetch()} />
  if (to === undefined) return <Skeleton height={200} />
  const options = versions.map((version) => [version.id, titleOf(version)] as const)
  return (
    <div className="stack">
      <div className="change-table list-table" tabIndex={0} role="region" aria-label="Versions">
        <table>
          <thead>
            <tr>
              <th>Version</th>
              <th>Created</th>
              <th>By</th>
              <th>Actions</th>
            </tr>
          </thead>
          <tbody>
            {versions.map((version, each) => (
              <VersionRow
                key={version.id}
                object={object}
                version={version}
                isLatest={each === 0}
                onCompare={() => set({ to: version.id, from: versions[each + 1]?.id })}
              />
            ))}
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
      {versions.length > 1 && (
        <div className="sides">
          <SelectField
            label="Before"
            options={options}
            value={from?.id ?? ""}
            onChange={({ target }) => set({ from: target.value, to: to.id })}
          />
          <SelectField
            label="After"
            options={options}
            value={to.id}
            onChange={({ target }) => set({ to: target.value, from: from?.id })}
          />
        </div>
      )}
      <Compared key={`${from?.id ?? ""} ${to.id}`} object={object} from={from} to={to} />
    </div>
  )
}
