import { readFileSync } from "node:fs"
import { join } from "node:path"
import { type DefaultTheme, defineConfig } from "vitepress"
import { checkSite } from "../check.ts"
import { slug } from "../markdown.ts"
import { outline } from "../outline.ts"
import { type Entry, preparePages } from "../prepare.ts"

const groups = await preparePages()
const manifest: unknown = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../packages/server/package.json"), "utf8")
)
const version =
  typeof manifest === "object" && manifest !== null && "version" in manifest ? String(manifest.version) : "unreleased"

const bySection = (entries: ReadonlyArray<Entry>): Array<DefaultTheme.SidebarItem> =>
  [...Map.groupBy(entries, ({ section }) => section)].map(([section, own]) => ({
    text: section,
    items: own.map(({ link, text }) => ({ text, link }))
  }))

/** Components of the default theme that this site does not use, and their styles. */
const unusedComponents =
  /^.*\/VP(?:AlgoliaSearchBox|Button|CarbonAds|DocAsideCarbonAds|DocAsideSponsors|Feature|Features|Footer|Hero|Home|HomeContent|HomeFeatures|HomeHero|HomeSponsors|NavBarSocialLinks|NavBarTranslations|NavScreenSocialLinks|NavScreenTranslations|Page|SocialLinks?|Sponsors|SponsorsGrid|Team\w*)\.vue$/u
const unusedStyles = /^(?:@docsearch\/css|\.\/styles\/components\/vp-sponsor\.css)$/u
const theme = join(import.meta.dirname, "theme")

/** A ring, as an image in the page: otherwise, browsers ask for `/favicon.ico`. */
const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Ccircle cx='8' cy='8' r='5' fill='none' stroke='%233451b2' stroke-width='3'/%3E%3C/svg%3E"

export default defineConfig({
  title: "orgplane",
  description: "A control plane for organizations that use AI agents",
  head: [["link", { rel: "icon", href: icon }]],
  srcDir: "pages",
  cleanUrls: true,
  lastUpdated: false,
  // Otherwise, the first page would load every page that it links to.
  router: { prefetchLinks: false },
  markdown: {
    anchor: {
      // The anchors of GitHub, which the documents link to.
      slugify: slug
    },
    config: (markdown) => {
      const code = markdown.renderer.rules.code_inline
      // Braces in code are not a template.
      markdown.renderer.rules.code_inline = (...values) => (code?.(...values) ?? "").replace("<code", "<code v-pre")
    }
  },
  vite: {
    // No component of the theme uses the Options API.
    define: { __VUE_OPTIONS_API__: "false" },
    resolve: {
      // Without the unused parts, the first page is a tenth smaller.
      alias: [
        { find: unusedComponents, replacement: join(theme, "unused.ts") },
        { find: unusedStyles, replacement: join(theme, "unused.css") }
      ]
    }
  },
  buildEnd: ({ outDir }) => console.log(checkSite(outDir)),
  themeConfig: {
    search: {
      provider: "local",
      options: {
        // The examples of the API reference would triple the index.
        _render: (source, env, markdown) =>
          markdown.render(
            /reference\/(?:api|cli)\//u.test(env.relativePath) ? source.replaceAll(/^```[\s\S]*?^```$/gmu, "") : source,
            env
          )
      }
    },
    outline: [2, 3],
    nav: [
      { text: "Getting started", link: "/getting-started" },
      { text: "API", link: "/reference/api/" },
      { text: "CLI", link: "/reference/cli/" },
      { text: "Errors", link: "/reference/errors" },
      { text: `Version ${version}`, items: [{ text: `${version} (this version)`, link: "/" }] }
    ],
    sidebar: {
      "/reference/api/": [
        { text: "API reference", items: [{ text: "Overview", link: "/reference/api/" }] },
        ...bySection(groups.api),
        {
          text: "More",
          items: [
            { text: "Errors", link: "/reference/errors" },
            { text: "Event types", link: "/reference/event-types" },
            { text: "CLI reference", link: "/reference/cli/" }
          ]
        }
      ],
      "/reference/cli/": [
        { text: "CLI reference", items: [{ text: "Overview", link: "/reference/cli/" }] },
        ...bySection(groups.cli),
        { text: "More", items: [{ text: "API reference", link: "/reference/api/" }] }
      ],
      "/": [
        ...outline.map(({ pages, title }) => ({
          text: title,
          collapsed: title !== "Start",
          items: pages.map(({ page, title: text }) => ({ text, link: `/${page}` }))
        })),
        {
          text: "Reference",
          items: [
            { text: "API reference", link: "/reference/api/" },
            { text: "CLI reference", link: "/reference/cli/" },
            { text: "Errors", link: "/reference/errors" },
            { text: "Event types", link: "/reference/event-types" }
          ]
        }
      ]
    }
  }
})
