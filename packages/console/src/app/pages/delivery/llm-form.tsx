/** The forms that add and edit an LLM provider. Keys are set in a form of their own. */
import type { CreateLlmProvider, LlmApiFormat, LlmProvider } from "@orgplane/client"
import { useNavigate } from "@tanstack/react-router"
import { client } from "../../api/client.ts"
import { FormDialog } from "../../design/action.tsx"
import { SelectField, TextArea } from "../../design/fields.tsx"
import { useFormField, useFormVersion } from "../../design/form-version.ts"
import { Field, Notice } from "../../design/ui.tsx"
import { apiFormatOf, apiFormats, credentialModeOf, credentialModes } from "./llm-words.ts"
import { Picker } from "../../objects/picker.tsx"
import "./delivery.css"

type JsonValues = NonNullable<CreateLlmProvider["options"]>

const linesOf = (text: string): ReadonlyArray<string> =>
  text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]))

const headersText = (headers: LlmProvider["headers"]) =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n")

/** Undefined if a line is not a header. */
const headersOf = (text: string): Readonly<Record<string, string>> | undefined => {
  const pairs = linesOf(text).map((line) => /^([^:\s]+):\s*(.*)$/.exec(line))
  if (pairs.some((pair) => pair === null)) return undefined
  return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? "", pair?.[2] ?? ""]))
}

const isValues = (value: unknown): value is JsonValues =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Undefined if the text is not a JSON object. */
const optionsOf = (text: string): JsonValues | undefined => {
  if (text.trim() === "") return {}
  try {
    const value: unknown = JSON.parse(text)
    return isValues(value) ? value : undefined
  } catch {
    return undefined
  }
}

const changes = ["llm-providers"]

export const LlmProviderDialog = ({
  etag,
  isOpen,
  onClose,
  provider
}: {
  /** The provider to edit; without it, a new one is added. */
  readonly provider?: LlmProvider
  readonly etag?: string | undefined
  readonly isOpen: boolean
  readonly onClose: () => void
}) => {
  const navigate = useNavigate()
  const ifMatch = useFormVersion(etag)
  const [source, setSource] = useFormField(provider?.providerId === "custom" ? "custom" : "catalog")
  const [catalogId, setCatalogId] = useFormField(provider?.providerId === "custom" ? undefined : provider?.providerId)
  const [name, setName] = useFormField(provider?.name ?? "")
  const [baseUrl, setBaseUrl] = useFormField(provider?.baseUrl ?? "")
  const [apiFormat, setApiFormat] = useFormField<LlmApiFormat | undefined>(provider?.apiFormat)
  const [credentialMode, setMode] = useFormField(provider?.credentialMode ?? "shared")
  const [env, setEnv] = useFormField((provider?.env ?? []).join("\n"))
  const [headers, setHeaders] = useFormField(headersText(provider?.headers ?? {}))
  const [options, setOptions] = useFormField(
    provider === undefined || Object.keys(provider.options).length === 0
      ? ""
      : JSON.stringify(provider.options, null, 2)
  )
  const providerId = source === "custom" ? "custom" : (catalogId ?? "")
  const headersInput = headersOf(headers)
  const optionsInput = optionsOf(options)
  const deletesKeys =
    provider !== undefined &&
    (provider.providerId !== providerId ||
      (baseUrl.trim() !== "" && (provider.baseUrl ?? "") !== baseUrl.trim()) ||
      provider.credentialMode !== credentialMode)
  const input = (): CreateLlmProvider => {
    if (headersInput === undefined || optionsInput === undefined) throw new Error("Correct the marked fields first.")
    const isChanged = (field: "baseUrl" | "apiFormat" | "env", value: unknown, empty: unknown) =>
      provider === undefined ? value !== empty : JSON.stringify(provider[field] ?? empty) !== JSON.stringify(value)
    return {
      name: name.trim(),
      providerId,
      credentialMode,
      ...(baseUrl.trim() !== "" && isChanged("baseUrl", baseUrl.trim(), "") ? { baseUrl: baseUrl.trim() } : {}),
      ...(apiFormat !== undefined && isChanged("apiFormat", apiFormat, undefined) ? { apiFormat } : {}),
      ...(env.trim() !== "" && isChanged("env", linesOf(env), []) ? { env: linesOf(env) } : {}),
      headers: headersInput,
      options: optionsInput
    }
  }
  return (
    <FormDialog
      title={provider === undefined ? "Add an LLM provider" : "Edit the LLM provider"}
      action={provider === undefined ? "Add the provider" : "Save the provider"}
      done={
        provider === undefined
          ? "The provider was added. Set its key and grant access next."
          : "The provider was changed."
      }
      changes={changes}
      isOpen={isOpen}
      onClose={onClose}
      submit={async () => {
        if (provider !== undefined) return client.llmProviders.update(provider.id, input(), { ifMatch })
        const { id } = await client.llmProviders.create(input())
        void navigate({ to: `/llm-providers/${id}` })
        return undefined
      }}
    >
      {(problem) => (
        <>
          <div className="two-columns">
            <Field
              label="Name"
              required
              maxLength={255}
              value={name}
              onChange={({ target }) => setName(target.value)}
              problem={problem("name")}
            />
            <SelectField
              label="Provider"
              value={source}
              options={[
                ["catalog", "From the model catalog"],
                ["custom", "Your own URL"]
              ]}
              onChange={({ target }) => setSource(target.value)}
            />
            {source === "catalog" && (
              <Picker
                kind="catalogProvider"
                label="Provider of the catalog"
                value={catalogId}
                onChange={setCatalogId}
                problem={problem("providerId")}
              />
            )}
            <Field
              label={source === "custom" ? "URL" : "URL (optional)"}
              type="url"
              required={source === "custom"}
              maxLength={2000}
              placeholder="https://llm.example/v1"
              value={baseUrl}
              onChange={({ target }) => setBaseUrl(target.value)}
              hint={source === "custom" ? "HTTPS, with a public address." : "Default: the URL of the catalog."}
              problem={problem("baseUrl")}
            />
            <SelectField
              label="API format"
              value={apiFormat ?? ""}
              options={provider === undefined ? [["", "Default"], ...apiFormats] : apiFormats}
              onChange={({ target }) => setApiFormat(apiFormatOf(target.value))}
              problem={problem("apiFormat")}
            />
            <SelectField
              label="Key"
              value={credentialMode}
              options={(["shared", "per_member", "none"] as const).map(
                (mode) => [mode, credentialModes[mode].label] as const
              )}
              onChange={({ target }) => setMode(credentialModeOf(target.value))}
              hint={credentialModes[credentialMode].meaning}
              problem={problem("credentialMode")}
            />
          </div>
          {deletesKeys && provider.credentialMode !== "none" && (
            <Notice title="The stored keys will be deleted" tone="warn">
              <span>They were set for the provider, the URL and the kind of key that are saved now.</span>
            </Notice>
          )}
          <TextArea
            label="Environment variables (optional)"
            hint="The names from which the library of the provider reads the key, one per line. Default: those of the catalog."
            rows={2}
            value={env}
            onChange={({ target }) => setEnv(target.value)}
            problem={problem("env")}
          />
          <TextArea
            label="Headers (optional)"
            hint="Name: value, one per line, at most 16. Everyone with a grant can read them, so they must not contain secrets."
            rows={2}
            value={headers}
            onChange={({ target }) => setHeaders(target.value)}
            problem={headersInput === undefined ? "Each line must be a name, a colon and a value." : problem("headers")}
          />
          <TextArea
            label="Options (optional)"
            hint="JSON for the library of the provider. It must not contain secrets."
            rows={2}
            spellCheck={false}
            value={options}
            onChange={({ target }) => setOptions(target.value)}
            problem={optionsInput === undefined ? "This is not a JSON object." : problem("options")}
          />
        </>
      )}
    </FormDialog>
  )
}
