/** The default theme with the fonts of the system, which need no download, and one language for all examples. */
import { onContentUpdated } from "vitepress"
import theme from "vitepress/theme-without-fonts"
import { followLanguage } from "./language.ts"

export default {
  extends: theme,
  setup() {
    let apply: (() => void) | undefined
    // Called in browsers only: after the first page, and after each other one.
    onContentUpdated(() => {
      apply ??= followLanguage()
      apply()
    })
  }
}
