/**
 * Connecting an account with OAuth: the sign-in opens in a window of its own, which the server sends back to a page of the
 * console (`connected.tsx`). That page completes the connection, and tells this one. The two windows share no reference,
 * because both are isolated from other origins.
 */
import { InvalidRequestError, type StartedConnect } from "@orgplane/client"
import { type FormEvent, type ReactNode, useEffect, useState } from "react"
import { basePath, selectedOrganization } from "../../api/client.ts"
import { problemOf, reload } from "../../design/action.tsx"
import { Dialog } from "../../design/dialog.tsx"
import { isWebPage } from "../../design/text.ts"
import { notify } from "../../design/toast.tsx"
import { Button, Failure, Field } from "../../design/ui.tsx"
import { ServerFailure } from "./diagnosis.tsx"

const channelName = "orgplane-connected"

/** Tells the other windows of the console that a sign-in was completed. */
export const announceConnected = (path: string): void => {
  const channel = new BroadcastChannel(channelName)
  channel.postMessage(path)
  channel.close()
}

const windowFeatures = "popup,width=560,height=760"

export interface SignInProps {
  /** The page of the object, such as `/mcp-connections/emc_…`. */
  readonly path: string
  readonly start: (input: { readonly returnTo?: string }) => Promise<StartedConnect>
  /** Completes with the values that the callback page shows, where it cannot return to the console. */
  readonly complete: (input: {
    readonly state: string
    readonly code: string
    readonly iss?: string
  }) => Promise<unknown>
  /** Whether the account is connected, as the page that polls it knows. */
  readonly isConnected: boolean
  readonly changes: ReadonlyArray<string>
  readonly done: string
  readonly kind?: "primary" | "plain"
  readonly isDisabled?: boolean
  readonly children: ReactNode
  /** Whether the person is signing in, so that the page polls the state. */
  readonly onWaiting: (isWaiting: boolean) => void
}

interface Waiting {
  readonly url: string
  readonly state: string
  /** The callback shows the values, because it must not return to this address. */
  readonly isPasted: boolean
  readonly wasConnected: boolean
}

const PasteForm = ({
  complete,
  onDone,
  state
}: {
  readonly state: string
  readonly complete: SignInProps["complete"]
  readonly onDone: () => void
}) => {
  const [code, setCode] = useState("")
  const [issuer, setIssuer] = useState("")
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setError(undefined)
    try {
      await complete({ state, code: code.trim(), ...(issuer.trim() === "" ? {} : { iss: issuer.trim() }) })
      onDone()
    } catch (cause) {
      setError(cause)
    }
    setBusy(false)
  }
  const problem = problemOf(error, "code")
  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      <p>The window shows a code after the sign-in. Enter it here within ten minutes.</p>
      <Field
        label="Code"
        required
        maxLength={4096}
        autoComplete="off"
        value={code}
        problem={problem}
        onChange={({ target }) => setCode(target.value)}
      />
      <Field
        label="Issuer (if the page shows one)"
        maxLength={2048}
        autoComplete="off"
        value={issuer}
        problem={problemOf(error, "iss")}
        onChange={({ target }) => setIssuer(target.value)}
      />
      {error !== undefined && problem === undefined && <Failure error={error} />}
      <div className="row dialog-actions">
        <Button kind="primary" type="submit" disabled={isBusy}>
          Connect
        </Button>
      </div>
    </form>
  )
}

export const SignInButton = (props: SignInProps) => {
  const {
    changes,
    children,
    complete,
    done,
    isConnected,
    isDisabled = false,
    kind = "primary",
    onWaiting,
    path
  } = props
  const [waiting, setWaiting] = useState<Waiting>()
  const [isStarting, setStarting] = useState(false)
  const [error, setError] = useState<unknown>()

  const finish = () => {
    setWaiting(undefined)
    onWaiting(false)
    notify(done)
    void reload(changes)
  }
  useEffect(() => {
    if (waiting === undefined) return
    const channel = new BroadcastChannel(channelName)
    channel.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
      if (data === path) finish()
    })
    return () => channel.close()
  }, [waiting, path])
  // The other window may be closed before it tells, so the state of the connection counts too.
  const isDone = waiting !== undefined && isConnected && !waiting.wasConnected
  useEffect(() => {
    if (isDone) finish()
  })

  const start = async () => {
    // A window must be opened before anything is awaited. Otherwise browsers block it.
    const opened = window.open("about:blank", "_blank", windowFeatures)
    setStarting(true)
    setError(undefined)
    try {
      const organization = selectedOrganization()
      const returnTo = new URL(`${location.origin}${basePath}${path}/connected`)
      if (organization !== undefined) returnTo.searchParams.set("organization", organization)
      let isPasted = false
      const started = await props.start({ returnTo: returnTo.href }).catch(async (cause: unknown) => {
        if (!(cause instanceof InvalidRequestError) || problemOf(cause, "returnTo") === undefined) throw cause
        isPasted = true
        return props.start({})
      })
      const { state, url } = started
      if (!isWebPage(url)) throw new Error("The address of the sign-in is not a web page, so it was not opened.")
      setWaiting({ url, state, isPasted, wasConnected: isConnected })
      onWaiting(true)
      if (opened !== null) opened.location.replace(url)
    } catch (cause) {
      opened?.close()
      setError(cause)
    }
    setStarting(false)
  }
  const cancel = () => {
    setWaiting(undefined)
    onWaiting(false)
    void reload(changes)
  }
  return (
    <>
      <Button kind={kind} disabled={isStarting || isDisabled} onClick={() => void start()}>
        {children}
      </Button>
      <Dialog title="The sign-in did not start" isOpen={error !== undefined} onClose={() => setError(undefined)}>
        {error !== undefined && <ServerFailure error={error} />}
      </Dialog>
      <Dialog
        title="Sign in in the other window"
        description="Allow access there. This page continues automatically when the sign-in is complete."
        isOpen={waiting !== undefined}
        onClose={cancel}
      >
        {waiting !== undefined && (
          <div className="stack">
            <p role="status">Waiting for the sign-in. It is valid for ten minutes.</p>
            <p>
              Did the window not open?{" "}
              <a href={waiting.url} target="_blank" rel="noopener noreferrer">
                Open the sign-in
              </a>
            </p>
            {waiting.isPasted && <PasteForm state={waiting.state} complete={complete} onDone={finish} />}
          </div>
        )}
      </Dialog>
    </>
  )
}
