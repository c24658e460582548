import { parse as theirs, type Filter as TheirFilter } from "scim2-parse-filter"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { faultOf } from "./faults.fixture.ts"
import { parseFilter, parsePath } from "./parser.ts"
import { spell } from "./schemas.ts"
import type { Filter } from "./syntax.ts"

const user = "urn:ietf:params:scim:schemas:core:2.0:User"
const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
const many = (count: number, text: string, by: string) => Array.from({ length: count }, () => text).join(by)

describe("an invalid SCIM filter", () => {
  it.each([
    ["nothing", ""],
    ["spaces", "   "],
    ["an attribute only", "userName"],
    ["an operator only", "eq"],
    ["no value", "userName eq"],
    ["no value but a space", "userName eq "],
    ["an unknown operator", 'userName is "a"'],
    ["an operator from JavaScript's Object prototype", 'userName constructor "a"'],
    ["= for eq", 'userName = "a"'],
    ["== for eq", 'userName == "a"'],
    ["a value without quotes", "userName eq bob"],
    ["single quotes", "userName eq 'bob'"],
    ["an unterminated string", 'userName eq "bob'],
    ["a string that ends with an escape", 'userName eq "bob\\"'],
    ["an escape that JSON does not have", 'userName eq "\\x41"'],
    ["a line break in a string", 'userName eq "a\nb"'],
    ["a NUL in a string", 'userName eq "a\\u0000b"'],
    ["a lone surrogate", 'userName eq "\\ud800"'],
    ["no space before the operator", 'userNameeq "a"'],
    ["no space before the value", 'userName eq"a"'],
    ["no space after the value", 'userName eq "a"and active eq true'],
    ["no space after and", 'userName eq "a" and(active eq true)'],
    ["no space before and", '(userName eq "a")and active eq true'],
    ["and at the start", 'and userName eq "a"'],
    ["or at the end", 'userName eq "a" or'],
    ["two ands", "userName pr and and title pr"],
    ["two comparisons side by side", 'userName eq "a" title pr'],
    ["two values", 'userName eq "a" "b"'],
    ["pr with a value", 'userName pr "a"'],
    ["an unclosed parenthesis", '(userName eq "a"'],
    ["an unopened parenthesis", 'userName eq "a")'],
    ["nothing in parentheses", "()"],
    ["not without parentheses", 'not userName eq "a"'],
    ["not without a filter", "not ()"],
    ["not twice", 'not not (userName eq "a")'],
    ["an unclosed bracket", 'emails[type eq "work"'],
    ["an unopened bracket", 'emails type eq "work"]'],
    ["nothing in brackets", "emails[]"],
    ["a bracket closed by a parenthesis", 'emails[type eq "work")'],
    ["a parenthesis closed by a bracket", '(type eq "work"]'],
    ["brackets after a sub-attribute", 'emails.value[type eq "work"]'],
    ["brackets within brackets", 'emails[type eq "work" and value[a pr]]'],
    ["nothing after a bracket's dot", 'emails[type eq "work"]. eq "a"'],
    ["two sub-attributes after a bracket", 'emails[type eq "work"].value.a eq "a"'],
    ["a name that starts with a digit", '1st eq "a"'],
    ["a name that starts with a hyphen", '-a eq "a"'],
    ["a name that starts with a dot", '.a eq "a"'],
    ["a name that ends with a dot", 'name. eq "a"'],
    ["two dots", 'name..familyName eq "a"'],
    ["three parts of a name", 'name.familyName.more eq "a"'],
    ["a dollar sign other than in $ref", '$value eq "a"'],
    ["a schema that is not a URN", 'core:userName eq "a"'],
    ["a URN without an attribute", `${user}: eq "a"`],
    ["an unknown character", 'userName eq "a" & title pr'],
    ["a semicolon", 'userName eq "a"; DROP TABLE users'],
    ["a comma", 'userName eq "a", title pr'],
    ["braces", '{"userName":"a"}'],
    ["a letter beyond ASCII in a name", 'nàme eq "a"'],
    ["a number that is not valid JSON", "title eq 01"],
    ["a number with a plus", "title eq +1"],
    ["a number without digits after its point", "title eq 1."],
    ["an array for a value", 'title eq ["a"]'],
    ["an attribute for a value", "title eq nickName"],
    ["undefined for a value", "title eq undefined"],
    ["a line break between words", 'userName eq\n"a"'],
    ["too many characters", `userName eq "${"a".repeat(4096)}"`],
    ["parentheses too deep", `${"(".repeat(33)}title pr${")".repeat(33)}`],
    ["not too deep", `${"not (".repeat(33)}title pr${")".repeat(33)}`],
    ["too many comparisons", many(65, "title pr", " or ")]
  ])("is rejected with %s", (_, filter) => {
    expect(faultOf(() => parseFilter(filter))).toBe("400 invalidFilter")
  })
})

it("quotes unprintable characters of an invalid SCIM filter as escapes", () => {
  expect(() => parseFilter('a eq "b" \0')).toThrow(String.raw`The filter is invalid: unexpected "\u0000" at 9.`)
  expect(() => parseFilter("a eq 😀")).toThrow('"😀" at 5')
})

describe("a valid SCIM filter", () => {
  it.each([
    // The examples of RFC 7644 §3.4.2.2.
    ['userName eq "bjensen"'],
    ['name.familyName co "O\'Malley"'],
    ['userName sw "J"'],
    [`${user}:userName sw "J"`],
    ["title pr"],
    ['meta.lastModified gt "2011-05-13T04:42:34Z"'],
    ['title pr and userType eq "Employee"'],
    ['title pr or userType eq "Intern"'],
    [`schemas eq "${enterprise}"`],
    ['userType eq "Employee" and (emails co "example.com" or emails.value co "example.org")'],
    ['userType ne "Employee" and not (emails co "example.com" or emails.value co "example.org")'],
    ['userType eq "Employee" and (emails.type eq "work")'],
    ['userType eq "Employee" and emails[type eq "work" and value co "@example.com"]'],
    ['emails[type eq "work" and value co "@example.com"] or ims[type eq "xmpp" and value co "@foo.com"]'],
    // And at the limits.
    [`userName eq "${"a".repeat(4096 - 14)}"`],
    [`${"(".repeat(32)}title pr${")".repeat(32)}`],
    [many(64, "title pr", " or ")],
    ["not(title pr)"],
    ["not ( title pr )"],
    ["TITLE PR AND NOT (active EQ True)"],
    ['members.$ref eq "a"'],
    ['a eq "\\"\\\\\\/\\b\\u00e9"'],
    ["a eq -1.5e+10"],
    ["a eq NULL"]
  ])("is accepted: %s", (filter) => {
    expect(faultOf(() => parseFilter(filter))).toBe("no fault")
  })

  it("gives and precedence over or, and not over both", () => {
    expect(parseFilter("a pr or b pr and not (c pr) or d pr")).toMatchObject({
      kind: "or",
      filters: [
        { name: { attribute: "a" } },
        { kind: "and", filters: [{ name: { attribute: "b" } }, { kind: "not", filter: { name: { attribute: "c" } } }] },
        { name: { attribute: "d" } }
      ]
    })
  })
  it("reads a sub-attribute after brackets, as Entra writes it, as a condition on the same value", () => {
    expect(parseFilter('emails[type eq "work"].value eq "a"')).toEqual(
      parseFilter('emails[type eq "work" and value eq "a"]')
    )
  })
  it("reads the schema before a name", () => {
    expect(parseFilter(`${enterprise}:manager.displayName pr`)).toEqual({
      kind: "present",
      name: { schema: enterprise, attribute: "manager", sub: "displayName" }
    })
  })
})

describe("a SCIM path", () => {
  it.each([
    ["members", undefined],
    ["name.familyName", undefined],
    ['addresses[type eq "work"]', undefined],
    ['members[value eq "2819c223-7f76-453a-919d-413861904646"]', undefined],
    ['members[value eq "2819c223-7f76-453a-919d-413861904646"].displayName', undefined],
    [`${enterprise}:manager`, undefined],
    [enterprise, undefined],
    [`${user}:emails[type eq "work"].value`, undefined],
    ["", "400 invalidPath"],
    [" ", "400 invalidPath"],
    ["1", "400 invalidPath"],
    ["/emails/0", "400 invalidPath"],
    ["emails.", "400 invalidPath"],
    ["emails..value", "400 invalidPath"],
    ["emails[0]", "400 invalidFilter"],
    ["emails[]", "400 invalidFilter"],
    ['emails[type eq "work"', "400 invalidFilter"],
    ['emails[type eq work"]', "400 invalidFilter"],
    ['emails[type eq "work"]value', "400 invalidPath"],
    ['emails[type eq "work"].', "400 invalidPath"],
    ['emails[type eq "work"].value.more', "400 invalidPath"],
    ['emails[type eq "work"] .value', "400 invalidPath"],
    ['emails [type eq "work"]', "400 invalidPath"],
    ['emails.value[type eq "work"]', "400 invalidPath"],
    ['emails[type eq "work"][value pr]', "400 invalidPath"],
    ["emails pr", "400 invalidPath"],
    ["name familyName", "400 invalidPath"],
    ["a".repeat(4097), "400 invalidPath"],
    [`emails[type eq "${"a".repeat(4097)}"]`, "400 invalidFilter"]
  ])("is parsed or rejected correctly: %s", (path, fault = "no fault") => {
    expect(faultOf(() => parsePath(path))).toBe(fault)
  })
})

/** The other parser's tree from this one's: it flattens brackets and keeps names as written. */
const asTheirs = (filter: Filter): TheirFilter => {
  switch (filter.kind) {
    case "and":
    case "or":
      return { op: filter.kind, filters: filter.filters.map(asTheirs) }
    case "not":
      return { op: "not", filter: asTheirs(filter.filter) }
    case "present":
      return { op: "pr", attrPath: spell(filter.name) }
    case "compare":
      return { op: filter.operator, attrPath: spell(filter.name), compValue: filter.value as string }
    case "value":
      return { op: "[]", attrPath: spell(filter.name), valFilter: asTheirs(filter.filter) }
  }
}

const names = fc.constantFrom(
  "userName",
  "name.familyName",
  "emails",
  "meta.created",
  `${enterprise}:department`,
  "x-y_z"
)
/** Without negative numbers, which the other parser does not support. */
const literals = fc.oneof(
  fc.constantFrom("true", "false", "null", "1", '"a"', '"a b"', '"(a]"', '"a\\"b"', '" and "', '"é😀"')
)
const tests = fc.oneof(
  names.map((name) => `${name} pr`),
  fc
    .tuple(names, fc.constantFrom("eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"), literals)
    .map((words) => words.join(" "))
)
const grammar = fc.letrec<{ any: string; inner: string }>((tie) => ({
  inner: fc.oneof(
    { depthSize: "small" },
    tests,
    fc.tuple(tests, tests).map((two) => two.join(" and "))
  ),
  any: fc.oneof(
    { depthSize: "small", maxDepth: 4 },
    tests,
    tie("inner").map((inside) => `emails[${inside}]`),
    fc.tuple(tie("any"), fc.constantFrom(" and ", " or "), tie("any")).map((parts) => parts.join("")),
    tie("any").map((inside) => `(${inside})`),
    tie("any").map((inside) => `not (${inside})`)
  )
})).any

describe("the SCIM parser compared with scim2-parse-filter", () => {
  it("reads random filters of the grammar in the same way", () => {
    fc.assert(
      fc.property(grammar, (filter) => {
        expect(flat(asTheirs(parseFilter(filter)))).toEqual(flat(theirs(filter)))
      }),
      { numRuns: 3000 }
    )
  })
  it("accepts nothing that the other rejects, for texts with a letter added or removed", () => {
    fc.assert(
      fc.property(
        grammar,
        fc.nat(),
        fc.constantFrom("", "(", ")", "[", "]", '"', " ", "a", ".", "and"),
        (filter, at, insertion) => {
          const index = at % filter.length
          const broken = `${filter.slice(0, index)}${insertion}${filter.slice(index + 1)}`
          // The other parser treats a backslash as itself, except before a quotation mark.
          if (/\\(?!")/.test(broken) || faultOf(() => parseFilter(broken)) !== "no fault") return
          expect(flat(asTheirs(parseFilter(broken)))).toEqual(flat(theirs(broken)))
        }
      ),
      { numRuns: 3000 }
    )
  })
})

/** `(a and b) and c` is one conjunction in both parsers. */
const flat = (filter: TheirFilter): TheirFilter => {
  switch (filter.op) {
    case "and":
    case "or": {
      const filters = filter.filters
        .map(flat)
        .flatMap((one) => (one.op === filter.op && "filters" in one ? one.filters : [one]))
      return { op: filter.op, filters }
    }
    case "not":
      return { op: "not", filter: flat(filter.filter) }
    case "[]":
      return { ...filter, valFilter: flat(filter.valFilter) }
    default:
      return filter
  }
}
