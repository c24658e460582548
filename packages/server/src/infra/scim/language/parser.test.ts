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

describe("a filter that cannot be read", () => {
  it.each([
    ["nothing", ""],
    ["spaces", "   "],
    ["an attribute alone", "userName"],
    ["an operator alone", "eq"],
    ["no value", "userName eq"],
    ["no value but a space", "userName eq "],
    ["an operator that is none", 'userName is "a"'],
    ["an operator of JavaScript's objects", 'userName constructor "a"'],
    ["= for eq", 'userName = "a"'],
    ["== for eq", 'userName == "a"'],
    ["a value without quotes", "userName eq bob"],
    ["single quotes", "userName eq 'bob'"],
    ["a text that does not end", 'userName eq "bob'],
    ["a text that ends with its escape", 'userName eq "bob\\"'],
    ["an escape that JSON lacks", 'userName eq "\\x41"'],
    ["a line break within a text", 'userName eq "a\nb"'],
    ["a NUL within a text", 'userName eq "a\\u0000b"'],
    ["half a pair of surrogates", 'userName eq "\\ud800"'],
    ["no space before the operator", 'userNameeq "a"'],
    ["no space before the value", 'userName eq"a"'],
    ["no space behind the value", 'userName eq "a"and active eq true'],
    ["no space behind and", 'userName eq "a" and(active eq true)'],
    ["no space before and", '(userName eq "a")and active eq true'],
    ["and at the beginning", 'and userName eq "a"'],
    ["or at the end", 'userName eq "a" or'],
    ["two ands", "userName pr and and title pr"],
    ["two comparisons side by side", 'userName eq "a" title pr'],
    ["two values", 'userName eq "a" "b"'],
    ["pr with a value", 'userName pr "a"'],
    ["a parenthesis that does not end", '(userName eq "a"'],
    ["a parenthesis that does not begin", 'userName eq "a")'],
    ["nothing in parentheses", "()"],
    ["not without parentheses", 'not userName eq "a"'],
    ["not of nothing", "not ()"],
    ["not twice", 'not not (userName eq "a")'],
    ["a bracket that does not end", 'emails[type eq "work"'],
    ["a bracket that does not begin", 'emails type eq "work"]'],
    ["nothing in brackets", "emails[]"],
    ["a bracket closed by a parenthesis", 'emails[type eq "work")'],
    ["a parenthesis closed by a bracket", '(type eq "work"]'],
    ["brackets behind a sub-attribute", 'emails.value[type eq "work"]'],
    ["brackets within brackets", 'emails[type eq "work" and value[a pr]]'],
    ["nothing behind a bracket's dot", 'emails[type eq "work"]. eq "a"'],
    ["two sub-attributes behind a bracket", 'emails[type eq "work"].value.a eq "a"'],
    ["a name that begins with a digit", '1st eq "a"'],
    ["a name that begins with a hyphen", '-a eq "a"'],
    ["a name that begins with a dot", '.a eq "a"'],
    ["a name that ends with a dot", 'name. eq "a"'],
    ["two dots", 'name..familyName eq "a"'],
    ["three parts of a name", 'name.familyName.more eq "a"'],
    ["a dollar elsewhere than in $ref", '$value eq "a"'],
    ["a schema that is no URN", 'core:userName eq "a"'],
    ["a URN with nothing behind it", `${user}: eq "a"`],
    ["a sign that means nothing", 'userName eq "a" & title pr'],
    ["a semicolon", 'userName eq "a"; DROP TABLE users'],
    ["a comma", 'userName eq "a", title pr'],
    ["braces", '{"userName":"a"}'],
    ["a letter beyond ASCII in a name", 'nàme eq "a"'],
    ["a number that JSON lacks", "title eq 01"],
    ["a number with a plus", "title eq +1"],
    ["a number with nothing behind its point", "title eq 1."],
    ["an array for a value", 'title eq ["a"]'],
    ["an attribute for a value", "title eq nickName"],
    ["undefined for a value", "title eq undefined"],
    ["a line break between words", 'userName eq\n"a"'],
    ["more characters than are read", `userName eq "${"a".repeat(4096)}"`],
    ["parentheses too deep", `${"(".repeat(33)}title pr${")".repeat(33)}`],
    ["not too deep", `${"not (".repeat(33)}title pr${")".repeat(33)}`],
    ["more comparisons than are made", many(65, "title pr", " or ")]
  ])("is refused for %s", (_, filter) => {
    expect(faultOf(() => parseFilter(filter))).toBe("400 invalidFilter")
  })
})

it("tells what it could not read in letters that can be printed", () => {
  expect(() => parseFilter('a eq "b" \0')).toThrow(String.raw`The filter cannot be read: "\u0000" at 9 has no meaning.`)
  expect(() => parseFilter("a eq 😀")).toThrow('"😀" at 5')
})

describe("a filter that can be read", () => {
  it.each([
    // Those of RFC 7644 §3.4.2.2.
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
    // And at the bounds.
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
  ])("is %s", (filter) => {
    expect(faultOf(() => parseFilter(filter))).toBe("no fault")
  })

  it("binds and before or, and not before both", () => {
    expect(parseFilter("a pr or b pr and not (c pr) or d pr")).toMatchObject({
      kind: "or",
      filters: [
        { name: { attribute: "a" } },
        { kind: "and", filters: [{ name: { attribute: "b" } }, { kind: "not", filter: { name: { attribute: "c" } } }] },
        { name: { attribute: "d" } }
      ]
    })
  })
  it("takes a sub-attribute behind brackets, as Entra writes it, for one of the same value", () => {
    expect(parseFilter('emails[type eq "work"].value eq "a"')).toEqual(
      parseFilter('emails[type eq "work" and value eq "a"]')
    )
  })
  it("knows the schema before a name", () => {
    expect(parseFilter(`${enterprise}:manager.displayName pr`)).toEqual({
      kind: "present",
      name: { schema: enterprise, attribute: "manager", sub: "displayName" }
    })
  })
})

describe("a path", () => {
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
  ])("%s", (path, fault = "no fault") => {
    expect(faultOf(() => parsePath(path))).toBe(fault)
  })
})

/** The other parser's tree, out of ours: brackets it flattens, names it leaves as they were written. */
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
/** Negative numbers are missing: the other one stumbles over them. */
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

describe("beside another parser (scim2-parse-filter)", () => {
  it("reads the same out of what the grammar makes", () => {
    fc.assert(
      fc.property(grammar, (filter) => {
        expect(flat(asTheirs(parseFilter(filter)))).toEqual(flat(theirs(filter)))
      }),
      { numRuns: 3000 }
    )
  })
  it("reads nothing that it does not, of texts with a letter too many or too few", () => {
    fc.assert(
      fc.property(
        grammar,
        fc.nat(),
        fc.constantFrom("", "(", ")", "[", "]", '"', " ", "a", ".", "and"),
        (filter, at, letter) => {
          const index = at % filter.length
          const broken = `${filter.slice(0, index)}${letter}${filter.slice(index + 1)}`
          // The other one takes a backslash for itself but before a quotation mark.
          if (/\\(?!")/.test(broken) || faultOf(() => parseFilter(broken)) !== "no fault") return
          expect(flat(asTheirs(parseFilter(broken)))).toEqual(flat(theirs(broken)))
        }
      ),
      { numRuns: 3000 }
    )
  })
})

/** `(a and b) and c` is one conjunction, whoever read it. */
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
