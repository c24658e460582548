import { readFileSync } from "node:fs"
import { join } from "node:path"
import { defineConfig } from "vitepress"
import { outline } from "../outline.ts"
import { preparePages } from "../prepare.ts"

const groups = await preparePages()
const manifest: unknown = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../packages/server/package.json"), "utf8")
)
const version =
  typeof manifest === "object" && manifest !== null && "version" in manifest ? String(manifest.version) : "unreleased"

export default defineConfig({
  title: "orgplane",
  description: "A control plane for organizations that use AI agents",
  srcDir: "pages",
  cleanUrls: true,
  lastUpdated: false,
  markdown: {
    anchor: {
      // The anchors of GitHub, which the documents link to.
      slugify: (heading) =>
        heading
          .trim()
          .toLowerCase()
          .replace(/[^\p{L}\p{N} _-]/gu, "")
          .replaceAll(" ", "-")
    }
  },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Getting started", link: "/getting-started" },
      { text: "API", link: "/reference/api/" },
      { text: "CLI", link: groups.cli[0]?.link ?? "/" },
      { text: "Errors", link: "/reference/errors" },
      { text: `Version ${version}`, items: [{ text: `${version} (this version)`, link: "/" }] }
    ],
    sidebar: [
      ...outline.map(({ pages, title }) => ({
        text: title,
        collapsed: title !== "Start",
        items: pages.map(({ page, title: text }) => ({ text, link: `/${page}` }))
      })),
      {
        text: "API reference",
        collapsed: true,
        items: [
          { text: "Overview", link: "/reference/api/" },
          ...groups.api,
          { text: "Errors", link: "/reference/errors" }
        ]
      },
      { text: "CLI reference", collapsed: true, items: [...groups.cli] }
    ]
  }
})
