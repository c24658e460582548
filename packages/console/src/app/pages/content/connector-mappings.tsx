/** Mappings of files and folders of a branch to config objects. Those that an import created follow the repository. */
import type { ConnectorMapping, ObjectType } from "@orgplane/client"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { FormDialog, reload } from "../../design/action.tsx"
import { type Column, DataTable } from "../../design/data-table.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { SelectField } from "../../design/fields.tsx"
import { notify } from "../../design/toast.tsx"
import { Badge, Button, Empty, Field } from "../../design/ui.tsx"
import { Name } from "../../objects/names.tsx"
import { Picker } from "./parts.tsx"
import { MappingDeletions } from "./removals.tsx"
import { labelOf, objectTypes, optionOf } from "./words.ts"

const isImported = ({ mappingConfigJson }: ConnectorMapping) => mappingConfigJson?.["candidateKey"] !== undefined

const MappingDialog = ({
  mapping,
  onClose,
  targetId
}: {
  readonly targetId: string
  /** Undefined for a new one. */
  readonly mapping: ConnectorMapping | undefined
  readonly onClose: () => void
}) => {
  const [selector, setSelector] = useState(mapping?.selector ?? "")
  const [objectType, setObjectType] = useState<ObjectType>(mapping?.objectType ?? "skill")
  const [pluginId, setPluginId] = useState<string | null>(mapping?.pluginId ?? null)
  const input = { selector: selector.trim(), objectType, pluginId, autoAddToPlugin: pluginId !== null }
  return (
    <FormDialog
      title={mapping === undefined ? "Add a mapping" : "Edit the mapping"}
      description="A file or folder of the branch becomes config objects of one type. A sync imports them at once."
      action={mapping === undefined ? "Add the mapping" : "Save"}
      done={mapping === undefined ? "The mapping was added, and a sync was queued." : "The mapping was changed."}
      changes={["connectors"]}
      isOpen
      onClose={onClose}
      fields={["selector", "objectType", "pluginId"]}
      submit={() =>
        mapping === undefined
          ? client.connectors.createMapping(targetId, input)
          : client.connectors.updateMapping(mapping.id, input)
      }
    >
      {(problem) => (
        <>
          <Field
            label="File or folder"
            hint="For example skills/review, or . for the whole repository."
            required
            maxLength={255}
            value={selector}
            problem={problem("selector")}
            onChange={({ target }) => setSelector(target.value)}
          />
          <SelectField
            label="Type of the config objects"
            options={objectTypes}
            value={objectType}
            problem={problem("objectType")}
            onChange={({ target }) => setObjectType(optionOf(objectTypes, target.value, "skill"))}
          />
          <Picker
            label="Plugin that they are added to (optional)"
            isRequired={false}
            queryKey={["plugins", "pick"]}
            load={(page, signal) => client.plugins.list(page, { signal })}
            idOf={({ id }) => id}
            nameOf={({ description, name }) => ({ name, detail: description ?? "" })}
            value={pluginId ?? undefined}
            onChange={setPluginId}
          />
          {pluginId !== null && (
            <div className="row">
              <Button kind="quiet" onClick={() => setPluginId(null)}>
                Add them to no plugin
              </Button>
            </div>
          )}
        </>
      )}
    </FormDialog>
  )
}

export const Mappings = ({ targetId }: { readonly targetId: string }) => {
  const [edited, setEdited] = useState<ConnectorMapping>()
  const [isAdding, setAdding] = useState(false)
  const [deleted, setDeleted] = useState<ConnectorMapping>()
  const columns: ReadonlyArray<Column<ConnectorMapping>> = [
    {
      name: "File or folder",
      width: "minmax(0, 2fr)",
      cell: ({ selector }) => <code title={selector}>{selector}</code>,
      sort: ({ selector }) => selector
    },
    {
      name: "Type",
      width: "110px",
      wide: true,
      cell: ({ objectType }) => <Badge>{labelOf(objectTypes, objectType)}</Badge>,
      sort: ({ objectType }) => objectType
    },
    {
      name: "Plugin",
      width: "minmax(0, 1fr)",
      wide: true,
      cell: ({ pluginId }) =>
        pluginId === null ? <span className="muted">none</span> : <Name kind="plugin" id={pluginId} />
    },
    {
      name: "Actions",
      width: "150px",
      cell: (mapping) =>
        isImported(mapping) ? (
          <span className="muted">from an import</span>
        ) : (
          <>
            <Button kind="quiet" permission="connectors:write" access="editor" onClick={() => setEdited(mapping)}>
              Edit
            </Button>
            <Button kind="quiet" permission="connectors:manage" access="manager" onClick={() => setDeleted(mapping)}>
              Delete
            </Button>
          </>
        )
    }
  ]
  return (
    <div className="stack">
      <div className="row spread">
        <h3 className="part">Mappings</h3>
        <Button permission="connectors:write" access="editor" onClick={() => setAdding(true)}>
          Add a mapping
        </Button>
      </div>
      <DataTable
        label="Mappings"
        columns={columns}
        queryKey={["connectors", targetId, "mappings"]}
        load={(cursor, signal) => client.connectors.listMappings(targetId, { limit: 100, cursor }, { signal })}
        idOf={({ id }) => id}
        empty={
          <Empty title="There are no mappings">
            <p>An import creates them. Add one to import files that no manifest lists.</p>
          </Empty>
        }
      />
      {(isAdding || edited !== undefined) && (
        <MappingDialog
          key={edited?.id ?? "new"}
          targetId={targetId}
          mapping={edited}
          onClose={() => {
            setAdding(false)
            setEdited(undefined)
          }}
        />
      )}
      <Confirm
        title="Delete this mapping?"
        action="Delete the mapping"
        isOpen={deleted !== undefined}
        onClose={() => setDeleted(undefined)}
        confirm={async () => {
          if (deleted === undefined) return
          await client.connectors.deleteMapping(deleted.id)
          notify("The mapping was deleted.")
          await reload(["connectors", "plugins", "objects"])
        }}
      >
        <p>
          Config objects that come only from <code>{deleted?.selector}</code> are deleted at once, for everyone.
        </p>
        {deleted !== undefined && <MappingDeletions mappingId={deleted.id} />}
      </Confirm>
    </div>
  )
}
