/** Creates a template, or a new version of one after a look at the difference. */
import type { Template, TemplateContentInput, TemplateVersion } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { Section } from "../../design/facts.tsx"
import { Checkbox, SelectField, TextArea } from "../../design/fields.tsx"
import { readVersioned, useFormField } from "../../design/form-version.ts"
import { notify } from "../../design/toast.tsx"
import { Button, Field, PageHeader } from "../../design/ui.tsx"
import { usePathParameter } from "../../parameters.ts"
import { Loaded } from "./loaded.tsx"
import { NewerVersion, useBaseVersion } from "./newer-version.tsx"
import { Crumb, NameFields, PageForm } from "./parts.tsx"
import { ContentDifference } from "./template-versions.tsx"
import { filled, objectTypes, optionOf } from "./words.ts"

type Content = TemplateVersion["content"]
type TemplateObject = Content["objects"][number]
type Variable = Content["variables"][number]

const formats: ReadonlyArray<readonly [value: Variable["format"], label: string]> = [
  ["line", "One line"],
  ["text", "Text of several lines"],
  ["slug", "Name such as my-skill"],
  ["email", "Email address"],
  ["url", "URL"]
]

const emptyContent: Content = {
  plugin: { name: "", description: null },
  objects: [
    {
      type: "skill",
      rawSourceText: "---\nname: {{ slug }}\ndescription: What it does\n---\n\nText for {{ team }}.\n",
      normalizedPayloadJson: null,
      parserMode: null,
      schemaVersion: null,
      metadata: { relativePath: "skills/{{ slug }}/SKILL.md" }
    }
  ],
  variables: [
    { name: "team", label: "Team", description: null, required: true, default: null, format: "line", options: null },
    {
      name: "slug",
      label: "Name of the skill",
      description: null,
      required: true,
      default: null,
      format: "slug",
      options: null
    }
  ]
}

const newObject: TemplateObject = {
  type: "skill",
  rawSourceText: "",
  normalizedPayloadJson: null,
  parserMode: null,
  schemaVersion: null,
  metadata: null
}

const inputOf = ({ objects, plugin, variables }: Content): TemplateContentInput => ({
  plugin,
  variables,
  objects: objects.map(({ metadata, normalizedPayloadJson, parserMode, rawSourceText, schemaVersion, type }) => ({
    type,
    rawSourceText: rawSourceText ?? undefined,
    normalizedPayloadJson: normalizedPayloadJson ?? undefined,
    parserMode: parserMode ?? undefined,
    schemaVersion: schemaVersion ?? undefined,
    metadata: metadata ?? undefined
  }))
})

/** The list with another element at an index; without the element if there is none. */
const replaced = <A,>(list: ReadonlyArray<A>, index: number, value: A | undefined): ReadonlyArray<A> =>
  list.flatMap((each, at) => (at === index ? (value === undefined ? [] : [value]) : [each]))

const VariableFields = ({
  onChange,
  variable
}: {
  readonly variable: Variable
  readonly onChange: (variable: Variable | undefined) => void
}) => (
  <fieldset className="stack">
    <legend>
      <code>{`{{ ${variable.name} }}`}</code>
    </legend>
    <div className="sides">
      <Field
        label="Name in placeholders"
        required
        maxLength={64}
        value={variable.name}
        onChange={({ target }) => onChange({ ...variable, name: target.value })}
      />
      <Field
        label="Label in the form"
        required
        maxLength={120}
        value={variable.label}
        onChange={({ target }) => onChange({ ...variable, label: target.value })}
      />
      <SelectField
        label="Format"
        options={formats}
        value={variable.format}
        onChange={({ target }) => onChange({ ...variable, format: optionOf(formats, target.value, "line") })}
      />
      <Field
        label="Default (optional)"
        maxLength={8000}
        value={variable.default ?? ""}
        onChange={({ target }) => onChange({ ...variable, default: target.value === "" ? null : target.value })}
      />
      <Field
        label="Description (optional)"
        maxLength={2000}
        value={variable.description ?? ""}
        onChange={({ target }) => onChange({ ...variable, description: target.value === "" ? null : target.value })}
      />
      <TextArea
        label="Allowed values (optional)"
        hint="One per line. Default: any value."
        rows={2}
        value={variable.options?.join("\n") ?? ""}
        onChange={({ target }) =>
          onChange({ ...variable, options: target.value === "" ? null : target.value.split("\n") })
        }
      />
    </div>
    <Checkbox
      label="Required"
      isChecked={variable.required}
      onChange={(required) => onChange({ ...variable, required })}
    />
    <div className="row">
      <Button onClick={() => onChange(undefined)}>Remove the variable</Button>
    </div>
  </fieldset>
)

const ObjectFields = ({
  index,
  object,
  onChange
}: {
  readonly object: TemplateObject
  readonly index: number
  readonly onChange: (object: TemplateObject | undefined) => void
}) => {
  const path = object.metadata?.["relativePath"]
  return (
    <fieldset className="stack">
      <legend>Object {index + 1}</legend>
      <div className="sides">
        <SelectField
          label="Type"
          options={objectTypes}
          value={object.type}
          onChange={({ target }) => onChange({ ...object, type: optionOf(objectTypes, target.value, object.type) })}
        />
        <Field
          label="Path in the plugin (optional)"
          maxLength={500}
          value={typeof path === "string" ? path : ""}
          onChange={({ target }) => {
            const { relativePath: _, ...others } = object.metadata ?? {}
            onChange({
              ...object,
              metadata: target.value === "" ? others : { ...others, relativePath: target.value }
            })
          }}
        />
      </div>
      {object.rawSourceText === null ? (
        <p className="muted">Its content is a JSON payload, which only the API can change.</p>
      ) : (
        <TextArea
          label="Content"
          rows={10}
          spellCheck={false}
          value={object.rawSourceText}
          onChange={({ target }) => onChange({ ...object, rawSourceText: target.value })}
        />
      )}
      <div className="row">
        <Button onClick={() => onChange(undefined)}>Remove the object</Button>
      </div>
    </fieldset>
  )
}

const Editor = ({
  current
}: {
  /** Undefined for a new template. */
  readonly current?: { readonly template: Template; readonly version: TemplateVersion }
}) => {
  const [name, setName] = useState("")
  const [description, setDescription] = useState("")
  const [content, setContent] = useFormField<Content>(current?.version.content ?? emptyContent)
  const { base, change, check, isLoaded } = useBaseVersion(current?.version ?? null, async () =>
    current === undefined ? null : (await client.templates.get(current.template.id)).version
  )
  const navigate = useNavigate()
  const { objects, plugin, variables } = content
  const submit = async () => {
    if (current === undefined) {
      const { template } = await client.templates.create({
        name: name.trim(),
        description: filled(description) ?? null,
        content: inputOf(content)
      })
      notify("The template was created.")
      await navigate({ to: `/templates/${template.id}`, ignoreBlocker: true })
      return
    }
    const { id } = current.template
    await check()
    const version = await client.templates.createVersion(id, { content: inputOf(content) })
    notify(version.id === base?.id ? "The content is the same, so no version was created." : "The version was saved.")
    await navigate({ to: `/templates/${id}`, search: { tab: "versions" }, ignoreBlocker: true })
  }
  return (
    <PageForm
      action={current === undefined ? "Create the template" : "Save as a new version"}
      changes={["templates"]}
      fields={["description"]}
      isDirty={content !== (base?.content ?? emptyContent) || name !== "" || description !== ""}
      submit={submit}
    >
      {(problem) => (
        <>
          {current === undefined && (
            <Section title="Template">
              <NameFields
                nameMax={120}
                name={name}
                description={description}
                onName={setName}
                onDescription={setDescription}
                problem={problem}
              />
            </Section>
          )}
          <Section title="Plugin">
            <p className="muted">
              A placeholder such as <code>{"{{ team }}"}</code> is replaced by the value of a variable. Write{" "}
              <code>{"{{{{"}</code> for <code>{"{{"}</code>.
            </p>
            <Field
              label="Name of the plugin"
              required
              maxLength={255}
              value={plugin.name}
              onChange={({ target }) => setContent({ ...content, plugin: { ...plugin, name: target.value } })}
            />
            <Field
              label="Description of the plugin (optional)"
              maxLength={2000}
              value={plugin.description ?? ""}
              onChange={({ target }) =>
                setContent({
                  ...content,
                  plugin: { ...plugin, description: target.value === "" ? null : target.value }
                })
              }
            />
          </Section>
          <Section
            title="Variables"
            actions={
              <Button
                onClick={() =>
                  setContent({
                    ...content,
                    variables: [
                      ...variables,
                      {
                        name: `value${variables.length + 1}`,
                        label: `Value ${variables.length + 1}`,
                        description: null,
                        required: false,
                        default: null,
                        format: "line",
                        options: null
                      }
                    ]
                  })
                }
              >
                Add a variable
              </Button>
            }
          >
            {variables.length === 0 && <p className="muted">It has no variables.</p>}
            {variables.map((variable, index) => (
              <VariableFields
                key={index}
                variable={variable}
                onChange={(next) => setContent({ ...content, variables: replaced(variables, index, next) })}
              />
            ))}
          </Section>
          <Section
            title="Objects"
            actions={
              <Button onClick={() => setContent({ ...content, objects: [...objects, newObject] })}>
                Add an object
              </Button>
            }
          >
            {objects.map((object, index) => (
              <ObjectFields
                key={index}
                index={index}
                object={object}
                onChange={(next) => setContent({ ...content, objects: replaced(objects, index, next) })}
              />
            ))}
          </Section>
          {base !== null && (
            <details>
              <summary>Difference from version {base.ordinal}</summary>
              <ContentDifference before={base.content} after={content} />
            </details>
          )}
          {change !== undefined && change.before !== null && content !== base?.content && (
            <NewerVersion ordinal={change.after.ordinal} isLoaded={isLoaded}>
              <ContentDifference before={change.before.content} after={change.after.content} noun="Change" />
            </NewerVersion>
          )}
        </>
      )}
    </PageForm>
  )
}

export const Page = () => {
  const id = usePathParameter("templateId")
  const query = useQuery({
    queryKey: ["templates", id],
    queryFn: ({ signal }) => readVersioned(client.templates.get(id, { signal })),
    enabled: id !== "",
    refetchOnWindowFocus: false
  })
  if (id === "") {
    return (
      <>
        <Crumb to="/templates">Templates</Crumb>
        <PageHeader title="Create a template" description="Plugins are created from it by filling in its variables." />
        <Editor />
      </>
    )
  }
  return (
    <>
      <Crumb to={`/templates/${id}`}>Template</Crumb>
      <Loaded title="Edit the template" query={query}>
        {({ item: current }) => (
          <>
            <PageHeader
              title={`Edit ${current.template.name}`}
              description="Saving creates a new version. Plugins that exist do not change."
            />
            <Editor key={current.template.id} current={current} />
          </>
        )}
      </Loaded>
    </>
  )
}
