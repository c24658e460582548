/** Changes that show their effects before they are made. */
import { useQuery } from "@tanstack/react-query"
import { type FormEvent, type ReactNode, useState } from "react"
import { type ActionOptions, problemOf, reload } from "./action.tsx"
import { Confirm, Dialog, type DialogState } from "./dialog.tsx"
import { useLoads } from "./form-version.ts"
import { Shown } from "./query.tsx"
import { notify } from "./toast.tsx"
import { Button, Failure } from "./ui.tsx"

/** A form whose first button shows the effects, and whose second one makes the change. */
export const PreviewDialog = <Preview,>({
  action,
  changes,
  children,
  description,
  done,
  isOpen,
  isReady = true,
  onClose,
  onDone,
  preview,
  simulate,
  submit,
  title
}: ActionOptions &
  DialogState & {
    readonly title: string
    readonly description?: string
    /** The button, such as "Create the assignment". */
    readonly action: string
    readonly isReady?: boolean
    readonly onDone?: (result: unknown) => void
    readonly simulate: () => Promise<Preview>
    readonly preview: (value: Preview) => ReactNode
    readonly submit: () => Promise<unknown>
    /** The fields. */
    readonly children: (problem: (field: string) => string | undefined) => ReactNode
  }) => {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const [effects, setEffects] = useState<{ readonly value: Preview }>()
  const loads = useLoads()
  const [seenLoads, setSeenLoads] = useState(loads)
  // The person compares the values that were loaded again, and the effects are those of the values before.
  if (seenLoads !== loads) {
    setSeenLoads(loads)
    setEffects(undefined)
  }
  const close = () => {
    setError(undefined)
    setEffects(undefined)
    onClose()
  }
  const run = async () => {
    setBusy(true)
    setError(undefined)
    try {
      if (effects === undefined) setEffects({ value: await simulate() })
      else {
        const result = await submit()
        notify(done)
        close()
        onDone?.(result)
        void reload(changes)
      }
    } catch (cause) {
      setError(cause)
    }
    setBusy(false)
  }
  return (
    <Dialog
      title={title}
      keepsInput={!isBusy}
      isOpen={isOpen}
      // A failure would not be seen.
      onClose={() => isBusy || close()}
      {...(description === undefined ? {} : { description })}
    >
      <form
        className="stack"
        onSubmit={(event: FormEvent) => {
          event.preventDefault()
          void run()
        }}
      >
        {effects === undefined ? children((field) => problemOf(error, field)) : preview(effects.value)}
        {error !== undefined && <Failure error={error} />}
        <div className="row dialog-actions">
          {effects === undefined ? (
            <Button kind="primary" type="submit" disabled={isBusy || !isReady}>
              {isBusy ? "Computing the effects" : "Show who is affected"}
            </Button>
          ) : (
            <>
              <Button
                disabled={isBusy}
                onClick={() => {
                  setError(undefined)
                  setEffects(undefined)
                }}
              >
                Back
              </Button>
              <Button kind="primary" type="submit" disabled={isBusy}>
                {action}
              </Button>
            </>
          )}
        </div>
      </form>
    </Dialog>
  )
}

/** A question before a change, with the effects that the API computes. */
export const PreviewConfirm = <Preview,>({
  action,
  changes,
  children,
  done,
  isOpen,
  onClose,
  onDone,
  preview,
  queryKey,
  simulate,
  title,
  work
}: ActionOptions &
  DialogState & {
    readonly title: string
    readonly action: string
    readonly onDone?: () => void
    readonly queryKey: ReadonlyArray<unknown>
    readonly simulate: (signal: AbortSignal) => Promise<Preview>
    readonly preview: (value: Preview) => ReactNode
    readonly work: () => Promise<unknown>
    readonly children?: ReactNode
  }) => {
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => simulate(signal),
    enabled: isOpen,
    staleTime: 0,
    gcTime: 0
  })
  return (
    <Confirm
      title={title}
      action={action}
      isOpen={isOpen}
      // `Shown` reports the first read, and a failure. This waits for effects that are computed again.
      isReady={!query.isFetching}
      onClose={onClose}
      confirm={async () => {
        await work()
        notify(done)
        onDone?.()
        void reload(changes)
      }}
    >
      {children}
      <Shown query={query}>{preview}</Shown>
    </Confirm>
  )
}
