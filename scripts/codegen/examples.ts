/**
 * Generates, from the recorded examples in `packages/schema/examples`: the module with the examples and their calls in
 * TypeScript and on the command line, and a file that checks the types of the calls.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { replacedOperations } from "../../packages/cli/src/extra-commands.ts"
import type { CommandTable, FlagRow, OperationRow } from "../../packages/cli/src/command-table.ts"
import { shellQuoted } from "../../packages/cli/src/shell.ts"
import { overrides } from "../../packages/cli/src/overrides/index.ts"
import type { Example, ExampleWithCalls } from "../../packages/schema/src/shared/example.ts"
import { contract, isOfMachines, type Operation } from "./reflect.ts"

const folder = join(import.meta.dirname, "../../packages/schema/examples")

/** The recorded examples by operation ID. */
export const recordedExamples: Readonly<Record<string, Example>> = Object.fromEntries(
  readdirSync(folder)
    .toSorted()
    .flatMap((name) => Object.entries(JSON.parse(readFileSync(join(folder, name), "utf8")) as Record<string, Example>))
)

/** The values of the path parameters, in order. */
const pathValues = ({ path }: Operation, request: Example["request"]): ReadonlyArray<string> => {
  const values = request.path.split("/")
  return path
    .split("/")
    .flatMap((segment, index) => (segment.startsWith(":") ? [decodeURIComponent(values[index] ?? "")] : []))
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A value as TypeScript, on one line if it is short. */
const literal = (value: unknown, indent = ""): string => {
  const parts = Array.isArray(value)
    ? value.map((item) => literal(item, `${indent}  `))
    : isObject(value)
      ? Object.entries(value).map(
          ([name, inner]) =>
            `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)}: ${literal(inner, `${indent}  `)}`
        )
      : undefined
  if (parts === undefined) return JSON.stringify(value)
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"]
  if (parts.length === 0) return `${open}${close}`
  const space = open === "{" ? " " : ""
  const line = `${open}${space}${parts.join(", ")}${space}${close}`
  return line.length + indent.length <= 80 && !line.includes("\n")
    ? line
    : `${open}\n${parts.map((part) => `${indent}  ${part}`).join(",\n")}\n${indent}${close}`
}

const queryValue = (operation: Operation, name: string, value: unknown): unknown => {
  const kind = operation.query.find((member) => member.name === name)?.kind
  if (typeof value !== "string") return value
  if (kind === "integer" || kind === "number") return Number(value)
  return kind === "boolean" || kind === "boolean-literal" ? value === "true" : value
}

/** The call in TypeScript; undefined for an operation that no client has. */
const typescriptOf = (operation: Operation, { request }: Example): string | undefined => {
  if (isOfMachines(operation) || operation.access.kind === "state") return undefined
  const query = Object.fromEntries(
    Object.entries(request.query ?? {}).map(([name, value]) => [name, queryValue(operation, name, value)])
  )
  const input = { ...query, ...(operation.body !== null && isObject(request.body) ? request.body : {}) }
  const needsInput = operation.body !== null && operation.body.members.some(({ optional }) => !optional)
  const values = [
    ...pathValues(operation, request).map((value) => JSON.stringify(value)),
    ...(Object.keys(input).length > 0 || needsInput ? [literal(input)] : [])
  ]
  const call = `await orgplane.${operation.group}.${operation.name}(${values.join(", ")})`
  return operation.paged ? `${call}.take(20)` : call
}

const flagWords = (flag: FlagRow, value: unknown): ReadonlyArray<string> | undefined => {
  if (flag.file !== undefined || flag.pairs === true || value === null) return undefined
  if (flag.type === "boolean")
    return typeof value === "boolean" ? [value ? `--${flag.name}` : `--no-${flag.name}`] : undefined
  const values: ReadonlyArray<unknown> = Array.isArray(value) ? value : [value]
  if (values.length === 0 || values.some((each) => typeof each === "object")) return undefined
  return values.flatMap((each) => [`--${flag.name}`, shellQuoted(String(each))])
}

const sameJson = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/** The words for the members of a body; undefined if the body needs a file. */
const bodyWords = (row: OperationRow, body: Readonly<Record<string, unknown>>): ReadonlyArray<string> | undefined => {
  const words: Array<string> = []
  const { flatten } = row
  const nested = flatten === undefined ? undefined : body[flatten]
  const members = [
    ...Object.entries(body)
      .filter(([name]) => name !== flatten)
      .map(([name, value]) => ({ name, value, isNested: false })),
    ...(isObject(nested) ? Object.entries(nested).map(([name, value]) => ({ name, value, isNested: true })) : [])
  ]
  const placed = new Map<string, string>()
  for (const { isNested, name, value } of members) {
    if (sameJson(row.constants?.[name], value) || sameJson(overrides[row.id]?.defaults?.[name], value)) continue
    const argument = row.arguments?.find(({ member }) => member === name)
    if (argument !== undefined && !isNested) {
      const text = argument.object && isObject(value) ? value["id"] : value
      if (typeof text !== "string") return undefined
      placed.set(name, shellQuoted(text))
      continue
    }
    const flag = row.flags.find((each) => each.member === name && (each.nested === true) === isNested)
    const own = flag === undefined ? undefined : flagWords(flag, value)
    if (own === undefined) return undefined
    words.push(...own)
  }
  return [...(row.arguments ?? []).flatMap(({ member }) => placed.get(member) ?? []), ...words]
}

/** The command; undefined for an operation that has no command of its own. */
const commandOf = (
  operation: Operation,
  { request }: Example,
  rows: ReadonlyMap<string, { readonly group: string; readonly row: OperationRow }>
): string | undefined => {
  const entry = rows.get(operation.operationId)
  if (entry === undefined || replacedOperations.has(operation.operationId)) return undefined
  const { group, row } = entry
  const start = ["orgplane", group, row.name, ...pathValues(operation, request).map(shellQuoted)]
  const query = Object.entries(request.query ?? {}).flatMap(([name, value]) => {
    const argument = row.arguments?.find(({ member }) => member === name)
    if (argument !== undefined && operation.body === null) return [shellQuoted(String(value))]
    if (name === "limit") return ["--limit", String(value)]
    const flag = row.flags.find((each) => each.member === name && each.in === "query")
    return flag === undefined ? [] : (flagWords(flag, queryValue(operation, name, value)) ?? [])
  })
  const archive = overrides[operation.operationId]?.archive === true ? ["--to", "plugin.tar.gz"] : []
  if (operation.body === null || !isObject(request.body)) return [...start, ...query, ...archive].join(" ")
  const words = bodyWords(row, request.body)
  return [...start, ...query, ...(words ?? ["--input", "request.json"])].join(" ")
}

const notice = "// Written by `pnpm codegen` from `packages/schema/examples`.\n"

export const generatedExamples = (table: CommandTable): Readonly<Record<string, ExampleWithCalls>> => {
  const rows = new Map(
    table.flatMap((group) => group.operations.map((row) => [row.id, { group: group.name, row }] as const))
  )
  return Object.fromEntries(
    contract()
      .groups.flatMap(({ operations }) => operations)
      .flatMap((operation) => {
        const example = recordedExamples[operation.operationId]
        if (example === undefined) return []
        const typescript = typescriptOf(operation, example)
        const command = commandOf(operation, example, rows)
        return [
          [
            operation.operationId,
            {
              ...example,
              ...(typescript === undefined ? {} : { typescript }),
              ...(command === undefined ? {} : { command })
            }
          ] as const
        ]
      })
  )
}

export const exampleFiles = (
  examples: Readonly<Record<string, ExampleWithCalls>>
): Readonly<Record<string, string>> => {
  const calls = Object.values(examples).flatMap(({ typescript }) => typescript ?? [])
  return {
    "packages/schema/src/generated/examples.ts": `${notice}
import type { ExampleWithCalls } from "../shared/example.ts"

/** By operation ID. Parsed from text, which is faster than a literal of this size. */
export const examples = JSON.parse(
  ${JSON.stringify(JSON.stringify(examples))}
) as Readonly<Record<string, ExampleWithCalls>>
`,
    "packages/client/test/generated/examples.ts": `${notice}
import type { OrgplaneClient } from "../../src/index.ts"

/** Never called: the compiler checks the call in each example. */
export const examples = async (orgplane: OrgplaneClient): Promise<void> => {
${calls.map((call) => `  ${call.replaceAll("\n", "\n  ")}`).join("\n")}
}
`
  }
}
