/** Asks before a person leaves a page with changes that are not saved. */
import { useBlocker } from "@tanstack/react-router"

/**
 * Also asks before the tab of the browser closes. Pass `ignoreBlocker` to the navigation that follows a save.
 *
 * The tabs and filters of a page are in its URL. If the page keeps the changes while its tabs and filters change, only a
 * navigation to another page asks. With `isKeptByPage` false, every other URL asks.
 */
export const useUnsaved = (isDirty: boolean, isKeptByPage = true): void => {
  useBlocker({
    shouldBlockFn: ({ current, next }) => {
      const isSamePage = current.pathname === next.pathname
      const isKept = isSamePage && (isKeptByPage || JSON.stringify(current.search) === JSON.stringify(next.search))
      return isDirty && !isKept && !confirm("Your changes are not saved. Continue without them?")
    },
    enableBeforeUnload: () => isDirty
  })
}
