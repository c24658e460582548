/** Installing the app of the server on a code host, in a second tab, whose last page gives the values to enter here. */
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { FormDialog } from "../../design/action.tsx"
import type { DialogState } from "../../design/dialog.tsx"
import { Shown } from "../../design/query.tsx"
import { isWebPage } from "../../design/text.ts"
import { Field, Time } from "../../design/ui.tsx"

interface Props extends DialogState {
  readonly onInstalled?: (accountId: string) => void
}

export const InstallDialog = ({ isOpen, onClose, onInstalled }: Props) => {
  const [code, setCode] = useState("")
  const [installationId, setInstallationId] = useState("")
  const started = useQuery({
    queryKey: ["connector-accounts", "install"],
    queryFn: ({ signal }) => client.connectors.startInstall({ signal }),
    enabled: isOpen,
    staleTime: 8 * 60_000,
    gcTime: 0,
    refetchOnWindowFocus: false
  })
  const submit = async () => {
    const state = started.data?.state ?? ""
    const account = await client.connectors.completeInstall({
      state,
      code: code.trim(),
      installationId: installationId.trim()
    })
    setCode("")
    onInstalled?.(account.id)
  }
  return (
    <FormDialog
      title="Install the app on the code host"
      description="You must administer the repositories. The app reads them, and announces pushes."
      action="Finish the installation"
      done="The app was connected."
      changes={["connector-accounts"]}
      isOpen={isOpen}
      onClose={onClose}
      fields={["code", "installationId"]}
      submit={submit}
    >
      {(problem) => (
        <Shown query={started}>
          {({ expiresAt, url }) => (
            <ol className="steps">
              <li>
                {isWebPage(url) ? (
                  <a href={url} target="_blank" rel="noopener noreferrer">
                    Open the installation on the code host
                  </a>
                ) : (
                  <code>{url}</code>
                )}
                , and choose the repositories. It is valid until <Time at={expiresAt} />.
              </li>
              <li className="stack">
                <span>Enter what the last page there shows.</span>
                <Field
                  label="Your code"
                  type="password"
                  autoComplete="off"
                  required
                  maxLength={1024}
                  value={code}
                  problem={problem("code")}
                  onChange={({ target }) => setCode(target.value)}
                />
                <Field
                  label="Installation"
                  autoComplete="off"
                  required
                  maxLength={255}
                  value={installationId}
                  problem={problem("installationId")}
                  onChange={({ target }) => setInstallationId(target.value)}
                />
              </li>
            </ol>
          )}
        </Shown>
      )}
    </FormDialog>
  )
}
