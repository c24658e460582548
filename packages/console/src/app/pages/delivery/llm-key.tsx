/** The key of a provider, which is set and deleted but never shown, and its test. */
import type { LlmProvider, LlmProviderTest } from "@orgplane/client"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { FormDialog, reload } from "../../design/action.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { Facts, Section } from "../../design/facts.tsx"
import { notify } from "../../design/toast.tsx"
import { Badge, Button, Failure, Field, Notice } from "../../design/ui.tsx"
import { credentialModes } from "./llm-words.ts"
import "./delivery.css"

const KeyDialog = ({
  isOpen,
  onClose,
  provider
}: {
  readonly provider: LlmProvider
  readonly isOpen: boolean
  readonly onClose: () => void
}) => {
  const [apiKey, setApiKey] = useState("")
  return (
    <FormDialog
      title={provider.credentialMode === "shared" ? "Set the shared key" : "Set your key"}
      description="It is stored encrypted and replaces the previous one. It is not shown again."
      action="Set the key"
      done="The key was set. Test the connection next."
      changes={["llm-providers"]}
      isOpen={isOpen}
      onClose={onClose}
      submit={() => client.llmProviders.setCredential(provider.id, { apiKey })}
      fields={["apiKey"]}
    >
      {(problem) => (
        <Field
          label="API key"
          type="password"
          autoComplete="off"
          required
          maxLength={10_000}
          value={apiKey}
          onChange={({ target }) => setApiKey(target.value)}
          problem={problem("apiKey")}
        />
      )}
    </FormDialog>
  )
}

export const Key = ({ provider }: { readonly provider: LlmProvider }) => {
  const [setting, setSetting] = useState(0)
  const [open, setOpen] = useState<"set" | "remove">()
  const { connectedForMe, credentialMode, id } = provider
  const isShared = credentialMode === "shared"
  const close = () => setOpen(undefined)
  return (
    <Section
      title="Key"
      actions={
        credentialMode === "none" ? undefined : (
          <>
            <Button
              access="manager"
              onClick={() => {
                setSetting(setting + 1)
                setOpen("set")
              }}
            >
              {connectedForMe ? "Replace the key" : "Set the key"}
            </Button>
            {connectedForMe && (
              <Button access="manager" kind="danger" onClick={() => setOpen("remove")}>
                Delete the key
              </Button>
            )}
          </>
        )
      }
    >
      <p>
        {credentialModes[credentialMode].meaning}{" "}
        {credentialMode !== "none" && (
          <Badge tone={connectedForMe ? "good" : "warn"}>
            {connectedForMe ? (isShared ? "set" : "yours is set") : isShared ? "not set" : "yours is not set"}
          </Badge>
        )}
      </p>
      <KeyDialog key={setting} provider={provider} isOpen={open === "set"} onClose={close} />
      <Confirm
        title={isShared ? "Delete the shared key?" : "Delete your key?"}
        action="Delete the key"
        isOpen={open === "remove"}
        onClose={close}
        confirm={async () => {
          await client.llmProviders.removeCredential(id)
          notify("The key was deleted.")
          void reload(["llm-providers"])
        }}
      >
        <p>
          {isShared
            ? "No member can connect to the provider until a key is set again."
            : "You cannot connect to the provider until you set a key again."}{" "}
          Machines that have the key keep it: revoke it at the provider as well.
        </p>
      </Confirm>
    </Section>
  )
}

const Result = ({ result }: { readonly result: LlmProviderTest }) => {
  const { code, latencyMs, message, missingModels, models, modelsSeen, ok, providerStatus } = result
  return (
    <>
      <Notice title={ok ? "The provider responded" : "The test failed"} tone={ok ? "good" : "bad"}>
        <span>{message}</span>
      </Notice>
      <Facts
        rows={[
          ["Time", `${latencyMs} ms`],
          ["HTTP status", providerStatus],
          ["Cause", code === null ? null : <code key="code">{code}</code>],
          ["Models listed", modelsSeen],
          ["Selected models that are not listed", missingModels === null ? null : missingModels.join(", ")]
        ]}
      />
      {models.length > 0 && (
        <details>
          <summary>Models that the provider lists</summary>
          <ul className="plain-list">
            {models.map((model) => (
              <li key={model}>
                <code>{model}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

export const Test = ({ provider }: { readonly provider: LlmProvider }) => {
  const [isBusy, setBusy] = useState(false)
  const [result, setResult] = useState<LlmProviderTest>()
  const [error, setError] = useState<unknown>()
  const run = async () => {
    setBusy(true)
    setError(undefined)
    setResult(undefined)
    try {
      setResult(await client.llmProviders.test(provider.id))
    } catch (cause) {
      setError(cause)
    }
    setBusy(false)
  }
  return (
    <Section
      title="Test"
      actions={
        <Button kind="primary" disabled={isBusy || provider.apiFormat === "other"} onClick={() => void run()}>
          {isBusy ? "Testing…" : "Test the connection"}
        </Button>
      }
    >
      <p className="muted">
        {provider.apiFormat === "other"
          ? "The format of this provider has no list of models, so it cannot be tested."
          : "Lists the models of the provider with the key that you would use. It takes at most 15 seconds and spends no tokens."}
      </p>
      <div className="stack" aria-live="polite">
        {error !== undefined && <Failure error={error} />}
        {result !== undefined && <Result result={result} />}
      </div>
    </Section>
  )
}
