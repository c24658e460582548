/** The clipboard. */
import { notify } from "./toast.tsx"

/** Copies a text, and returns whether the browser allowed it. If not, a message explains what to do. */
export const copyText = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    notify("The browser did not allow copying. Select the text and copy it.", "warn")
    return false
  }
}
