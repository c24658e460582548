/** A template: a form that creates a plugin from it, its content, its versions, and the plugins created from it. */
import type { Template, TemplateInstance, TemplateVersion } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { Link, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { Allowed } from "../../design/allowed.tsx"
import { FormDialog, reload } from "../../design/action.tsx"
import { type Column, DataTable } from "../../design/data-table.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { Facts, Section } from "../../design/facts.tsx"
import { readVersioned, useFormField, useFormVersion, type Versioned } from "../../design/form-version.ts"
import { Tabs } from "../../design/tabs.tsx"
import { plural } from "../../design/text.ts"
import { notify } from "../../design/toast.tsx"
import { Badge, Button, Empty, PageHeader, Time } from "../../design/ui.tsx"
import { Author } from "../../objects/names.tsx"
import { usePathParameter, useSetParameters } from "../../parameters.ts"
import { Loaded } from "./loaded.tsx"
import { Crumb, NameFields } from "./parts.tsx"
import { Use } from "./template-use.tsx"
import { TemplateVersions } from "./template-versions.tsx"
import { filled, labelOf, objectTypes } from "./words.ts"

const EditDialog = ({
  item: template,
  onClose,
  version
}: Versioned<Template> & {
  readonly onClose: () => void
}) => {
  const ifMatch = useFormVersion(version)
  const [name, setName] = useFormField(template.name)
  const [description, setDescription] = useFormField(template.description ?? "")
  return (
    <FormDialog
      title="Rename the template"
      action="Save"
      done="The template was changed."
      changes={["templates"]}
      isOpen
      onClose={onClose}
      fields={["name", "description"]}
      submit={() =>
        client.templates.update(
          template.id,
          { name: name.trim(), description: filled(description) ?? null },
          { ifMatch }
        )
      }
    >
      {(problem) => (
        <NameFields
          nameMax={120}
          name={name}
          description={description}
          onName={setName}
          onDescription={setDescription}
          problem={problem}
        />
      )}
    </FormDialog>
  )
}

const Actions = ({ item: template, version }: Versioned<Template>) => {
  const [asked, setAsked] = useState<"edit" | "remove">()
  const navigate = useNavigate()
  return (
    <>
      <Allowed permission="templates:write">
        <Link className="button" to={`/templates/${template.id}/edit`}>
          Edit the content
        </Link>
      </Allowed>
      <Button permission="templates:write" onClick={() => setAsked("edit")}>
        Rename
      </Button>
      <Button kind="danger" permission="templates:manage" onClick={() => setAsked("remove")}>
        Remove
      </Button>
      {asked === "edit" && <EditDialog item={template} version={version} onClose={() => setAsked(undefined)} />}
      <Confirm
        title={`Remove ${template.name}?`}
        action="Remove the template"
        isOpen={asked === "remove"}
        onClose={() => setAsked(undefined)}
        confirm={async () => {
          await client.templates.remove(template.id)
          notify("The template was removed.")
          await navigate({ to: "/templates" })
          void reload(["templates"])
        }}
      >
        <p>
          The template and its {plural(template.latestVersion.ordinal, "version")} are removed. Plugins that were
          created from it are kept as they are. It cannot be undone.
        </p>
      </Confirm>
    </>
  )
}

export const TemplateContent = ({ content }: { readonly content: TemplateVersion["content"] }) => (
  <div className="stack">
    <Section title="Plugin">
      <Facts
        rows={[
          ["Name", content.plugin.name],
          ["Description", content.plugin.description]
        ]}
      />
    </Section>
    <Section title="Variables">
      {content.variables.length === 0 ? (
        <p className="muted">It has no variables.</p>
      ) : (
        <div
          className="change-table list-table"
          tabIndex={0}
          role="region"
          aria-label="Names and formats of the variables"
        >
          <table>
            <thead>
              <tr>
                <th>Placeholder</th>
                <th>Label</th>
                <th>Format</th>
                <th>Default</th>
              </tr>
            </thead>
            <tbody>
              {content.variables.map(({ default: value, format, label, name, options, required }) => (
                <tr key={name}>
                  <td>
                    <code>{`{{ ${name} }}`}</code> {required && <Badge>required</Badge>}
                  </td>
                  <td>{label}</td>
                  <td>{options === null ? format : options.join(", ")}</td>
                  <td>{value ?? ""}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Section>
    {content.objects.map(({ metadata, normalizedPayloadJson, rawSourceText, type }, index) => {
      const path = metadata?.["relativePath"]
      return (
        <Section key={index} title={`${labelOf(objectTypes, type)} ${index + 1}`}>
          {typeof path === "string" && <code className="muted">{path}</code>}
          <pre className="code" tabIndex={0} role="group" aria-label="Content">
            {rawSourceText ?? JSON.stringify(normalizedPayloadJson, null, 2)}
          </pre>
        </Section>
      )
    })}
  </div>
)

const Instances = ({ template }: { readonly template: Template }) => {
  const set = useSetParameters()
  const latest = template.latestVersion.ordinal
  const columns: ReadonlyArray<Column<TemplateInstance>> = [
    {
      name: "Plugin",
      width: "minmax(0, 2fr)",
      cell: ({ plugin }) => <strong>{plugin.name}</strong>,
      sort: ({ plugin }) => plugin.name
    },
    {
      name: "Version",
      width: "130px",
      cell: ({ version }) =>
        version.ordinal === latest ? (
          <Badge tone="good">{`version ${version.ordinal}`}</Badge>
        ) : (
          <Badge tone="warn">{`version ${version.ordinal} of ${latest}`}</Badge>
        ),
      sort: ({ version }) => version.ordinal
    },
    {
      name: "What is new",
      width: "120px",
      wide: true,
      cell: ({ version }) =>
        version.ordinal === latest ? (
          ""
        ) : (
          <Button
            kind="quiet"
            onClick={(event) => {
              event.stopPropagation()
              set({ tab: "versions", from: version.id, to: template.latestVersion.id })
            }}
          >
            Compare
          </Button>
        )
    },
    {
      name: "Created by",
      width: "minmax(0, 1fr)",
      wide: true,
      cell: ({ createdByOrgMembershipId }) => <Author id={createdByOrgMembershipId} />
    },
    {
      name: "Created",
      width: "130px",
      wide: true,
      cell: ({ createdAt }) => <Time at={createdAt} />,
      sort: ({ createdAt }) => createdAt
    }
  ]
  return (
    <div className="stack">
      <p className="muted">
        Created plugins are independent: they do not change when the template changes or is removed. To take over a
        newer version, compare it, and change the objects of the plugin or create a new one.
      </p>
      <DataTable
        label="Plugins created from the template"
        columns={columns}
        queryKey={["templates", template.id, "instances"]}
        load={(cursor, signal) => client.templates.listInstances(template.id, { limit: 50, cursor }, { signal })}
        idOf={({ plugin }) => plugin.id}
        to={({ plugin }) => `/plugins/${plugin.id}`}
        empty={
          <Empty title="No plugin was created from it yet">
            <Button onClick={() => set({ tab: "use" })}>Create a plugin</Button>
          </Empty>
        }
      />
    </div>
  )
}

export const Page = () => {
  const id = usePathParameter("templateId")
  const query = useQuery({
    queryKey: ["templates", id],
    queryFn: ({ signal }) => readVersioned(client.templates.get(id, { signal }))
  })
  return (
    <Loaded title="Template" query={query}>
      {({ item: { template, version }, version: etag }) => (
        <>
          <Crumb to="/templates">Templates</Crumb>
          <PageHeader
            title={template.name}
            {...(template.description === null ? {} : { description: template.description })}
            actions={<Actions item={template} version={etag} />}
          />
          <Tabs
            tabs={[
              { value: "use", label: "Create a plugin", content: () => <Use key={version.id} version={version} /> },
              { value: "content", label: "Content", content: () => <TemplateContent content={version.content} /> },
              { value: "versions", label: "Versions", content: () => <TemplateVersions template={template} /> },
              { value: "instances", label: "Created plugins", content: () => <Instances template={template} /> }
            ]}
          />
        </>
      )}
    </Loaded>
  )
}
