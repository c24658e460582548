/** The default theme with the fonts of the system, which need no download, and one language for all examples. */
import { onContentUpdated } from "vitepress"
import theme from "vitepress/theme-without-fonts"
import { onMounted } from "vue"
import { followLanguage } from "./language.ts"

export default {
  extends: theme,
  setup() {
    let apply = () => {}
    onMounted(() => {
      apply = followLanguage()
      apply()
    })
    onContentUpdated(() => apply())
  }
}
