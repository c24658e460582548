/** The values that a form for a schema starts with, what it can show, and what keeps it from being sent. */
import { describe, expect, it } from "vitest"
import { canShow, givenOf, initialOf, type JsonSchema, problemsOf } from "./json-schema.ts"

const texts: JsonSchema = { type: "array", items: { type: "string" } }
const schema: JsonSchema = {
  type: "object",
  properties: {
    query: { type: "string", title: "Query" },
    deep: { type: "boolean" },
    quick: { type: "boolean" },
    labels: texts,
    others: texts,
    limit: { type: "integer", default: 5 },
    numbers: { type: "array", items: { type: "number" } },
    free: { type: "object" }
  },
  required: ["query", "deep", "labels", "numbers", "free"]
}

describe("the values that a form starts with", () => {
  it("starts a form with the defaults, unchecked required boxes and empty required lists", () => {
    expect(initialOf(schema)).toEqual({ deep: false, labels: [], limit: 5 })
    expect(initialOf({})).toEqual({})
  })

  it("starts a form only with nested objects that are required or have defaults", () => {
    const inner: JsonSchema = { type: "object", properties: { deep: { type: "boolean" } }, required: ["deep"] }
    const withDefault: JsonSchema = { ...inner, properties: { ...inner.properties, limit: { default: 1 } } }
    const outer = { properties: { filter: inner, optional: inner, other: withDefault }, required: ["filter"] }
    expect(initialOf(outer)).toEqual({ filter: { deep: false }, other: { deep: false, limit: 1 } })
    expect(givenOf(inner, false, { deep: false })).toBeUndefined()
    expect(givenOf(inner, false, { deep: true })).toEqual({ deep: true })
    expect(givenOf(inner, true, { deep: false })).toEqual({ deep: false })
    expect(givenOf(withDefault, false, { limit: 1, deep: false })).toEqual({ limit: 1, deep: false })
  })
})

it("shows only values that its fields are for", () => {
  const outer: JsonSchema = { properties: { ...schema.properties, filter: schema, kind: { enum: ["a", 1] } } }
  const shown = { query: "x", deep: true, labels: ["a"], limit: null, numbers: "any", free: 1, kind: 1 }
  expect(canShow(outer, { ...shown, filter: { query: "x" } })).toBe(true)
  const others = [{ unknown: 1 }, { query: 1 }, { query: "a\nb" }, { labels: ["a\nb"] }, { limit: "5" }, { kind: "b" }]
  for (const other of [...others, { deep: "no" }, { filter: 1 }, { filter: { query: 1 } }]) {
    expect(canShow(outer, other), JSON.stringify(other)).toBe(false)
  }
})

describe("the problems of a form", () => {
  it("name required values that are missing, but not an unchecked box or an empty list", () => {
    expect(problemsOf(schema, initialOf(schema))).toEqual([
      "Query is required.",
      "numbers is required.",
      "free is required."
    ])
    expect(problemsOf(schema, { query: "", deep: false, labels: [], numbers: [], free: {} })).toEqual([
      "Query is required."
    ])
  })

  it("reports missing values of a nested object only if the object is given", () => {
    const outer: JsonSchema = { properties: { filter: { ...schema, title: "Filter" } } }
    expect(problemsOf(outer, {})).toEqual([])
    expect(problemsOf(outer, { filter: { query: "x", deep: true, labels: [], numbers: [] } })).toEqual([
      "Filter: free is required."
    ])
  })
})
