import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"

/** Whether values of this schema are already JSON values without members to select. */
const isAtomic = (ast: SchemaAST.AST): boolean => {
  if (ast.encoding !== undefined) return false
  // A JSON value needs no encoding.
  if (ast === Schema.Json.ast) return true
  switch (ast._tag) {
    case "String":
    case "Number":
    case "Boolean":
    case "Null":
    case "Literal":
    case "TemplateLiteral":
    case "Enum":
      return true
    case "Union":
      return ast.types.every(isAtomic)
    default:
      return false
  }
}

/** Generates the source of a function that copies only the members that a schema declares. */
class Source {
  readonly functions: Array<string> = []
  readonly encoders: Array<Encode> = []
  private readonly names = new Map<SchemaAST.AST, string>()

  /** An expression for the encoded value of the expression `value`. */
  expression(ast: SchemaAST.AST, value: string): string {
    return isAtomic(ast) ? value : `${this.nameOf(ast)}(${value})`
  }

  private nameOf(ast: SchemaAST.AST): string {
    const cached = this.names.get(ast)
    if (cached !== undefined) return cached
    const body = this.bodyOf(ast)
    const name = `f${this.functions.length}`
    this.names.set(ast, name)
    this.functions.push(`const ${name} = (v) => { ${body} }`)
    return name
  }

  private bodyOf(ast: SchemaAST.AST): string {
    if (ast.encoding === undefined) {
      if (ast._tag === "Objects") return this.objectBody(ast) ?? this.generic(ast)
      if (ast._tag === "Arrays") return this.arrayBody(ast) ?? this.generic(ast)
      if (ast._tag === "Union") return this.unionBody(ast) ?? this.generic(ast)
    }
    return this.generic(ast)
  }

  private objectBody(ast: SchemaAST.Objects): string | undefined {
    const [index] = ast.indexSignatures
    if (index !== undefined) {
      if (ast.propertySignatures.length > 0 || ast.indexSignatures.length > 1) return undefined
      if (isAtomic(index.type)) return "return v"
      const value = this.expression(index.type, "v[k]")
      return `const o = {}; for (const k of Object.keys(v)) Object.defineProperty(o, k, { value: ${value}, enumerable: true }); return o`
    }
    const members = ast.propertySignatures.map(({ name, type }) => {
      if (typeof name !== "string" || name === "__proto__") return undefined
      const key = JSON.stringify(name)
      const member = `v[${key}]`
      const absent = type.context?.isOptional === true ? "undefined" : `missing(${key})`
      return `${key}: ${member} === undefined ? ${absent} : ${this.expression(type, member)}`
    })
    return members.includes(undefined) ? undefined : `return { ${members.join(", ")} }`
  }

  private arrayBody(ast: SchemaAST.Arrays): string | undefined {
    const [item] = ast.rest
    if (item === undefined || ast.elements.length > 0 || ast.rest.length > 1) return undefined
    if (isAtomic(item)) return "return v"
    const name = this.expression(item, "v[i]")
    return `const n = v.length, o = new Array(n); for (let i = 0; i < n; i++) o[i] = ${name}; return o`
  }

  /** A union with more than one kind of object is left to the schema's own encoder. */
  private unionBody(ast: SchemaAST.Union): string | undefined {
    const composed = ast.types.filter((type) => !isAtomic(type))
    const objects = composed.filter((type) => type._tag === "Objects" && type.encoding === undefined)
    const arrays = composed.filter((type) => type._tag === "Arrays" && type.encoding === undefined)
    if (objects.length + arrays.length < composed.length || objects.length > 1 || arrays.length > 1) return undefined
    const [object] = objects
    const [array] = arrays
    return [
      'if (v === null || typeof v !== "object") return v',
      ...(array === undefined ? [] : [`if (Array.isArray(v)) return ${this.expression(array, "v")}`]),
      object === undefined ? "return v" : `return ${this.expression(object, "v")}`
    ].join("; ")
  }

  private generic(ast: SchemaAST.AST): string {
    this.encoders.push(Schema.encodeUnknownSync(Schema.make<Schema.Codec<unknown>>(ast)))
    return `return encoders[${this.encoders.length - 1}](v)`
  }
}

type Encode = (value: unknown) => unknown
type Build = (encoders: ReadonlyArray<Encode>, missing: (name: string) => never) => Encode

const missing = (name: string): never => {
  throw new Error(`A response lacks the member ${name}.`)
}

/**
 * Encodes a response body to its JSON value: the members that the schema declares, in the order of the schema. A missing
 * member is an error. Values are not validated again: their types are checked at compile time, and the SDK's tests
 * decode responses with the schema.
 *
 * The code is generated once per schema. Where code generation from strings is disabled, the schema's own encoder is
 * used.
 */
export const makeEncoder = (schema: Schema.Top): Encode => {
  const source = new Source()
  const result = source.expression(schema.ast, "v")
  if (result === "v") return (value) => value
  const text = `"use strict"; ${source.functions.join("; ")}; return (v) => ${result}`
  try {
    // oxlint-disable-next-line typescript/no-implied-eval -- contains only schemas of the contract, with quoted names
    const build = new Function("encoders", "missing", text) as Build
    return build(source.encoders, missing)
  } catch (error) {
    if (!(error instanceof EvalError)) throw error
  }
  return Schema.encodeUnknownSync(schema as Schema.Codec<unknown>)
}
