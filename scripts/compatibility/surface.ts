/** The public surface of a version: what its users depend on. `releases/<version>/surface.json` keeps it for a release. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as Option from "effect/Option"
import { commands } from "../../packages/cli/src/generated/commands.ts"
import { responseFields } from "../../packages/cli/src/generated/response-fields.ts"
import { exit } from "../../packages/cli/src/exit-code.ts"
import { allHelp } from "../../packages/cli/src/parse.ts"
import { helpText } from "../../packages/server/src/arguments.ts"
import { variables } from "../../packages/server/src/infra/config/variables.ts"
import { definitions } from "../../packages/server/src/infra/metrics/definitions.ts"
import { permissionsOf } from "../../packages/schema/src/shared/auth.ts"
import { contract } from "../codegen/reflect.ts"
import { packageExports, type ProgramSurface, programSurface, serverOptions, statedDefault } from "./packages.ts"
import type { JsonSchema } from "./schemas.ts"

/** Dates of a deprecation, such as `2027-01-31`. */
export interface Deprecation {
  readonly since: string
  readonly sunset: string
}

export interface Parameter {
  readonly required: boolean
  readonly schema: JsonSchema
}

export interface OperationSurface {
  readonly method: string
  readonly path: string
  /** The kind of caller, such as `permission` or `owner`. */
  readonly access: string
  readonly permissions: ReadonlyArray<string>
  readonly plan?: string
  readonly deprecated?: Deprecation
  /** By place and name: `query limit`. */
  readonly parameters: Readonly<Record<string, Parameter>>
  /** By content type. */
  readonly body?: { readonly required: boolean; readonly content: Readonly<Record<string, JsonSchema>> }
  /** By status and content type: `200 application/json`; the type is empty for a response without a body. */
  readonly responses: Readonly<Record<string, JsonSchema>>
  /** Headers of successful responses, by status and name: `200 etag`. */
  readonly responseHeaders?: ReadonlyArray<string>
  /** Status with `error` code or `reason`: `404 plugin_not_found`. */
  readonly errors: ReadonlyArray<string>
}

export interface FlagSurface {
  readonly type: string
  readonly required?: true
  readonly values?: ReadonlyArray<string>
  readonly default?: string
}

export interface CommandSurface {
  readonly aliases: ReadonlyArray<string>
  readonly arguments: ReadonlyArray<{ readonly name: string; readonly required: boolean }>
  readonly flags: Readonly<Record<string, FlagSurface>>
  /** The fields that `--json` can select. */
  readonly fields: ReadonlyArray<string>
}

export interface Surface {
  readonly operations: Readonly<Record<string, OperationSurface>>
  readonly schemas: Readonly<Record<string, JsonSchema>>
  readonly commands: Readonly<Record<string, CommandSurface>>
  readonly exitCodes: Readonly<Record<string, number>>
  readonly variables: ReadonlyArray<string>
  /** The defaults of environment variables that are one word. */
  readonly variableDefaults: Readonly<Record<string, string>>
  /** The exported names by entry point, such as `@orgplane/client/embedded`. */
  readonly exports: Readonly<Record<string, ReadonlyArray<string>>>
  /** The options of the embedded server. */
  readonly options: Readonly<Record<string, "optional" | "required">>
  /** The program `orgplane-server`. */
  readonly program: ProgramSurface
  /** The type and labels by name. */
  readonly metrics: Readonly<Record<string, { readonly type: string; readonly labels: ReadonlyArray<string> }>>
}

const root = join(import.meta.dirname, "../..")
const documentation = new Set(["description", "example", "examples", "title", "summary"])

/** The default that a description states, as a keyword. */
const defaultIn = (description: unknown): { readonly "x-default"?: string } => {
  const initial = typeof description === "string" ? statedDefault(description) : undefined
  return initial === undefined ? {} : { "x-default": initial }
}

/** A schema without its documentation, except its default. The names of properties are not keywords. */
const plain = (value: unknown, areNames = false): unknown => {
  if (Array.isArray(value)) return value.map((each) => plain(each))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries([
    ...Object.entries(value)
      .filter(([key]) => areNames || !documentation.has(key))
      .map(([key, each]) => [key, plain(each, !areNames && key === "properties")]),
    ...(areNames || !("description" in value) ? [] : Object.entries(defaultIn(value.description)))
  ])
}
const plainSchema = (schema: unknown) => plain(schema) as JsonSchema

interface Media {
  readonly schema?: unknown
}
interface OpenApiOperation {
  readonly operationId: string
  readonly deprecated?: boolean
  readonly "x-deprecated-since"?: string
  readonly "x-sunset"?: string
  readonly parameters?: ReadonlyArray<{
    readonly in: string
    readonly name: string
    readonly required?: boolean
    readonly description?: string
    readonly schema: unknown
  }>
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, Media>>; readonly headers?: object }>
  >
}
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
}

/** The schemas of a document, and its operations without what the document does not contain. */
export const surfaceOfDocument = (document: OpenApiDocument) => {
  const operations: Record<string, Omit<OperationSurface, "access" | "permissions" | "errors">> = {}
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const { "x-deprecated-since": since, "x-sunset": sunset } = operation
      operations[operation.operationId] = {
        method: method.toUpperCase(),
        path,
        ...(since === undefined || sunset === undefined ? {} : { deprecated: { since, sunset } }),
        parameters: Object.fromEntries(
          (operation.parameters ?? []).map((each) => [
            `${each.in} ${each.name}`,
            {
              required: each.required === true,
              schema: { ...plainSchema(each.schema), ...defaultIn(each.description) }
            }
          ])
        ),
        ...(operation.requestBody === undefined
          ? {}
          : {
              body: {
                required: operation.requestBody.required === true,
                content: Object.fromEntries(
                  Object.entries(operation.requestBody.content).map(([type, { schema }]) => [type, plainSchema(schema)])
                )
              }
            }),
        responseHeaders: Object.entries(operation.responses)
          .filter(([status]) => Number(status) < 400)
          .flatMap(([status, { headers }]) =>
            Object.keys(headers ?? {}).map((name) => `${status} ${name.toLowerCase()}`)
          ),
        // Error bodies have one form for all operations. Their codes are compared.
        responses: Object.fromEntries(
          Object.entries(operation.responses)
            .filter(([status]) => Number(status) < 400)
            .flatMap(([status, { content }]) =>
              content === undefined
                ? [[`${status} `, {}]]
                : Object.entries(content).map(([type, { schema }]) => [`${status} ${type}`, plainSchema(schema ?? {})])
            )
        )
      }
    }
  }
  const schemas = Object.fromEntries(
    Object.entries(document.components.schemas).map(([name, schema]) => [name, plainSchema(schema)])
  )
  return { operations, schemas }
}

const defaultOf = (help: string): string | undefined => /Default: ([^.]+?)\.?$/u.exec(help)?.[1]

const commandSurfaces = async (): Promise<Surface["commands"]> => {
  const fieldsOf = new Map<string, ReadonlyArray<string>>(
    commands.flatMap((group) =>
      group.operations.map(({ id, name }) => [`${group.name} ${name}`, responseFields[id] ?? []] as const)
    )
  )
  const rows = new Map<string, (typeof commands)[number]["operations"][number]["flags"][number]>(
    commands.flatMap((group) =>
      group.operations.flatMap(({ flags, name }) =>
        flags.map((flag) => [`${group.name} ${name} ${flag.name}`, flag] as const)
      )
    )
  )
  const result: Record<string, CommandSurface> = {}
  for (const { aliases, help, path } of await allHelp(commands)) {
    const words = path.join(" ")
    const global = path.length === 0 ? (help.globalFlags ?? []) : []
    result[words] = {
      aliases,
      arguments: (help.args ?? []).map(({ name, required }) => ({ name, required })),
      flags: Object.fromEntries(
        [...help.flags, ...global].map((flag) => {
          const row = rows.get(`${words} ${flag.name}`)
          const text = Option.getOrElse(flag.description, () => "")
          const initial = defaultOf(text)
          return [
            flag.name,
            {
              type: flag.type,
              ...(row?.required === true ? { required: true as const } : {}),
              ...(row?.values === undefined ? {} : { values: row.values }),
              ...(initial === undefined ? {} : { default: initial })
            }
          ]
        })
      ),
      fields: fieldsOf.get(words) ?? []
    }
  }
  return result
}

/** The surface of the sources beside this script. Generated files must be current. */
export const currentSurface = async (): Promise<Surface> => {
  const path = join(import.meta.dirname, "../../docs/openapi.json")
  const document = surfaceOfDocument(JSON.parse(readFileSync(path, "utf8")) as OpenApiDocument)
  const operations: Record<string, OperationSurface> = {}
  for (const operation of contract().groups.flatMap((group) => group.operations)) {
    const base = document.operations[operation.operationId]
    if (base === undefined) throw new Error(`docs/openapi.json lacks ${operation.operationId}. Run pnpm codegen.`)
    const errors = operation.errors.flatMap(({ code, name, reasons, status }) =>
      code !== undefined
        ? [`${status} ${code}`]
        : reasons.length > 0
          ? reasons.map((one) => `${status} ${one}`)
          : [`${status} ${name}`]
    )
    operations[operation.operationId] = {
      ...base,
      access: operation.access.kind,
      permissions: permissionsOf(operation.access),
      ...(operation.plan === undefined ? {} : { plan: operation.plan }),
      errors: [...new Set(errors)].toSorted()
    }
  }
  return {
    operations,
    schemas: document.schemas,
    commands: await commandSurfaces(),
    exitCodes: { ...exit },
    variables: Object.keys(variables).toSorted(),
    variableDefaults: Object.fromEntries(
      Object.entries(variables).flatMap(([name, text]) => {
        const initial = statedDefault(text)
        return initial === undefined ? [] : [[name, initial] as const]
      })
    ),
    exports: packageExports(root),
    options: serverOptions(root),
    program: programSurface(helpText),
    metrics: Object.fromEntries(
      Object.entries(definitions).map(([name, { labels, type }]) => [name, { type, labels: Object.keys(labels) }])
    )
  }
}

/** One line for each entry, so that a diff of two releases is readable. */
export const printSurface = (surface: Surface): string => {
  const parts = Object.entries(surface).map(([part, value]) => {
    if (Array.isArray(value)) return `${JSON.stringify(part)}: ${JSON.stringify(value)}`
    const lines = Object.entries(value as object).map(
      ([key, each]) => `${JSON.stringify(key)}: ${JSON.stringify(each)}`
    )
    return `${JSON.stringify(part)}: {\n${lines.join(",\n")}\n}`
  })
  return `{\n${parts.join(",\n")}\n}\n`
}
