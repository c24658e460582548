/** Fields without an input event, such as a choice in a list, note that a dialog has input. */
import { createContext } from "react"

export const InputNoted = createContext<() => void>(() => {})
