/**
 * The contract as a client reads it: a response may have values that this version does not know, such as the status of a
 * later release. Requests stay as strict as the contract.
 */
import type * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

/** A copy of an object, or of a function with properties, with other properties. */
const copied = <A extends object>(value: A, changes: object): A => {
  const copy: object = typeof value === "function" ? () => {} : {}
  Object.setPrototypeOf(copy, Object.getPrototypeOf(value) as object | null)
  return Object.assign<object, A, object>(copy, value, changes)
}

const isText = (ast: SchemaAST.AST): boolean => SchemaAST.isLiteral(ast) && typeof ast.literal === "string"

/** An enumeration of texts also accepts any other text. A single literal distinguishes alternatives, so it stays. */
const isEnumeration = (ast: SchemaAST.Union): boolean =>
  ast.encoding === undefined && ast.types.filter(isText).length > 1

const lenient = (ast: SchemaAST.AST, seen: Map<SchemaAST.AST, SchemaAST.AST>): SchemaAST.AST => {
  const existing = seen.get(ast)
  if (existing !== undefined) return existing
  const result = changed(ast, seen)
  seen.set(ast, result)
  return result
}

const changed = (ast: SchemaAST.AST, seen: Map<SchemaAST.AST, SchemaAST.AST>): SchemaAST.AST => {
  // A value with an encoding is converted by its own code.
  if (ast.encoding !== undefined) return ast
  if (SchemaAST.isUnion(ast)) {
    const types = ast.types.map((type) => lenient(type, seen))
    if (isEnumeration(ast)) return copied(ast, { types: [...types, SchemaAST.string] })
    return types.every((type, index) => type === ast.types[index]) ? ast : copied(ast, { types })
  }
  if (SchemaAST.isArrays(ast)) {
    const [elements, rest] = [ast.elements, ast.rest].map((list) => list.map((type) => lenient(type, seen)))
    return copied(ast, { elements, rest })
  }
  if (SchemaAST.isObjects(ast)) {
    return copied(ast, {
      propertySignatures: ast.propertySignatures.map((property) => {
        const type = lenient(property.type, seen)
        return type === property.type ? property : copied(property, { type })
      }),
      indexSignatures: ast.indexSignatures.map((signature) => {
        const type = lenient(signature.type, seen)
        return type === signature.type ? signature : copied(signature, { type })
      })
    })
  }
  if (SchemaAST.isSuspend(ast)) {
    const { thunk } = ast
    return copied(ast, { thunk: () => lenient(thunk(), seen) })
  }
  return ast
}

interface Endpoint {
  readonly success: ReadonlySet<Schema.Top>
}

/** The same API, whose responses may have values that the contract does not list. */
export const tolerantApi = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): HttpApi.HttpApi<Id, Groups> => {
  const seen = new Map<SchemaAST.AST, SchemaAST.AST>()
  const responseOf = (schema: Schema.Top): Schema.Top => {
    const ast = lenient(schema.ast, seen)
    return ast === schema.ast ? schema : Schema.make(ast)
  }
  const endpointOf = <E extends Endpoint>(endpoint: E): E =>
    copied(endpoint, { success: new Set([...endpoint.success].map(responseOf)) })
  const groups: Record<string, unknown> = {}
  for (const [name, group] of Object.entries<HttpApiGroup.Top>(
    api.groups as unknown as Record<string, HttpApiGroup.Top>
  )) {
    const endpoints: Record<string, unknown> = {}
    for (const [key, endpoint] of Object.entries<Endpoint>(group.endpoints as unknown as Record<string, Endpoint>)) {
      endpoints[key] = endpointOf(endpoint)
    }
    groups[name] = copied(group, { endpoints })
  }
  return copied(api, { groups })
}
