/** The command line's table, read from the contract: what each command is called, takes and sends. */
import * as Context from "effect/Context"
import * as SchemaAST from "effect/SchemaAST"
import * as HttpApi from "effect/http-api/HttpApi"
import * as OpenApi from "effect/http-api/OpenApi"
import { globalNames } from "../../packages/cli/src/global-names.ts"
import { type Override, overrides } from "../../packages/cli/src/overrides.ts"
import type { CommandTable, FlagRow, GroupRow, JsonRow, OperationRow } from "../../packages/cli/src/table.ts"
import { OrgplaneApi } from "../../packages/schema/src/api.ts"
import { AccessKind, Paged } from "../../packages/schema/src/shared/auth.ts"

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

interface Member {
  readonly name: string
  readonly optional: boolean
  readonly ast: SchemaAST.AST
  readonly help: string | undefined
}

const membersOf = (ast: SchemaAST.AST): ReadonlyArray<Member> => {
  const type = SchemaAST.toType(ast)
  if (!SchemaAST.isObjects(type)) return []
  return type.propertySignatures.map((property) => ({
    name: String(property.name),
    optional: SchemaAST.isOptional(property.type),
    ast: withoutNull(property.type),
    help: SchemaAST.resolveDescription(property.type)
  }))
}

/** A nullable member is set by its flag and cleared by `null` in `--input`. */
const withoutNull = (ast: SchemaAST.AST): SchemaAST.AST => {
  if (!SchemaAST.isUnion(ast)) return ast
  const types = ast.types.filter((type) => !SchemaAST.isNull(type) && !SchemaAST.isUndefined(type))
  const [only] = types
  return types.length === 1 && only !== undefined ? only : ast
}

const literalsOf = (ast: SchemaAST.AST): ReadonlyArray<string | number | boolean> | undefined => {
  const types = SchemaAST.isUnion(ast) ? ast.types : [ast]
  const values = types.flatMap((type) =>
    SchemaAST.isLiteral(type) && typeof type.literal !== "bigint" ? [type.literal] : []
  )
  return values.length === types.length && values.length > 0 ? values : undefined
}

const checksOf = (ast: SchemaAST.AST): ReadonlyArray<{ readonly id?: string; readonly payload?: unknown }> =>
  (ast.checks ?? []).map((check) => (check.annotations?.["representation"] ?? {}) as { id?: string; payload?: unknown })

const boundOf = (ast: SchemaAST.AST): number | undefined => {
  const between = checksOf(ast).find((check) => check.id === "effect/schema/isBetween")?.payload
  return (between as { maximum?: number } | undefined)?.maximum
}

type Kind = Pick<FlagRow, "type" | "values">

const scalarOf = (ast: SchemaAST.AST): Kind | undefined => {
  const literals = literalsOf(ast)
  if (literals !== undefined) {
    const values = literals.map(String)
    if (values.every((value) => value === "true" || value === "false")) return { type: "boolean" }
    return literals.every((value) => typeof value === "string") ? { type: "enum", values } : undefined
  }
  if (SchemaAST.isString(ast) || SchemaAST.isTemplateLiteral(ast)) return { type: "string" }
  if (SchemaAST.isBoolean(ast)) return { type: "boolean" }
  if (SchemaAST.isNumber(ast)) {
    return { type: checksOf(ast).some((check) => check.id === "effect/schema/isInt") ? "integer" : "number" }
  }
  return undefined
}

/** What is typed on a command line is in the list of processes, for everybody on the machine to read. */
const secret = /token|secret|password|credential/i

/** A flag for what fits on a command line; `undefined` is for what comes with `--input`. */
const flagOf = (member: Member, where: "query" | "body", override: Override): FlagRow | undefined => {
  const element = SchemaAST.isArrays(member.ast) && member.ast.elements.length === 0 ? member.ast.rest[0] : undefined
  const kind = scalarOf(element ?? member.ast)
  if (kind === undefined || (element !== undefined && kind.type === "boolean")) return undefined
  if (where === "body" && kind.type === "string" && secret.test(member.name)) return undefined
  const said = override.flags?.[member.name]
  return {
    name: said?.name ?? kebab(member.name),
    member: member.name,
    in: where,
    ...kind,
    ...(element === undefined ? {} : { many: true }),
    ...(member.optional || override.defaults?.[member.name] !== undefined ? {} : { required: true }),
    ...(said?.file ? { file: true } : {}),
    ...(member.help === undefined ? {} : { help: member.help })
  }
}

/** Every operation of the contract as a row; throws where a command would be ambiguous. */
export const commandTable = (): CommandTable => {
  const groups = new Map<string, GroupRow & { operations: Array<OperationRow> }>()
  const known = new Set<string>()
  HttpApi.reflect(OrgplaneApi, {
    onGroup({ group, mergedAnnotations }) {
      groups.set(group.identifier, {
        name: kebab(group.identifier),
        id: group.identifier,
        summary: Context.getOrUndefined(mergedAnnotations, OpenApi.Description) ?? group.identifier,
        operations: []
      })
    },
    onEndpoint({ group, endpoint, mergedAnnotations }) {
      const id = `${group.identifier}.${endpoint.identifier}`
      known.add(id)
      groups.get(group.identifier)?.operations.push(operationRow(id, endpoint, mergedAnnotations))
    }
  })
  for (const id of Object.keys(overrides)) {
    if (!known.has(id)) throw new Error(`cli: the override of ${id} has no operation`)
  }
  return [...groups.values()]
}

const operationRow = (
  id: string,
  endpoint: Parameters<Parameters<typeof HttpApi.reflect>[1]["onEndpoint"]>[0]["endpoint"],
  annotations: Context.Context<never>
): OperationRow => {
  const override = overrides[id] ?? {}
  const paged = Context.getOrUndefined(annotations, Paged) === true
  const hidden = new Set(override.hide)
  const shown = (member: Member) => !hidden.has(member.name) && !(paged && member.name === "limit")
  const query = endpoint.query === undefined ? [] : membersOf(endpoint.query.ast)
  const payloads = [...endpoint.payload.values()].flatMap((payload) => payload.schemas)
  const whole = payloads.flatMap((schema) => membersOf(schema.ast))
  const nested = whole.find((member) => member.name === override.flatten)
  if (override.flatten !== undefined && nested === undefined) throw new Error(`cli: ${id} has no ${override.flatten}`)
  const body = nested === undefined ? whole : [...membersOf(nested.ast), ...whole.filter((member) => member !== nested)]

  const flags: Array<FlagRow> = []
  const json: Array<JsonRow> = []
  const constants: Record<string, string | number | boolean> = {}
  const taken = new Set(globalNames)
  for (const [where, members] of [["query", query], ["body", body]] as const) {
    for (const member of members.filter(shown)) {
      const [constant, ...others] = literalsOf(member.ast) ?? []
      if (where === "body" && !member.optional && constant !== undefined && others.length === 0) {
        constants[member.name] = constant
        continue
      }
      const flag = flagOf(member, where, override)
      if (flag === undefined) {
        if (where === "query") throw new Error(`cli: ${id}: no flag can say the query member ${member.name}`)
        json.push({
          member: member.name,
          ...(member.optional ? {} : { required: true }),
          ...(member.help === undefined ? {} : { help: member.help })
        })
        continue
      }
      if (taken.has(flag.name)) throw new Error(`cli: ${id}: --${flag.name} is taken; name it in the overrides`)
      taken.add(flag.name)
      flags.push(flag)
    }
  }
  const limit = query.find((member) => member.name === "limit")
  // Not of the merged annotations: those fall back to the group's sentence.
  const description = Context.getOrUndefined(endpoint.annotations, OpenApi.Description)
  return {
    name: kebab(endpoint.identifier),
    id,
    method: endpoint.method,
    path: endpoint.path,
    ids: idsOf(endpoint.path, endpoint.params === undefined ? [] : membersOf(endpoint.params.ast)),
    flags,
    ...(json.length === 0 ? {} : { json }),
    ...(Object.keys(constants).length === 0 ? {} : { constants }),
    ...(override.flatten === undefined ? {} : { flatten: override.flatten }),
    ...(payloads.length === 0 ? {} : { body: true }),
    ...(paged ? { pageMax: (limit === undefined ? undefined : boundOf(limit.ast)) ?? 100 } : {}),
    ...(Context.getOrUndefined(annotations, AccessKind)?.kind === "public" ? { public: true } : {}),
    summary: Context.getOrUndefined(annotations, OpenApi.Summary) ?? endpoint.identifier,
    ...(description === undefined ? {} : { description })
  }
}

/** In the order of the path, which is the order a person reads them in. */
const idsOf = (path: string, members: ReadonlyArray<Member>): OperationRow["ids"] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => {
    const help = members.find((member) => member.name === name)?.help
    return { name: kebab(name), member: name, ...(help === undefined ? {} : { help }) }
  })

/** `packages/cli/src/generated/commands.ts` */
export const commandsSource = (table: CommandTable = commandTable()): string =>
  [
    "// Written by `pnpm codegen`; change the contract or the overrides instead.",
    'import type { CommandTable } from "../table.ts"',
    "",
    `export const commands: CommandTable = ${JSON.stringify(table, null, 2)}`,
    ""
  ].join("\n")
