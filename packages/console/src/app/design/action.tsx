/** Changes that a person makes: a button that runs one, a form in a dialog, and the question before a removal. */
import { InvalidRequestError } from "@orgplane/client"
import { type FormEvent, type ReactNode, useState } from "react"
import { queries } from "../api/client.ts"
import type { Allowance } from "./allowed.tsx"
import { Dialog, type DialogState } from "./dialog.tsx"
import { ReadsProvider, usePendingReads } from "./pending.ts"
import { notify } from "./toast.tsx"
import { Button, Failure } from "./ui.tsx"

export interface ActionOptions {
  /** The message after success, such as "The team was removed." */
  readonly done: string
  /** First parts of the keys of queries that are loaded again. */
  readonly changes: ReadonlyArray<string>
}

/** Loads again what a change has changed. What the home page lists can depend on every change. */
export const reload = async (names: ReadonlyArray<string>): Promise<void> => {
  void queries.invalidateQueries({ queryKey: ["attention"], refetchType: "none" })
  await Promise.all(names.map((name) => queries.invalidateQueries({ queryKey: [name] })))
}

/** Runs a change, and shows in a message whether it succeeded. `run` never rejects. */
export const useAction = ({ changes, done }: ActionOptions) => {
  const [isBusy, setBusy] = useState(false)
  const run = async (work: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true)
    try {
      await work()
      notify(done)
      return true
    } catch (error) {
      notify("Nothing was changed.", "bad", error)
      return false
    } finally {
      setBusy(false)
      void reload(changes)
    }
  }
  return { isBusy, run }
}

/**
 * A setting that is changed without a confirmation: shows the new value at once, and the stored one again if the change
 * fails. `change` never rejects.
 */
export const useSetting = <Value,>(
  stored: Value,
  {
    changes,
    done,
    failed
  }: Pick<ActionOptions, "changes"> & {
    readonly done?: string
    /** The message after a failure, such as "The role was not changed." */
    readonly failed: string
  }
) => {
  const [pending, setPending] = useState<{ readonly value: Value }>()
  const change = async (value: Value, work: () => PromiseLike<unknown>): Promise<void> => {
    setPending({ value })
    try {
      await work()
      if (done !== undefined) notify(done)
    } catch (error) {
      notify(failed, "bad", error)
    }
    // After a failure too: the setting may have been changed, or fixed, by someone else.
    await reload(changes)
    setPending(undefined)
  }
  return { value: pending === undefined ? stored : pending.value, isBusy: pending !== undefined, change }
}

export const ActionButton = ({
  access,
  changes,
  children,
  done,
  isDisabled = false,
  kind = "plain",
  permission,
  work
}: ActionOptions &
  Allowance & {
    readonly work: () => Promise<unknown>
    readonly children: ReactNode
    readonly kind?: "primary" | "danger" | "quiet" | "plain"
    readonly isDisabled?: boolean
  }) => {
  const { isBusy, run } = useAction({ changes, done })
  return (
    <Button
      kind={kind}
      access={access}
      permission={permission}
      disabled={isBusy || isDisabled}
      onClick={() => void run(work)}
    >
      {children}
    </Button>
  )
}

/** The message of the API for a field of the input, such as `name`; undefined if the field is valid. */
export const problemOf = (error: unknown, field: string): string | undefined =>
  error instanceof InvalidRequestError
    ? error.details.find(({ path }) => path.slice(1).includes(field))?.message
    : undefined

/** Runs the change of a form, which shows the failure itself. `submit` never rejects. */
export const useSubmit = ({ changes, done }: Pick<ActionOptions, "changes"> & { readonly done?: string }) => {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const submit = async (work: () => Promise<unknown>): Promise<void> => {
    setBusy(true)
    setError(undefined)
    try {
      await work()
      if (done !== undefined) notify(done)
    } catch (cause) {
      setError(cause)
    }
    setBusy(false)
    void reload(changes)
  }
  return { isBusy, error, setError, submit }
}

export interface FormOptions extends Pick<ActionOptions, "changes"> {
  /** Fields that show their own problem. */
  readonly fields: ReadonlyArray<string>
  readonly submit: () => Promise<unknown>
}

/** The state of a form with one submit button. `failure` is an error that none of the fields shows. */
export const useForm = ({ changes, fields, submit }: FormOptions) => {
  const { error, isBusy, setError, submit: run } = useSubmit({ changes })
  const problem = (field: string) => problemOf(error, field)
  const isShown = fields.some((field) => problem(field) !== undefined)
  return {
    isBusy,
    problem,
    failure: isShown ? undefined : error,
    forget: () => setError(undefined),
    onSubmit: (event: FormEvent) => {
      event.preventDefault()
      void run(submit)
    }
  }
}

export interface FormDialogProps extends ActionOptions, DialogState {
  readonly title: string
  readonly description?: string
  /** The button, such as "Create the team". */
  readonly action: string
  /** `danger` for a change that takes something away. Default: `primary`. */
  readonly kind?: "primary" | "danger"
  readonly submit: () => Promise<unknown>
  /** The fields. `problem` is the message of the API about a field. */
  readonly children: (problem: (field: string) => string | undefined) => ReactNode
  /** Fields that show their own problem. */
  readonly fields?: ReadonlyArray<string>
}

/** A form in a dialog. The dialog stays open, with its input, until the change has succeeded or the person discards it. */
export const FormDialog = (props: FormDialogProps) => {
  const {
    action,
    changes,
    children,
    description,
    done,
    fields = [],
    isOpen,
    kind = "primary",
    onClose,
    submit,
    title
  } = props
  const { isReading, reads } = usePendingReads(false)
  const { failure, forget, isBusy, onSubmit, problem } = useForm({
    changes,
    fields,
    submit: async () => {
      await submit()
      notify(done)
      onClose()
    }
  })
  return (
    <Dialog
      title={title}
      keepsInput={!isBusy}
      isOpen={isOpen}
      onClose={() => {
        // A failure would not be seen.
        if (isBusy) return
        forget()
        onClose()
      }}
      {...(description === undefined ? {} : { description })}
    >
      <form className="stack" onSubmit={onSubmit}>
        <ReadsProvider value={reads}>{children(problem)}</ReadsProvider>
        {failure !== undefined && <Failure error={failure} />}
        <div className="row dialog-actions">
          <Button kind={kind} type="submit" disabled={isBusy || isReading}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
