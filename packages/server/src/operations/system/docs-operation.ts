/** One operation of the API reference: its fields, a request in three languages, its response, and its errors. */
import type { ExampleWithCalls } from "@orgplane/schema/shared/example"
import { exampleRequests, exampleResponse, exampleTarget, shortened } from "@orgplane/schema/shared/example-requests"
import {
  access,
  anchor,
  type Body,
  bodySchema,
  type Document,
  memberRows,
  notes,
  type Operation,
  prose,
  resolve,
  table,
  text,
  typeOf
} from "./docs-schema.ts"

const block = (code: string): string => `<pre tabindex="0"><code>${text(shortened(code))}</code></pre>`

/** Tabs that work without a script: the checked radio button decides which panel is visible. */
const tabs = (id: string, panels: ReadonlyArray<readonly [label: string, code: string]>): string =>
  `<div class="tabs">${panels
    .map(
      ([label], index) =>
        `<input type="radio" name="${id}" id="${id}-${index}"${index === 0 ? " checked" : ""}><label for="${id}-${index}">${label}</label>`
    )
    .join("")}${panels.map(([, code]) => `<div class="panel">${block(code)}</div>`).join("")}</div>`

const exampleOf = (operation: Operation, example: ExampleWithCalls | undefined): string => {
  if (example === undefined) return ""
  const id = anchor("example", operation.operationId)
  const { request } = example
  const panels = exampleRequests(example, operation.security).map(({ code, label }) => [label, code] as const)
  const body = request.body === undefined ? "" : JSON.stringify(request.body, null, 2)
  return `${tabs(id, panels)}
${block(exampleResponse(example))}
<div class="try" data-method="${text(request.method)}" data-target="${text(exampleTarget(example))}" data-body="${text(body)}"></div>`
}

/** The type of the body, for the table of responses. */
const bodyType = (body: Body): string => (bodySchema(body) === undefined ? "no body" : typeOf(bodySchema(body)))

export const operationSection = (
  path: string,
  method: string,
  operation: Operation,
  document: Document,
  example: ExampleWithCalls | undefined
): string => {
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
    bodyType(response)
  ])
  return `<article id="${anchor(operation.operationId)}" data-find="${text(
    `${operation.operationId} ${path} ${operation.summary ?? ""}`.toLowerCase()
  )}">
<h3>${text(operation.operationId)} <a class="link" href="#${anchor(operation.operationId)}" aria-label="Link to ${text(operation.operationId)}">#</a></h3>
<p class="route"><span class="method ${text(method)}">${text(method.toUpperCase())}</span> <code>${text(path)}</code></p>
<p>${prose(operation.summary ?? "")}</p>
${operation.description === undefined ? "" : `<p>${prose(operation.description)}</p>`}
<p class="access">${text(access(operation))}</p>
${rows.length === 0 ? "" : table(rows, ["Field", "In", "Required", "Type", "Notes"])}
${body !== undefined && members.length === 0 ? `<p>Body: ${typeOf(body)}</p>` : ""}
${exampleOf(operation, example)}
<details><summary>Responses</summary>${table(responses, ["Status", "Meaning", "Body"])}</details>
</article>`
}
