/** The models of a provider that members can use. */
import type { EnabledLlmModel, LlmProvider } from "@orgplane/client"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { FormDialog } from "../../design/action.tsx"
import { Checkbox, SelectField, TextArea } from "../../design/fields.tsx"
import { Section } from "../../design/facts.tsx"
import { useFormField, useFormVersion } from "../../design/form-version.ts"
import { Badge, Button, Failure, Field } from "../../design/ui.tsx"
import { capabilityLabel, costText, tokensText } from "./llm-words.ts"
import { SimpleTable } from "../../design/simple-table.tsx"
import "./delivery.css"

const catalogMax = 100

const useCatalog = (provider: LlmProvider, q: string, enabled: boolean) =>
  useQuery({
    queryKey: ["llm-catalog", "models", provider.providerId, q],
    queryFn: ({ signal }) =>
      client.llmProviders.listCatalog(
        { providerId: provider.providerId, limit: catalogMax, ...(q === "" ? {} : { q }) },
        { signal }
      ),
    enabled: enabled && provider.providerId !== "custom"
  })

const ModelsDialog = ({
  etag,
  isOpen,
  onClose,
  provider
}: {
  readonly provider: LlmProvider
  readonly etag: string | undefined
  readonly isOpen: boolean
  readonly onClose: () => void
}) => {
  const ifMatch = useFormVersion(etag)
  const [isAll, setAll] = useFormField(provider.models === null)
  const [ids, setIds] = useFormField<ReadonlyArray<string>>((provider.models ?? []).map(({ id }) => id))
  const [q, setQ] = useState("")
  const catalog = useCatalog(provider, q.trim(), isOpen && !isAll)
  const isCustom = provider.providerId === "custom"
  const kept = new Map((provider.models ?? []).map((model) => [model.id, model]))
  const toggle = (id: string, isChecked: boolean) =>
    setIds(isChecked ? [...ids, id] : ids.filter((each) => each !== id))
  const listed = catalog.data?.items ?? []
  return (
    <FormDialog
      title="Select the models"
      description="orgplane does not enforce the list: the provider decides what a key can do."
      action="Save the models"
      done="The models were saved."
      changes={["llm-providers"]}
      isOpen={isOpen}
      onClose={onClose}
      submit={() =>
        client.llmProviders.update(
          provider.id,
          { models: isAll ? null : ids.map((id) => kept.get(id) ?? { id }) },
          { ifMatch }
        )
      }
    >
      {(problem) => (
        <>
          <SelectField
            label="Models"
            value={isAll ? "all" : "selected"}
            options={[
              ["all", "All models of the provider, now and later"],
              ["selected", "Only selected models"]
            ]}
            onChange={({ target }) => setAll(target.value === "all")}
            problem={problem("models")}
          />
          {!isAll && (
            <>
              <TextArea
                label="Selected models"
                hint="IDs of the provider, one per line."
                rows={4}
                spellCheck={false}
                value={ids.join("\n")}
                onChange={({ target }) =>
                  setIds(target.value === "" ? [] : [...new Set(target.value.split("\n").map((id) => id.trim()))])
                }
              />
              {!isCustom && (
                <>
                  <Field
                    label="Search the catalog"
                    type="search"
                    maxLength={100}
                    value={q}
                    onChange={({ target }) => setQ(target.value)}
                  />
                  {catalog.isError && <Failure error={catalog.error} retry={() => void catalog.refetch()} />}
                  <fieldset className="two-columns model-choices">
                    <legend>Models of the catalog</legend>
                    {listed.map(({ id, name }) => (
                      <Checkbox
                        key={id}
                        label={name}
                        hint={id}
                        isChecked={ids.includes(id)}
                        onChange={(isChecked) => toggle(id, isChecked)}
                      />
                    ))}
                    {catalog.isSuccess && listed.length === 0 && <p className="muted">No model matches.</p>}
                  </fieldset>
                  {catalog.data?.nextCursor != null && (
                    <p className="muted">The first {catalogMax} are shown. Search for others.</p>
                  )}
                </>
              )}
            </>
          )}
        </>
      )}
    </FormDialog>
  )
}

const nameOf = ({ id, label }: EnabledLlmModel, names: ReadonlyMap<string, string>) => label ?? names.get(id) ?? id

export const Models = ({ etag, provider }: { readonly provider: LlmProvider; readonly etag: string | undefined }) => {
  const [editing, setEditing] = useState(0)
  const [isOpen, setOpen] = useState(false)
  const catalog = useCatalog(provider, "", provider.models !== null)
  const known = new Map((catalog.data?.items ?? []).map((model) => [model.id, model]))
  const names = new Map((catalog.data?.items ?? []).map(({ id, name }) => [id, name]))
  return (
    <Section
      title="Models"
      actions={
        <Button
          permission="llmProviders:write"
          access="manager"
          onClick={() => {
            setEditing(editing + 1)
            setOpen(true)
          }}
        >
          Select the models
        </Button>
      }
    >
      {provider.models === null ? (
        <p>All models of the provider, now and later.</p>
      ) : provider.models.length === 0 ? (
        <p>No models: no member can use this provider.</p>
      ) : (
        <SimpleTable
          label="Selected models"
          columns={[
            {
              name: "Model",
              cell: (model) => (
                <>
                  <strong>{nameOf(model, names)}</strong> <code className="muted">{model.id}</code>
                </>
              )
            },
            {
              name: "Capabilities",
              cell: ({ capabilities, id }) => (
                <span className="row">
                  {(capabilities ?? known.get(id)?.capabilities ?? []).map((each) => (
                    <Badge key={each}>{capabilityLabel(each)}</Badge>
                  ))}
                </span>
              )
            },
            {
              name: "Context",
              isNumber: true,
              cell: ({ contextLimit, id }) => tokensText(contextLimit ?? known.get(id)?.contextLimit ?? null)
            },
            { name: "US$ per million", isNumber: true, cell: ({ id }) => costText(known.get(id)?.cost ?? null) }
          ]}
          rows={provider.models}
          idOf={({ id }) => id}
        />
      )}
      <ModelsDialog key={editing} provider={provider} etag={etag} isOpen={isOpen} onClose={() => setOpen(false)} />
    </Section>
  )
}
