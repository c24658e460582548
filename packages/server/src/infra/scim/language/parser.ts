import { refuse } from "./fault.ts"
import { Malformed, type Token, tokens } from "./lexer.ts"
import type { Name } from "./schemas.ts"
import { enterpriseSchema, groupSchema, userSchema } from "./schemas.ts"
import type { Filter, Literal, Operator, Path } from "./syntax.ts"

/** Longer than any filter that an identity provider sends, and short enough for the database. */
export const lengthMax = 4096
export const depthMax = 32
export const comparisonsMax = 64

const operators: Readonly<Record<string, Operator>> = {
  eq: "eq",
  ne: "ne",
  co: "co",
  sw: "sw",
  ew: "ew",
  gt: "gt",
  ge: "ge",
  lt: "lt",
  le: "le"
}
const attributeName = /^(?:[A-Za-z][A-Za-z0-9_-]*|\$ref)$/
const urn = /^urn:[A-Za-z0-9][A-Za-z0-9-]{0,31}:[A-Za-z0-9_.:-]+$/i
const jsonNumber = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/
const schemaUrns = new Set([userSchema, enterpriseSchema, groupSchema].map(({ id }) => id.toLowerCase()))

class Parser {
  readonly #tokens: ReadonlyArray<Token>
  #next = 0
  #depth = 0
  #comparisons = 0

  constructor(text: string) {
    if (text.length > lengthMax) throw new Malformed(`it is longer than ${lengthMax} characters`)
    this.#tokens = tokens(text)
  }

  get isInside(): boolean {
    return this.#depth > 0
  }

  get token(): Token {
    const token = this.#tokens[this.#next] ?? this.#tokens.at(-1)
    if (token === undefined) throw new Malformed("it is empty")
    return token
  }

  take(): Token {
    const { token } = this
    this.#next++
    return token
  }

  fail(expected: string): Malformed {
    const { at, kind, text } = this.token
    return new Malformed(`expected ${expected}${kind === "end" ? " at the end" : ` at ${at}, found “${text}”`}`)
  }

  expect(kind: Token["kind"], what: string): Token {
    if (this.token.kind !== kind) throw this.fail(what)
    return this.take()
  }

  isWord(text: string): boolean {
    return this.token.kind === "word" && this.token.apart && this.token.text.toLowerCase() === text
  }

  inside<A>(read: () => A): A {
    if (++this.#depth > depthMax) throw new Malformed(`it is nested deeper than ${depthMax} levels`)
    const result = read()
    this.#depth--
    return result
  }

  filter(isInValue: boolean): Filter {
    return this.joined("or", () => this.joined("and", () => this.term(isInValue)))
  }

  joined(kind: "and" | "or", read: () => Filter): Filter {
    const first = read()
    if (!this.isWord(kind)) return first
    const filters = [first]
    while (this.isWord(kind)) {
      this.take()
      if (!this.token.apart) throw this.fail("a space")
      filters.push(read())
    }
    return { kind, filters }
  }

  term(isInValue: boolean): Filter {
    if (this.token.kind === "(") return this.group(isInValue)
    if (this.token.kind === "word" && this.token.text.toLowerCase() === "not") {
      this.take()
      return { kind: "not", filter: this.group(isInValue) }
    }
    return this.expression(isInValue)
  }

  group(isInValue: boolean): Filter {
    return this.inside(() => {
      this.expect("(", "“(”")
      const filter = this.filter(isInValue)
      this.expect(")", "“)”")
      return filter
    })
  }

  expression(isInValue: boolean): Filter {
    const name = this.name()
    if (this.token.kind !== "[") return this.comparison(name)
    if (isInValue) throw new Malformed(`nested filter at ${this.token.at}`)
    if (name.sub !== undefined) throw new Malformed(`“${name.attribute}.${name.sub}” cannot be filtered`)
    const filter = this.brackets()
    const sub = this.subAttribute()
    if (sub === undefined) return { kind: "value", name, filter }
    // Not in the RFC's grammar, but used by Entra: the sub-attribute of the selected value.
    const inner = this.comparison({ schema: undefined, attribute: sub, sub: undefined })
    return { kind: "value", name, filter: { kind: "and", filters: [filter, inner] } }
  }

  brackets(): Filter {
    return this.inside(() => {
      this.expect("[", "“[”")
      const filter = this.filter(true)
      this.expect("]", "“]”")
      return filter
    })
  }

  /** `.value` directly after a bracket. */
  subAttribute(): string | undefined {
    const { token } = this
    if (token.kind !== "word" || token.apart || !token.text.startsWith(".")) return undefined
    const sub = token.text.slice(1)
    if (!attributeName.test(sub)) throw this.fail("a sub-attribute")
    this.take()
    return sub
  }

  comparison(name: Name): Filter {
    if (++this.#comparisons > comparisonsMax) throw new Malformed(`it has more than ${comparisonsMax} comparisons`)
    const { token } = this
    if (token.kind !== "word" || !token.apart) throw this.fail("an operator")
    const word = token.text.toLowerCase()
    if (word === "pr") {
      this.take()
      return { kind: "present", name }
    }
    const operator = Object.hasOwn(operators, word) ? operators[word] : undefined
    if (operator === undefined) throw this.fail("an operator")
    this.take()
    if (!this.token.apart) throw this.fail("a space")
    return { kind: "compare", name, operator, value: this.literal() }
  }

  literal(): Literal {
    const { token } = this
    if (token.kind === "string") return this.take().text
    if (token.kind !== "word") throw this.fail("a value")
    const word = token.text.toLowerCase()
    const value =
      word === "true"
        ? true
        : word === "false"
          ? false
          : word === "null"
            ? null
            : jsonNumber.test(word)
              ? Number(word)
              : undefined
    if (value === undefined) throw this.fail("a JSON value")
    this.take()
    return value
  }

  name(): Name {
    if (this.token.kind !== "word") throw this.fail("an attribute")
    const { at, text } = this.take()
    const colon = text.lastIndexOf(":")
    const schema = colon < 0 ? undefined : text.slice(0, colon)
    const [attribute = "", sub, ...more] = text.slice(colon + 1).split(".")
    if (
      (schema !== undefined && !urn.test(schema)) ||
      !attributeName.test(attribute) ||
      (sub !== undefined && !attributeName.test(sub)) ||
      more.length > 0
    ) {
      throw new Malformed(`“${text}” at ${at} is not an attribute`)
    }
    return { schema, attribute, sub }
  }

  end(): void {
    if (this.token.kind !== "end") throw this.fail("“and”, “or” or the end")
  }

  path(): Path {
    const { token } = this
    if (token.kind === "word" && schemaUrns.has(token.text.toLowerCase())) {
      this.take()
      this.end()
      return { kind: "schema", schema: token.text }
    }
    const name = this.name()
    if (this.token.kind !== "[") {
      this.end()
      return { kind: "attribute", name, filter: undefined }
    }
    if (this.token.apart) throw this.fail("“[” directly after the attribute")
    if (name.sub !== undefined) throw new Malformed(`“${name.attribute}.${name.sub}” cannot be filtered`)
    const filter = this.brackets()
    const sub = this.subAttribute()
    this.end()
    return { kind: "attribute", name: { ...name, sub }, filter }
  }
}

/** RFC 7644 §3.4.2.2, figure 1. */
export const parseFilter = (text: string): Filter => {
  try {
    const parser = new Parser(text)
    const filter = parser.filter(false)
    parser.end()
    return filter
  } catch (fault) {
    throw fault instanceof Malformed ? refuse("invalidFilter", `The filter is invalid: ${fault.reason}.`) : fault
  }
}

/** RFC 7644 §3.5.2, figure 7; or only a schema's URN, which means the whole extension. */
export const parsePath = (text: string): Path => {
  let parser: Parser | undefined
  try {
    parser = new Parser(text)
    return parser.path()
  } catch (fault) {
    if (!(fault instanceof Malformed)) throw fault
    const isFilter = parser === undefined ? text.includes("[") : parser.isInside
    throw refuse(isFilter ? "invalidFilter" : "invalidPath", `The path is invalid: ${fault.reason}.`)
  }
}
