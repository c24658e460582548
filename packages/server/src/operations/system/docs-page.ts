/** The API reference as one HTML page, rendered on the server. It loads no resources and runs no scripts. */

type Json = Readonly<Record<string, unknown>>

/** The parts of an OpenAPI document that the page uses. */
interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly description?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly anyOf?: ReadonlyArray<Schema>
  readonly allOf?: ReadonlyArray<Schema>
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: ReadonlyArray<string>
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly format?: string
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
}

interface Body {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>
}

interface Operation {
  readonly operationId: string
  readonly tags?: ReadonlyArray<string>
  readonly summary?: string
  readonly description?: string
  readonly parameters?: ReadonlyArray<Parameter>
  readonly requestBody?: Body
  readonly responses: Readonly<Record<string, Body & { readonly description: string }>>
  readonly security?: ReadonlyArray<Json>
}

interface Document {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string }
  readonly tags?: ReadonlyArray<{ readonly name: string; readonly description?: string }>
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> }
}

/** The page loads no resources and runs no scripts; its styles are inline. */
export const contentSecurityPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}
const text = (value: unknown): string => String(value).replace(/[&<>"']/g, (character) => escapes[character] ?? "")

/** Text between backticks is rendered as code; no other markup is interpreted. */
const prose = (value: string): string => text(value).replace(/`([^`]+)`/g, "<code>$1</code>")

const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf("/") + 1)
const anchor = (...parts: ReadonlyArray<string>): string =>
  parts
    .join("-")
    .replace(/[^A-Za-z0-9]+/g, "-")
    .toLowerCase()

/** A short description of a schema, with links to named schemas. */
const typeOf = (schema: Schema | undefined): string => {
  if (schema === undefined) return "anything"
  if (schema.$ref !== undefined) {
    const name = nameOf(schema.$ref)
    return `<a href="#${anchor("schema", name)}">${text(name)}</a>`
  }
  if (schema.enum !== undefined)
    return schema.enum.map((value) => `<code>${text(JSON.stringify(value))}</code>`).join(" | ")
  const parts = schema.anyOf ?? schema.allOf
  if (parts !== undefined) return parts.map(typeOf).join(schema.anyOf === undefined ? " and " : " | ")
  if (schema.type === "array") return `list of ${typeOf(schema.items)}`
  if (schema.properties !== undefined) {
    const members = Object.entries(schema.properties).map(
      ([name, member]) => `${text(name)}${schema.required?.includes(name) === true ? "" : "?"}: ${typeOf(member)}`
    )
    return `{ ${members.join(", ")} }`
  }
  return text(schema.type ?? "anything")
}

const range = (low: number | undefined, high: number | undefined, unit: string): string | undefined =>
  low === undefined && high === undefined ? undefined : `${low ?? 0}–${high ?? "…"}${unit}`

/** Limits and description, for the last column. */
const notes = (schema: Schema, description: string | undefined): string => {
  const bounds = [
    range(schema.minimum, schema.maximum, ""),
    range(schema.minLength, schema.maxLength, " characters"),
    range(schema.minItems, schema.maxItems, " entries"),
    schema.format
  ].filter((bound) => bound !== undefined)
  return [...bounds.map(text), ...(description === undefined ? [] : [prose(description)])].join("; ")
}

const table = (rows: ReadonlyArray<ReadonlyArray<string>>, headers: ReadonlyArray<string>): string =>
  `<div class="wide"><table><thead><tr>${headers.map((header) => `<th scope="col">${header}</th>`).join("")}</tr></thead><tbody>${rows
    .map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`)
    .join("")}</tbody></table></div>`

const memberRows = (schema: Schema, place: string) =>
  Object.entries(schema.properties ?? {}).map(([name, member]) => [
    `<code>${text(name)}</code>`,
    place,
    schema.required?.includes(name) === true ? "yes" : "",
    typeOf(member),
    notes(member, member.description)
  ])

const bodySchema = (body: Body | undefined): Schema | undefined => Object.values(body?.content ?? {})[0]?.schema

const resolve = (schema: Schema | undefined, document: Document): Schema | undefined =>
  schema?.$ref === undefined ? schema : document.components?.schemas?.[nameOf(schema.$ref)]

const credentials: Readonly<Record<string, string>> = {
  session: "a session token",
  apiKey: "an API key",
  worker: "a worker token",
  scim: "a SCIM token"
}

const access = (operation: Operation): string => {
  const schemes = (operation.security ?? []).flatMap((requirement) => Object.keys(requirement))
  return schemes.length === 0
    ? "No authentication."
    : `Requires ${schemes.map((scheme) => credentials[scheme] ?? scheme).join(" or ")}.`
}

const section = (path: string, method: string, operation: Operation, document: Document): string => {
  const parameters = (operation.parameters ?? []).map((parameter) => [
    `<code>${text(parameter.name)}</code>`,
    text(parameter.in),
    parameter.required === true ? "yes" : "",
    typeOf(parameter.schema),
    notes(parameter.schema, parameter.description)
  ])
  const body = bodySchema(operation.requestBody)
  const resolved = resolve(body, document)
  const members = resolved?.properties === undefined ? [] : memberRows(resolved, "body")
  const rows = [...parameters, ...members]
  const responses = Object.entries(operation.responses).map(([status, response]) => [
    `<code>${text(status)}</code>`,
    prose(response.description),
    bodySchema(response) === undefined ? "no body" : typeOf(bodySchema(response))
  ])
  return `<article id="${anchor(operation.operationId)}">
<h3>${text(operation.operationId)}</h3>
<p class="route"><span class="method ${text(method)}">${text(method.toUpperCase())}</span> <code>${text(path)}</code></p>
<p>${prose(operation.summary ?? "")}</p>
${operation.description === undefined ? "" : `<p>${prose(operation.description)}</p>`}
<p class="access">${text(access(operation))}</p>
${rows.length === 0 ? "" : table(rows, ["Field", "In", "Required", "Type", "Notes"])}
${body !== undefined && members.length === 0 ? `<p>Body: ${typeOf(body)}</p>` : ""}
<details><summary>Responses</summary>${table(responses, ["Status", "Meaning", "Body"])}</details>
</article>`
}

const schemaSection = (name: string, schema: Schema): string =>
  `<article id="${anchor("schema", name)}"><h3>${text(name)}</h3>${
    schema.description === undefined ? "" : `<p>${prose(schema.description)}</p>`
  }${
    schema.properties === undefined
      ? `<p>${typeOf(schema)}</p>`
      : table(
          memberRows(schema, "").map((row) => row.filter((_, column) => column !== 1)),
          ["Field", "Always present", "Type", "Notes"]
        )
  }</article>`

const style = `
:root { color-scheme: light dark; --line: #8884; --faint: #8881; --accent: light-dark(#0a5ad4, #7db2ff); }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; background: light-dark(#fff, #16181c); color: light-dark(#1b1d21, #e4e6ea); }
a { color: var(--accent); text-decoration: none; } a:hover, a:focus { text-decoration: underline; }
code { font: 0.9em ui-monospace, monospace; overflow-wrap: anywhere; }
.page { display: grid; grid-template-columns: 17rem minmax(0, 1fr); max-width: 90rem; margin: 0 auto; }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem 1rem; border-right: 1px solid var(--line); font-size: 0.9rem; }
nav ul { list-style: none; margin: 0 0 1rem; padding: 0; } nav li { margin: 0.15rem 0; } nav h2 { font-size: 0.9rem; margin: 0 0 0.25rem; }
main { padding: 1.5rem 2rem 6rem; min-width: 0; }
article { padding: 1.25rem 0; border-top: 1px solid var(--line); } article:target { background: var(--faint); }
h1, h2, h3 { line-height: 1.25; } h3 { margin: 0; }
.route { margin: 0.35rem 0; } .access { opacity: 0.8; }
.method { font: 600 0.8em ui-monospace, monospace; padding: 0.1rem 0.4rem; border: 1px solid var(--line); border-radius: 0.25rem; }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: 0.9rem; margin: 0.5rem 0; }
th, td { text-align: left; vertical-align: top; padding: 0.35rem 0.75rem 0.35rem 0; border-bottom: 1px solid var(--line); } th { font-weight: 600; }
summary { cursor: pointer; } .skip { position: absolute; left: -100rem; } .skip:focus { left: 1rem; }
@media (max-width: 50rem) { .page { display: block; } nav { position: static; height: auto; border: 0; } main { padding: 1rem; } }
`

/** The API reference as a page: groups, operations and schemas, with a table of contents. */
export const docsPage = (openapi: unknown): string => {
  const document = openapi as Document
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation }))
  )
  const groups = (document.tags ?? []).map((tag) => ({
    ...tag,
    operations: operations.filter(({ operation }) => operation.tags?.includes(tag.name) === true)
  }))
  const schemas = Object.entries(document.components?.schemas ?? {})
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(document.info.title)} ${text(document.info.version)}</title>
<style>${style}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the operations</a>
<div class="page">
<nav aria-label="Contents">
${groups
  .map(
    (group) =>
      `<h2><a href="#${anchor("group", group.name)}">${text(group.name)}</a></h2><ul>${group.operations
        .map(
          ({ operation }) => `<li><a href="#${anchor(operation.operationId)}">${text(operation.operationId)}</a></li>`
        )
        .join("")}</ul>`
  )
  .join("\n")}
<h2><a href="#schemas">Schemas</a></h2>
</nav>
<main id="content">
<h1>${text(document.info.title)}</h1>
<p>${prose(document.info.description ?? "")}</p>
<p>${operations.length} operations in ${groups.length} groups. Users authenticate with <code>authorization: Bearer &lt;session token&gt;</code>, programs with <code>x-api-key: &lt;key&gt;</code>. OpenAPI document: <a href="openapi.json">openapi.json</a>.</p>
${groups
  .map(
    (group) =>
      `<section><h2 id="${anchor("group", group.name)}">${text(group.name)}</h2><p>${prose(group.description ?? "")}</p>${group.operations
        .map(({ method, operation, path }) => section(path, method, operation, document))
        .join("\n")}</section>`
  )
  .join("\n")}
<section><h2 id="schemas">Schemas</h2>
${schemas.map(([name, schema]) => schemaSection(name, schema)).join("\n")}
</section>
</main>
</div>
</body>
</html>
`
}
