/** Generates the two files of the Promise client: the types of the contract, and one line for each operation. */
import manifest from "../../packages/client/package.json" with { type: "json" }
import { deprecationText, permissionsText } from "../../packages/schema/src/shared/auth.ts"
import type { ExampleWithCalls } from "../../packages/schema/src/shared/example.ts"
import { contract, isOfMachines, isStreamed, type Member, type Operation } from "./reflect.ts"
import { docstring } from "./types.ts"

const notice = "// Written by `pnpm codegen`; change the contract instead.\n"
const capital = (name: string) => name.slice(0, 1).toUpperCase() + name.slice(1)

const typeOf = (member: Member) => (member.kind === "boolean-literal" ? "boolean" : member.type)

const memberLines = (members: ReadonlyArray<Member>) =>
  members
    .map(
      (member) =>
        `${docstring(member.description, "  ")}  readonly ${member.name}${member.optional ? "?" : ""}: ${typeOf(member)}${member.optional ? " | undefined" : ""}\n`
    )
    .join("")

interface Input {
  readonly type: string
  readonly optional: boolean
  /** Set if the type has no name in the contract. */
  readonly declaration: string | undefined
}

/** The fields of query and body in one object, so each name can be in only one of them. */
export const inputOf = (operation: Operation): Input | undefined => {
  const body = operation.body?.members ?? []
  const members = [...operation.query, ...body]
  for (const { name } of operation.query) {
    if (body.some((member) => member.name === name)) {
      throw new Error(`client: ${operation.operationId}: ${name} is a field of both query and body`)
    }
  }
  if (operation.body !== null && operation.body.contentType !== "application/json") {
    throw new Error(`client: ${operation.operationId}: the client does not support ${operation.body.contentType}`)
  }
  if (members.length === 0) return undefined
  const optional = members.every((member) => member.optional)
  if (operation.query.length === 0 && operation.body?.name !== undefined) {
    return { type: operation.body.name, optional, declaration: undefined }
  }
  const type = `${capital(operation.group)}${capital(operation.name)}Input`
  const base = operation.body?.name
  const own = base === undefined ? members : operation.query
  return {
    type,
    optional,
    declaration: `${docstring(`Input of \`${operation.operationId}\`.`)}export interface ${type}${base === undefined ? "" : ` extends ${base}`} {\n${memberLines(own)}}\n`
  }
}

/**
 * The member that is returned instead of the body: a body whose only member, besides `ok`, is `item` or an object, such as
 * `{ ok: true, item }` or `{ team }`. Undefined if the body is returned.
 */
const wrappedMember = (operation: Operation): string | undefined => {
  if (operation.paged || isStreamed(operation)) return undefined
  const names = operation.success.map(({ members, status }) => {
    const [member, ...others] = members.filter(({ name }) => name !== "ok")
    if (status >= 400 || member === undefined || others.length > 0) return undefined
    return member.name === "item" || /^[A-Z]\w*$/.test(member.type) ? member.name : undefined
  })
  return new Set(names).size === 1 ? names[0] : undefined
}

/** The fields of a page besides its items and cursor, as a type argument. */
const furtherFieldsOf = ({ success }: Operation): string => {
  const fields = (success[0]?.members ?? []).filter(({ name }) => name !== "items" && name !== "nextCursor")
  return fields.length === 0 ? "" : `, { ${fields.map(({ name, type }) => `readonly ${name}: ${type}`).join("; ")} }`
}

const resultTypeOf = (operation: Operation): string => {
  const event = operation.streamedEvent
  if (event !== undefined) return `EventStream<${event}>`
  const name = operation.paged ? "items" : wrappedMember(operation)
  const types = operation.success.map((success) => {
    if (name === undefined) return success.type
    const field = success.members.find((member) => member.name === name)
    if (field === undefined) throw new Error(`client: ${operation.operationId} does not return ${name}`)
    return operation.paged ? field.type.replace(/^ReadonlyArray<(.*)>$/s, "$1") : field.type
  })
  const text = [...new Set(types)].join(" | ").replaceAll("\n", "\n  ")
  return operation.paged ? `List<${text}${furtherFieldsOf(operation)}>` : `Call<${text}>`
}

/** One line of the route table; the transport documents its format. */
const routeOf = (operation: Operation): string => {
  const wrapped = wrappedMember(operation)
  const flags = [
    operation.paged ? "*" : "",
    operation.method === "POST" && operation.idempotency !== "none" ? "+" : "",
    operation.reads ? "=" : "",
    wrapped === undefined ? "" : wrapped === "item" ? ">" : `>${wrapped}`,
    operation.streamedEvent !== undefined ? "~~" : isStreamed(operation) ? "~" : "",
    operation.body === null ? "" : "{",
    operation.success.some(({ status }) => status === 503) ? "503" : ""
  ].join("")
  const names = operation.body === null ? "" : operation.query.map((member) => member.name).join()
  const query = operation.query.length === 0 ? "" : ` ?${names}`
  return `${operation.method}${flags} ${operation.path.replace(/:\w+/g, ":")}${query}`
}

const accessText = (operation: Operation): string => {
  switch (operation.access.kind) {
    case "public":
      return "Requires no credential."
    case "permission":
      return `Requires the ${permissionsText(operation.access)}.`
    case "permissionOrPlatform":
      return `Requires the permission \`${operation.access.permission}\`, or a platform administrator.`
    case "owner":
      return "Only for owners with a session."
    case "worker":
      return "Only for workers, with their own token."
    case "platform":
      return "Only for platform administrators."
    case "session":
      return "Only for members with a session."
    default:
      return ""
  }
}

/** Long texts, such as certificates, are cut. */
const exampleText = (example: string | undefined): ReadonlyArray<string> =>
  example === undefined
    ? []
    : ["", "@example", "```ts", example.replaceAll(/"([^"\\\n]{100})[^"\\\n]*"/gu, '"$1…"'), "```"]

const documentation = (operation: Operation, example: string | undefined): string => {
  const codes = operation.errors.flatMap(({ own, code }) => (own && code !== undefined ? [`\`${code}\``] : []))
  const facts = [
    accessText(operation),
    operation.plan === undefined ? "" : `Requires a plan with \`${operation.plan}\`.`,
    operation.versioned && operation.method === "GET"
      ? operation.revalidates
        ? "Returns an `ETag`; supports `ifNoneMatch`."
        : "Returns an `ETag` for `ifMatch`."
      : "",
    operation.versioned && operation.method !== "GET" ? "Supports `ifMatch`." : "",
    codes.length === 0 ? "" : `Fails with ${[...new Set(codes)].join(", ")}.`
  ].filter((fact) => fact !== "")
  return [
    `${operation.summary}.`,
    ...(operation.description === undefined ? [] : ["", operation.description]),
    ...(facts.length === 0 ? [] : ["", facts.join(" ")]),
    ...exampleText(example),
    ...(operation.deprecated === undefined ? [] : ["", `@deprecated ${deprecationText(operation.deprecated)}`])
  ].join("\n")
}

const methodOf = (operation: Operation, example: string | undefined): string => {
  const input = inputOf(operation)
  const parameters = [
    ...operation.pathParams.map((member) => `${member.name}: ${member.type}`),
    ...(input === undefined ? [] : [`input${input.optional ? "?" : ""}: ${input.type}`]),
    "options?: RequestOptions"
  ]
  return `${docstring(documentation(operation, example), "  ")}  ${operation.name}(${parameters.join(", ")}): ${resultTypeOf(operation)}\n`
}

const union = (values: ReadonlyArray<string>) => values.map((value) => `\n  | ${JSON.stringify(value)}`).join("")

/** The files of the Promise client, by path from the root of the repository. */
export const clientFiles = (examples: Readonly<Record<string, ExampleWithCalls>>): Readonly<Record<string, string>> => {
  const { errorCodes, forbiddenReasons, types } = contract()
  const groups = contract()
    .groups.map((group) => ({ ...group, operations: group.operations.filter((operation) => !isOfMachines(operation)) }))
    .filter(({ operations }) => operations.length > 0)
  const typesText = [
    notice,
    docstring("Any JSON value."),
    "export type Json = null | string | number | boolean | ReadonlyArray<Json> | { readonly [key: string]: Json }\n\n",
    ...types.flatMap(({ description, declaration }) => [docstring(description), declaration, "\n\n"]),
    docstring("Every value of `error` in a response, which is the `code` of an `OrgplaneError`."),
    `export type ErrorCode =${union(errorCodes)}\n\n`,
    docstring("The reason for a 403 response: the `reason` of a `ForbiddenError`."),
    `export type ForbiddenReason =${union(forbiddenReasons)}\n`
  ].join("")

  const inputs = groups.flatMap((group) =>
    group.operations.flatMap((operation) => inputOf(operation)?.declaration ?? [])
  )
  const interfaces = groups.map(
    (group) =>
      `${docstring(group.description)}export interface ${capital(group.name)}Operations {\n${group.operations.map((operation) => methodOf(operation, examples[operation.operationId]?.typescript)).join("\n")}}\n`
  )
  const body = [...inputs, ...interfaces].join("\n")
  const used = types
    .map(({ name }) => name)
    .filter((name) => new RegExp(`\\b${name}\\b`).test(body.replace(/\/\*\*[^]*?\*\//g, "")))
  const routes = groups.map(
    (group) =>
      `  ${group.name}: {\n${group.operations.map((operation) => `    ${operation.name}: ${JSON.stringify(routeOf(operation))}`).join(",\n")}\n  }`
  )
  const operationsText = [
    notice,
    'import type { Call } from "../call.ts"\n',
    'import type { EventStream } from "../event-stream.ts"\n',
    'import type { List } from "../page.ts"\n',
    'import type { RequestOptions } from "../transport.ts"\n',
    `import type {\n  ${(/\bJson\b/.test(body) ? ["Json", ...used] : used).join(",\n  ")}\n} from "./types.ts"\n\n`,
    body,
    "\n",
    docstring("Every operation, by group."),
    `export interface Operations {\n${groups.map((group) => `${docstring(group.description, "  ")}  readonly ${group.name}: ${capital(group.name)}Operations\n`).join("")}}\n\n`,
    docstring("The route of each operation; the transport documents the format."),
    `export const routes = {\n${routes.join(",\n")}\n} as const satisfies { readonly [G in keyof Operations]: { readonly [O in keyof Operations[G]]: string } }\n`
  ].join("")

  return {
    "packages/client/src/generated/version.ts": `${notice}/** This package's version. */\nexport const version = ${JSON.stringify(manifest.version)}\n`,
    "packages/client/src/generated/types.ts": typesText,
    "packages/client/src/generated/operations.ts": operationsText
  }
}
