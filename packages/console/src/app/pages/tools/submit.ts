/** A form on a page: it shows its own failures, and a message after success. */
import { useState } from "react"
import { reload } from "../../design/action.tsx"
import { notify } from "../../design/toast.tsx"

export const useSubmit = ({ changes, done }: { readonly done: string; readonly changes: ReadonlyArray<string> }) => {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const submit = async (work: () => Promise<unknown>): Promise<void> => {
    setBusy(true)
    setError(undefined)
    try {
      await work()
      notify(done)
    } catch (cause) {
      setError(cause)
    }
    setBusy(false)
    void reload(changes)
  }
  return { isBusy, error, setError, submit }
}
