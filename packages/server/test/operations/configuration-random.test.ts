/** Configuration as code: properties of export, plan and apply that hold for random organizations. */
import { describe, expect, it } from "vitest"
import * as fc from "fast-check"
import { skill } from "../content/connectors.fixture.ts"
import { makeControlPlane } from "../harness.ts"
import { actions, applied, exported, type Item, makePeople, makeTwin, planned } from "./configuration.fixture.ts"

const plane = await makeControlPlane({ workers: false })

const prune = {
  roles: true,
  teams: true,
  marketplaces: true,
  plugins: true,
  assignments: true,
  templates: true
}
const text = fc.stringMatching(/^[A-Za-z][A-Za-z0-9 ]{0,20}[a-z]$/)
const mode = fc.constantFrom("auto", "hold_growth", "hold_all")
const role = fc.constantFrom("viewer", "editor", "manager")

/** Entries of a kind: those of some of the keys. Names differ by key, because some kinds require it. */
const some = (prefix: string, fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc
    .record({
      keys: fc.subarray([0, 1, 2, 3]),
      items: fc.array(fc.record({ name: text, ...fields }), { minLength: 4, maxLength: 4 })
    })
    .map(({ items, keys }) =>
      keys.map((key): Item => ({ ...items[key], key: `${prefix}${key}`, name: `${items[key]?.name} ${key}` }))
    )

const objects = fc
  .tuple(fc.subarray([0, 1, 2, 3]), fc.constantFrom("One.", "Two."), fc.boolean())
  .map(([chosen, words, isTitled]) =>
    chosen.map(
      (index) =>
        [
          { type: "skill", relativePath: "skills/review/SKILL.md", rawSourceText: skill("review", words) },
          {
            type: "mcp",
            fileName: ".mcp.json",
            rawSourceText: `{"mcpServers":{"zz":{"url":"https://${words}example"},"a":{"command":"x"}}}`
          },
          {
            type: "custom",
            normalizedPayloadJson: { zz: words, a: [null, { deep: true }] },
            ...(isTitled && { title: "Titled" })
          },
          {
            type: "command",
            relativePath: "commands/go.md",
            rawSourceText: words,
            description: "Goes",
            schemaVersion: "7"
          }
        ][index]
    )
  )
const templates = some("tpl", {
  description: fc.option(text),
  content: fc.record({
    plugin: fc.record({ name: text }),
    objects: objects.map((list) =>
      list.map((object) => {
        const { description: _description, fileName: _name, relativePath, title: _title, ...content } = object as Item
        return { ...content, ...(relativePath && { metadata: { relativePath } }) }
      })
    ),
    variables: fc.constantFrom([], [{ name: "team", label: "Team", default: "x", format: "line" }])
  })
})
const rings = fc.subarray(["Canary", "Early", "Most"]).chain((names) =>
  fc.tuple(
    ...names.map((name) =>
      fc.record({
        name: fc.constant(name),
        percent: fc.integer({ min: 1, max: 100 }),
        soakMinutes: fc.nat(60),
        promotion: fc.constantFrom("automatic", "manual"),
        people: fc.array(fc.nat(9), { maxLength: 3 })
      })
    )
  )
)

interface Picks {
  readonly teams: ReadonlyArray<Item>
  readonly marketplaces: ReadonlyArray<Item>
  readonly plugins: ReadonlyArray<Item>
}

/** A document whose references exist. Numbers choose among what there is. */
const documentOf = (emails: ReadonlyArray<string>) => {
  const numbers = fc.array(fc.nat(9), { maxLength: 3 })
  const grants = fc.array(fc.tuple(fc.nat(9), role), { maxLength: 4 })
  return fc
    .record({
      teams: some("team", { description: fc.option(text), members: fc.subarray([...emails]) }),
      marketplaces: some("mkt", { description: fc.option(text), deliveryMode: mode, access: grants }),
      plugins: some("plg", { description: fc.option(text), marketplaces: numbers, access: grants, objects }),
      assigned: fc.array(
        fc.record({
          target: fc.nat(9),
          mode: fc.constantFrom("required", "default_on", "available", "blocked"),
          priority: fc.nat(3),
          to: numbers
        }),
        { maxLength: 4 }
      ),
      templates,
      rings,
      approvalSettings: fc.record({ deliveryMode: mode, fourEyes: fc.boolean() })
    })
    .map(({ assigned, rings, ...document }) => {
      const { marketplaces, plugins, teams }: Picks = document
      const pick = <A>(list: ReadonlyArray<A>, number: number) =>
        list.length === 0 ? [] : [list[number % list.length] as A]
      const distinct = <A>(list: ReadonlyArray<A>, text: (one: A) => string) => [
        ...new Map(list.map((one) => [text(one), one])).values()
      ]
      const recipients = [
        { everyone: true },
        ...emails.map((member) => ({ member })),
        ...teams.map(({ key }) => ({ team: key }))
      ]
      const accessOf = (list: ReadonlyArray<readonly [number, string]>) =>
        distinct(
          list.flatMap(([number, role]) => pick(recipients, number).map((one) => ({ ...one, role }))),
          ({ role: _role, ...recipient }) => JSON.stringify(recipient)
        )
      const peopleOf = (list: ReadonlyArray<number>) => ({
        teams: [
          ...new Set(list.flatMap((number) => (number % 2 ? pick(teams, number >> 1) : [])).map(({ key }) => key))
        ],
        members: [...new Set(list.flatMap((number) => (number % 2 ? [] : pick(emails, number >> 1))))]
      })
      const targets = [
        ...plugins.map(({ key }) => ({ plugin: key })),
        ...marketplaces.map(({ key }) => ({ marketplace: key }))
      ]
      const assignments = assigned.flatMap(({ target, to, ...entry }) =>
        pick(targets, target).map((one) => {
          const people = peopleOf(to)
          const isEmpty = people.teams.length + people.members.length === 0
          return { key: `of-${Object.values(one)[0]}`, ...one, ...entry, to: isEmpty ? { everyone: true } : people }
        })
      )
      return {
        ...document,
        marketplaces: marketplaces.map((entry) => ({ ...entry, access: accessOf(entry.access) })),
        plugins: plugins.map((entry) => ({
          ...entry,
          access: accessOf(entry.access),
          marketplaces: [
            ...new Set(
              (entry.marketplaces as Array<number>)
                .flatMap((number) => pick(marketplaces, number))
                .map(({ key }) => key)
            )
          ]
        })),
        assignments: distinct(assignments, ({ key }) => key),
        rolloutSettings: { rings: rings.map(({ people, ...ring }) => ({ ...ring, ...peopleOf(people) })) },
        prune
      }
    })
}

describe("the configuration of a random organization", () => {
  it("is planned as it is applied, stays as it is, and is the same in another organization", async () => {
    const { emails, owner: template } = await makePeople(plane, 3)
    await fc.assert(
      fc.asyncProperty(documentOf(emails), documentOf(emails), async (document, edited) => {
        const owner = await makeTwin(plane, template)
        for (const one of [document, edited]) {
          const plan = await planned(owner, one)
          expect(plan.problems).toEqual([])
          expect(await applied(owner, one, plan.planDigest)).toEqual(plan)
          expect(actions(await applied(owner, one))).toEqual([])
          const first = await exported(owner)
          expect(actions(await planned(owner, first))).toEqual([])
          const twin = await makeTwin(plane, template)
          await applied(twin, first)
          expect(JSON.stringify(await exported(twin))).toBe(JSON.stringify(first))
        }
      }),
      { numRuns: 4, endOnFailure: true }
    )
  }, 240_000)
})
