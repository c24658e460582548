/** The parts of the API reference that show schemas: types, limits and tables of members. */

import { escapeHtml } from "../../infra/http/html.ts"

type Json = Readonly<Record<string, unknown>>

/** The parts of an OpenAPI document that the page uses. */
export interface Schema {
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

export interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
}

export interface Body {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>
}

export interface Operation {
  readonly operationId: string
  readonly tags?: ReadonlyArray<string>
  readonly summary?: string
  readonly description?: string
  readonly parameters?: ReadonlyArray<Parameter>
  readonly requestBody?: Body
  readonly responses: Readonly<Record<string, Body & { readonly description: string }>>
  readonly security?: ReadonlyArray<Json>
}

export interface Document {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string }
  readonly tags?: ReadonlyArray<{ readonly name: string; readonly description?: string }>
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> }
}

export const text = (value: unknown): string => escapeHtml(String(value))

/** Text between backticks is rendered as code; no other markup is interpreted. */
export const prose = (value: string): string => text(value).replace(/`([^`]+)`/g, "<code>$1</code>")

const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf("/") + 1)
export const anchor = (...parts: ReadonlyArray<string>): string =>
  parts
    .join("-")
    .replace(/[^A-Za-z0-9]+/g, "-")
    .toLowerCase()

/** A short description of a schema, with links to named schemas. */
export const typeOf = (schema: Schema | undefined): string => {
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
export const notes = (schema: Schema, description: string | undefined): string => {
  const bounds = [
    range(schema.minimum, schema.maximum, ""),
    range(schema.minLength, schema.maxLength, " characters"),
    range(schema.minItems, schema.maxItems, " entries"),
    schema.format
  ].filter((bound) => bound !== undefined)
  return [...bounds.map(text), ...(description === undefined ? [] : [prose(description)])].join("; ")
}

export const table = (rows: ReadonlyArray<ReadonlyArray<string>>, headers: ReadonlyArray<string>): string =>
  `<div class="wide"><table><thead><tr>${headers.map((header) => `<th scope="col">${header}</th>`).join("")}</tr></thead><tbody>${rows
    .map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`)
    .join("")}</tbody></table></div>`

export const memberRows = (schema: Schema, place: string) =>
  Object.entries(schema.properties ?? {}).map(([name, member]) => [
    `<code>${text(name)}</code>`,
    place,
    schema.required?.includes(name) === true ? "yes" : "",
    typeOf(member),
    notes(member, member.description)
  ])

export const bodySchema = (body: Body | undefined): Schema | undefined => Object.values(body?.content ?? {})[0]?.schema

export const resolve = (schema: Schema | undefined, document: Document): Schema | undefined =>
  schema?.$ref === undefined ? schema : document.components?.schemas?.[nameOf(schema.$ref)]

const credentials: Readonly<Record<string, string>> = {
  session: "a session token",
  apiKey: "an API key",
  worker: "a worker token",
  scim: "a SCIM token"
}

export const access = (operation: Operation): string => {
  const schemes = (operation.security ?? []).flatMap((requirement) => Object.keys(requirement))
  return schemes.length === 0
    ? "No authentication."
    : `Requires ${schemes.map((scheme) => credentials[scheme] ?? scheme).join(" or ")}.`
}

export const schemaSection = (name: string, schema: Schema): string =>
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
