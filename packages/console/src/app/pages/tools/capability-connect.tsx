/** Connecting and disconnecting a mail or calendar account. */
import type { CapabilityConnection } from "@orgplane/client"
import { useState } from "react"
import { client } from "../../api/client.ts"
import { reload } from "../../design/action.tsx"
import { Confirm } from "../../design/dialog.tsx"
import { notify } from "../../design/toast.tsx"
import { Button } from "../../design/ui.tsx"
import { SignInButton } from "./sign-in-window.tsx"
import { suites } from "./suites.ts"

const changes = ["capabilities"]

const Disconnect = ({ connection }: { readonly connection: CapabilityConnection }) => {
  const [isOpen, setOpen] = useState(false)
  const { suite } = connection
  const name = suites[suite].name.toLowerCase()
  const disconnect = async () => {
    await client.capabilities.disconnect(suite)
    notify("Your account is disconnected.")
    void reload(changes)
  }
  return (
    <>
      <Button onClick={() => setOpen(true)}>Disconnect</Button>
      <Confirm
        title={`Disconnect your ${name}`}
        action="Disconnect"
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        confirm={disconnect}
      >
        <p>Your agents can no longer use your {name}. The stored credential is deleted.</p>
        <p>Drafts and meeting links that were made stay where they are.</p>
      </Confirm>
    </>
  )
}

export const SuiteActions = ({
  connection,
  onWaiting
}: {
  readonly connection: CapabilityConnection
  readonly onWaiting: (isWaiting: boolean) => void
}) => {
  const { configured, status, suite } = connection
  return (
    <>
      <SignInButton
        path={`/capabilities/${suite}`}
        start={(input) => client.capabilities.startConnect(suite, input)}
        complete={(input) => client.capabilities.completeConnect(suite, input)}
        isConnected={status === "ready"}
        isDisabled={!configured}
        changes={changes}
        done="Your account is connected."
        kind={status === "ready" ? "plain" : "primary"}
        onWaiting={onWaiting}
      >
        {status === "not_connected" ? "Connect" : "Connect again"}
      </SignInButton>
      {status !== "not_connected" && <Disconnect connection={connection} />}
    </>
  )
}
