/** The default theme with system fonts, which require no download, and one language for all examples. */
import { onContentUpdated } from "vitepress"
import theme from "vitepress/theme-without-fonts"
import { followLanguage } from "./language.ts"
import "./pictures.css"

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
