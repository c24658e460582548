/** The form of a template, made from its variables, with a preview of what it creates. */
import type { TemplatePreview, TemplateVariable, TemplateVersion } from "@orgplane/client"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { Facts, Section } from "../../design/facts.tsx"
import { initialOf, type JsonSchema, problemsOf } from "../../design/json-schema.ts"
import { SchemaForm } from "../../design/schema-form.tsx"
import { notify } from "../../design/toast.tsx"
import { Badge, Button, Failure, Field, Notice } from "../../design/ui.tsx"
import { PageForm } from "./parts.tsx"
import { isMarkdown, Rendered } from "./source.tsx"
import { filled, labelOf, objectTypes } from "./words.ts"

const hints: Readonly<Record<TemplateVariable["format"], string>> = {
  line: "",
  text: "",
  slug: "Lowercase letters, digits and single hyphens.",
  email: "An email address.",
  url: "An http or https URL."
}

const formats: Readonly<Partial<Record<TemplateVariable["format"], string>>> = {
  text: "multiline",
  email: "email",
  url: "uri"
}

const valueMax = 8000

const propertyOf = ({ default: value, description, format, label, options }: TemplateVariable): JsonSchema => {
  const text = [description ?? "", hints[format]].filter((each) => each !== "").join(" ")
  const kept = formats[format]
  return {
    type: "string",
    title: label,
    ...(text === "" ? {} : { description: text }),
    ...(value === null ? {} : { default: value }),
    ...(options === null ? (format === "text" ? { maxLength: valueMax } : {}) : { enum: options }),
    ...(kept === undefined ? {} : { format: kept })
  }
}

const schemaOfVariables = (variables: ReadonlyArray<TemplateVariable>): JsonSchema => ({
  type: "object",
  properties: Object.fromEntries(variables.map((variable) => [variable.name, propertyOf(variable)])),
  required: variables.filter((variable) => variable.required && variable.default === null).map(({ name }) => name)
})

const Previewed = ({ preview }: { readonly preview: TemplatePreview }) => (
  <Section title="Preview">
    <Facts
      rows={[
        ["Plugin", preview.plugin.name],
        ["Description", preview.plugin.description]
      ]}
    />
    {preview.configObjects.map((object, index) => (
      <article key={index} className="card stack" aria-label={object.title}>
        <div className="row spread">
          <h3 className="part">{object.title}</h3>
          <Badge>{labelOf(objectTypes, object.objectType)}</Badge>
        </div>
        {object.currentRelativePath !== null && <code className="muted">{object.currentRelativePath}</code>}
        <Rendered
          text={object.rawSourceText ?? JSON.stringify(object.normalizedPayloadJson, null, 2)}
          isText={
            object.rawSourceText !== null &&
            isMarkdown({
              objectType: object.objectType,
              currentRelativePath: object.currentRelativePath,
              currentFileExtension: null
            })
          }
        />
      </article>
    ))}
  </Section>
)

export const Use = ({ version }: { readonly version: TemplateVersion }) => {
  const schema = schemaOfVariables(version.content.variables)
  const [values, setValues] = useState(() => initialOf(schema))
  const [name, setName] = useState("")
  const [preview, setPreview] = useState<TemplatePreview>()
  const [error, setError] = useState<unknown>()
  const [problems, setProblems] = useState<ReadonlyArray<string>>([])
  const navigate = useNavigate()
  const input = () => ({
    versionId: version.id,
    name: filled(name),
    variables: Object.fromEntries(
      Object.entries(values).flatMap(([key, value]) => (typeof value === "string" ? [[key, value] as const] : []))
    )
  })
  const isComplete = () => {
    const found = problemsOf(schema, values)
    setProblems(found)
    return found.length === 0
  }
  const show = async () => {
    if (!isComplete()) return
    setError(undefined)
    try {
      setPreview(await client.templates.preview(version.templateId, input()))
    } catch (cause) {
      setPreview(undefined)
      setError(cause)
    }
  }
  const submit = async () => {
    if (!isComplete()) return
    const { plugin } = await client.templates.instantiate(version.templateId, input())
    notify("The plugin was created.")
    await navigate({ to: `/plugins/${plugin.id}`, ignoreBlocker: true })
  }
  return (
    <div className="sides">
      <Section title={`Version ${version.ordinal}`}>
        <PageForm
          action="Create the plugin"
          changes={["templates", "plugins", "objects"]}
          fields={["name"]}
          submit={submit}
        >
          {(problem) => (
            <>
              <Field
                label="Name of the plugin (optional)"
                hint={`Default: ${version.content.plugin.name}`}
                maxLength={255}
                value={name}
                problem={problem("name")}
                onChange={({ target }) => setName(target.value)}
              />
              {version.content.variables.length > 0 && (
                <SchemaForm schema={schema} value={values} onChange={setValues} />
              )}
              <p className="muted">
                The values become part of content that others can read, so do not enter secrets. The plugin is private,
                and you are its manager.
              </p>
              {problems.length > 0 && (
                <Notice title="Some values are missing" tone="bad">
                  {problems.map((each) => (
                    <span key={each}>{each}</span>
                  ))}
                </Notice>
              )}
              <div className="row">
                <Button onClick={() => void show()}>Preview</Button>
              </div>
            </>
          )}
        </PageForm>
      </Section>
      <div className="stack">
        {error !== undefined && <Failure error={error} />}
        {preview === undefined ? (
          <Section title="Preview">
            <p className="muted">Fill in the form to see what it creates. A preview changes nothing.</p>
          </Section>
        ) : (
          <Previewed preview={preview} />
        )}
      </div>
    </div>
  )
}
