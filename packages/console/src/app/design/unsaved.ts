/** Asks before a person leaves changes that are not saved. */
import { useBlocker } from "@tanstack/react-router"
import { useEffect } from "react"

const question = "Your changes are not saved. Continue without them?"

/** The forms with changes that are not saved. */
const unsaved = new Set<object>()

/** Asks, if there are changes that are not saved, before something other than a navigation discards them. */
export const mayLeave = (): boolean => unsaved.size === 0 || confirm(question)

/**
 * Also asks before the tab of the browser closes. Pass `ignoreBlocker` to the navigation that follows a save.
 *
 * The tabs and filters of a page are in its URL. If the page keeps the changes while its tabs and filters change, only a
 * navigation to another page asks. With `isKeptByPage` false, every other URL asks.
 */
export const useUnsaved = (isDirty: boolean, isKeptByPage = true): void => {
  useEffect(() => {
    if (!isDirty) return
    const form = {}
    unsaved.add(form)
    return () => void unsaved.delete(form)
  }, [isDirty])
  useBlocker({
    shouldBlockFn: ({ current, next }) => {
      const isSamePage = current.pathname === next.pathname
      const isKept = isSamePage && (isKeptByPage || JSON.stringify(current.search) === JSON.stringify(next.search))
      return isDirty && !isKept && !confirm(question)
    },
    enableBeforeUnload: () => isDirty
  })
}
