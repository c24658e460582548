/** The default theme with system fonts, which require no download. */
export { default } from "vitepress/theme-without-fonts"
