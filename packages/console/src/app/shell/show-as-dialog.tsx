/** The requests of a page as code. It is loaded when it is opened. */
import { Tabs } from "@base-ui/react/tabs"
import { useState, useSyncExternalStore } from "react"
import { basePath, selectedOrganization } from "../api/client.ts"
import { asCurl, asTypeScript } from "../api/code.ts"
import { asCommand } from "../api/command.ts"
import { recorded, requestKey, subscribe } from "../api/recorder.ts"
import { copyText } from "../design/copy.ts"
import { Dialog } from "../design/dialog.tsx"
import { Button } from "../design/ui.tsx"

const root = `${location.origin}${basePath.replace(/\/console$/, "")}`

const Code = ({ text }: { readonly text: string }) => {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    if (await copyText(text)) setCopied(true)
  }
  return (
    <div className="stack">
      <pre className="code" tabIndex={0}>
        {text}
      </pre>
      <div className="row">
        <Button onClick={() => void copy()}>Copy</Button>
        <span role="status">{isCopied ? "Copied" : ""}</span>
      </div>
    </div>
  )
}

export const ShowAsDialog = ({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }) => {
  const requests = useSyncExternalStore(subscribe, recorded)
  // A key, because requests that are sent again move to the end.
  const [selected, setSelected] = useState(() => requests[0] && requestKey(requests[0]))
  const request = requests.find((each) => requestKey(each) === selected) ?? requests[0]
  const key = request === undefined ? "" : requestKey(request)
  const organizationId = selectedOrganization()
  return (
    <Dialog
      title="This page as code"
      description="The requests of this page, with your own credential."
      isOpen={isOpen}
      onClose={onClose}
    >
      <div className="field">
        <label htmlFor="show-as-request">Request</label>
        <select
          id="show-as-request"
          className="input"
          value={key}
          onChange={(event) => setSelected(event.target.value)}
        >
          {requests.map((each) => (
            <option key={requestKey(each)} value={requestKey(each)}>
              {each.operation} – {each.method} {each.path}
            </option>
          ))}
        </select>
      </div>
      {request !== undefined && (
        <Tabs.Root defaultValue="curl">
          <Tabs.List className="tabs">
            <Tabs.Tab className="tab" value="curl">
              curl
            </Tabs.Tab>
            <Tabs.Tab className="tab" value="typescript">
              TypeScript
            </Tabs.Tab>
            <Tabs.Tab className="tab" value="cli">
              CLI
            </Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="curl">
            <Code key={key} text={asCurl(request, root, organizationId)} />
          </Tabs.Panel>
          <Tabs.Panel value="typescript">
            <Code key={key} text={asTypeScript(request, organizationId)} />
          </Tabs.Panel>
          <Tabs.Panel value="cli">
            <Code key={key} text={asCommand(request, organizationId)} />
          </Tabs.Panel>
        </Tabs.Root>
      )}
    </Dialog>
  )
}
