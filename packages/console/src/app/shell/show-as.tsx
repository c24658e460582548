/** The requests of a page as code. */
import { Tabs } from "@base-ui/react/tabs"
import { useState, useSyncExternalStore } from "react"
import { basePath } from "../api/client.ts"
import { asCommand, asCurl, asTypeScript } from "../api/code.ts"
import { recorded, subscribe } from "../api/recorder.ts"
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

export const ShowAs = () => {
  const requests = useSyncExternalStore(subscribe, recorded)
  const [isOpen, setOpen] = useState(false)
  const [index, setIndex] = useState(0)
  const request = requests[Math.min(index, requests.length - 1)]
  return (
    <>
      <Button kind="quiet" disabled={requests.length === 0} onClick={() => setOpen(true)}>
        Show as code
      </Button>
      <Dialog
        title="This page as code"
        description="The requests of this page, with your own credential."
        isOpen={isOpen}
        onClose={() => setOpen(false)}
      >
        <div className="field">
          <label htmlFor="show-as-request">Request</label>
          <select
            id="show-as-request"
            className="input"
            value={index}
            onChange={(event) => setIndex(Number(event.target.value))}
          >
            {requests.map(({ method, operation, path }, each) => (
              <option key={`${operation} ${path}`} value={each}>
                {operation} – {method} {path}
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
              <Code key={request.path} text={asCurl(request, root)} />
            </Tabs.Panel>
            <Tabs.Panel value="typescript">
              <Code key={request.path} text={asTypeScript(request)} />
            </Tabs.Panel>
            <Tabs.Panel value="cli">
              <Code key={request.path} text={asCommand(request)} />
            </Tabs.Panel>
          </Tabs.Root>
        )}
      </Dialog>
    </>
  )
}
