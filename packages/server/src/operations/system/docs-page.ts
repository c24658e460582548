/**
 * The API reference as HTML pages, rendered on the server: one with the list of all operations, and one for each group. They
 * are readable without a script.
 */
import type { ExampleWithCalls } from "@orgplane/schema/shared/example"
import { operationSection } from "./docs-operation.ts"
import { anchor, type Document, type Operation, prose, type Schema, schemaSection, text } from "./docs-schema.ts"
import { docsScript } from "./docs-script.ts"

const style = `
:root { color-scheme: light dark; --line: #8884; --faint: #8881; --accent: light-dark(#0a5ad4, #7db2ff); }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; background: light-dark(#fff, #16181c); color: light-dark(#1b1d21, #e4e6ea); }
a { color: var(--accent); text-decoration: none; } a:hover, a:focus { text-decoration: underline; }
code { font: 0.9em ui-monospace, monospace; overflow-wrap: anywhere; }
pre { margin: 0.5rem 0; padding: 0.75rem 1rem; background: var(--faint); border-radius: 0.4rem; overflow: auto; max-height: 28rem; }
pre code { overflow-wrap: normal; } pre:has(code:empty) { display: none; }
.page { display: grid; grid-template-columns: 17rem minmax(0, 1fr); max-width: 90rem; margin: 0 auto; }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem 1rem; border-right: 1px solid var(--line); font-size: 0.9rem; }
nav ul { list-style: none; margin: 0 0 1rem; padding: 0; } nav li { margin: 0.15rem 0; } nav li ul { margin: 0.15rem 0 0.5rem 0.75rem; }
main { padding: 1.5rem 2rem 6rem; min-width: 0; overflow-wrap: anywhere; }
main ul { list-style: none; padding: 0; } main li { padding: 0.2rem 0; }
article { padding: 1.25rem 0; border-top: 1px solid var(--line); } article:target { box-shadow: -0.6rem 0 0 -0.35rem var(--accent); }
h1, h2, h3 { line-height: 1.25; } h3 { margin: 0; } .link { opacity: 0.4; font-weight: 400; }
.route { margin: 0.35rem 0; } .access { opacity: 0.8; }
.method { font: 600 0.8em ui-monospace, monospace; padding: 0.1rem 0.4rem; border: 1px solid var(--line); border-radius: 0.25rem; }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: 0.9rem; margin: 0.5rem 0; }
th, td { text-align: left; vertical-align: top; padding: 0.35rem 0.75rem 0.35rem 0; border-bottom: 1px solid var(--line); } th { font-weight: 600; } td:first-child code { white-space: nowrap; }
.tabs { margin-top: 0.75rem; } .tabs > input { position: absolute; opacity: 0; }
.tabs > label { display: inline-block; padding: 0.2rem 0.75rem; cursor: pointer; border-bottom: 2px solid transparent; font-size: 0.9rem; }
.tabs > input:checked + label { border-color: var(--accent); } .tabs > input:focus-visible + label { outline: 2px solid var(--accent); }
.panel { display: none; }
.tabs > input:nth-of-type(1):checked ~ .panel:nth-of-type(1), .tabs > input:nth-of-type(2):checked ~ .panel:nth-of-type(2), .tabs > input:nth-of-type(3):checked ~ .panel:nth-of-type(3) { display: block; }
input[type=search], input[type=password], .try input, .try textarea { font: inherit; width: 100%; padding: 0.35rem 0.6rem; margin: 0.25rem 0; border: 1px solid var(--line); border-radius: 0.3rem; background: transparent; color: inherit; }
.try input, .try textarea { font: 0.9em ui-monospace, monospace; } button { font: inherit; padding: 0.3rem 0.9rem; cursor: pointer; }
summary { cursor: pointer; } .skip { position: absolute; left: -100rem; } .skip:focus { left: 1rem; }
[hidden] { display: none !important; }
@media (max-width: 50rem) { .page { display: block; } nav { position: static; height: auto; max-height: 14rem; border: 0; border-bottom: 1px solid var(--line); } main { padding: 1rem; } }
`

interface Listed {
  readonly path: string
  readonly method: string
  readonly operation: Operation
}

interface Group {
  readonly name: string
  /** In the address of its page. */
  readonly slug: string
  readonly description?: string
  readonly operations: ReadonlyArray<Listed>
}

const groupsOf = (document: Document): ReadonlyArray<Group> => {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation }))
  )
  return (document.tags ?? []).map((tag) => ({
    ...tag,
    slug: anchor(tag.name),
    operations: operations.filter(({ operation }) => operation.tags?.includes(tag.name) === true)
  }))
}

/** The names of the groups as the pages' addresses have them. */
export const docsGroups = (openapi: unknown): ReadonlyArray<string> =>
  groupsOf(openapi as Document).map(({ slug }) => slug)

/** The schemas that operations refer to, directly or through other schemas. */
const referenced = (document: Document, operations: ReadonlyArray<Operation>): ReadonlyArray<[string, Schema]> => {
  const schemas = document.components?.schemas ?? {}
  const names = new Set<string>()
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return
    for (const [key, inner] of Object.entries(value)) {
      const name = key === "$ref" && typeof inner === "string" ? inner.slice(inner.lastIndexOf("/") + 1) : undefined
      if (name === undefined) {
        // An example is not a schema.
        if (key !== "example") visit(inner)
      } else if (!names.has(name)) {
        names.add(name)
        visit(schemas[name])
      }
    }
  }
  visit(operations)
  return Object.entries(schemas).filter(([name]) => names.has(name))
}

const linkTo = (group: Group, operationId = ""): string =>
  `?group=${group.slug}${operationId === "" ? "" : `#${anchor(operationId)}`}`

const listed = (group: Group, { method, operation, path }: Listed): string =>
  `<li data-find="${text(`${operation.operationId} ${path} ${operation.summary ?? ""} ${group.name}`.toLowerCase())}"><a href="${linkTo(group, operation.operationId)}"><b>${text(operation.operationId)}</b></a> ${prose(operation.summary ?? "")} <span class="method">${text(method.toUpperCase())}</span> <code>${text(path)}</code></li>`

const navigation = (groups: ReadonlyArray<Group>, current: Group | undefined): string =>
  `<nav aria-label="Contents">
<p><a href="?">All operations</a></p>
<ul>${groups
    .map(
      (group) =>
        `<li><a href="${linkTo(group)}"${group === current ? ' aria-current="page"' : ""}>${text(group.name)}</a>${
          group === current
            ? `<ul>${group.operations
                .map(({ operation }) => {
                  const { operationId } = operation
                  const name = operationId.slice(operationId.indexOf(".") + 1)
                  return `<li><a href="#${anchor(operationId)}">${text(name)}</a></li>`
                })
                .join("")}</ul>`
            : ""
        }</li>`
    )
    .join("")}</ul>
</nav>`

const indexContent = (document: Document, groups: ReadonlyArray<Group>): string => {
  const count = groups.reduce((sum, { operations }) => sum + operations.length, 0)
  return `<h1>${text(document.info.title)}</h1>
<p>${prose(document.info.description ?? "")}</p>
<p>${count} operations in ${groups.length} groups. Users authenticate with <code>authorization: Bearer &lt;session token&gt;</code>, programs with <code>x-api-key: &lt;key&gt;</code>. OpenAPI document: <a href="openapi.json">openapi.json</a>.</p>
${groups
  .map(
    (group) =>
      `<section data-group><h2><a href="${linkTo(group)}">${text(group.name)}</a></h2><p>${prose(group.description ?? "")}</p><ul>${group.operations
        .map((operation) => listed(group, operation))
        .join("\n")}</ul></section>`
  )
  .join("\n")}`
}

const groupContent = (
  document: Document,
  group: Group,
  examples: Readonly<Record<string, ExampleWithCalls | undefined>>
): string => {
  const schemas = referenced(
    document,
    group.operations.map(({ operation }) => operation)
  )
  return `<h1>${text(group.name)}</h1><p>${prose(group.description ?? "")}</p>
<label hidden>Your token or API key, for "Try it". It stays in this tab and is sent only to this server.<input id="token" type="password" autocomplete="off" spellcheck="false"></label>
${group.operations
  .map(({ method, operation, path }) =>
    operationSection(path, method, operation, document, examples[operation.operationId])
  )
  .join("\n")}
<section><h2 id="schemas">Schemas</h2>
${schemas.map(([name, schema]) => schemaSection(name, schema)).join("\n")}
</section>`
}

/** The page of a group, or without one the list of all operations. */
export const docsPage = (
  openapi: unknown,
  examples: Readonly<Record<string, ExampleWithCalls | undefined>> = {},
  groupName?: string
): string => {
  const document = openapi as Document
  const groups = groupsOf(document)
  const group = groups.find(({ slug }) => slug === groupName)
  const title = `${group === undefined ? "" : `${group.name} · `}${document.info.title} ${document.info.version}`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(title)}</title>
<style>${style}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the operations</a>
<div class="page">
${navigation(groups, group)}
<main id="content">
<p><input id="filter" type="search" placeholder="Filter operations by name, path or summary ( / )" aria-label="Filter operations"></p>
${group === undefined ? indexContent(document, groups) : groupContent(document, group, examples)}
</main>
</div>
<script>${docsScript}</script>
</body>
</html>
`
}
