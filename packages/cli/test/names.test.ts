/** Names instead of IDs on the command line, against prepared lists. */
import { expect, it } from "vitest"
import { ran, serve } from "./harness.ts"

const page = (...items: ReadonlyArray<unknown>) => ({ body: { items, nextCursor: null } })

const mallory = { id: "om_mallory", email: "mallory@acme.example", name: "ceo@acme.example", role: "member" }
const ceo = { id: "om_ceo", email: "ceo@acme.example", name: "Cleo", role: "member" }

it("finds a member only by email address, because people choose their own names", async () => {
  const update = ["members", "update", "ceo@acme.example", "--role", "admin"]
  const without = await serve({ "GET /v1/members": page(mallory) })
  expect(await ran(update, { url: without.url })).toMatchObject({
    code: 3,
    out: "",
    err: "orgplane: No member has the email address 'ceo@acme.example'. Run 'orgplane members list'.\n"
  })
  expect(without.seen.map(({ method }) => method)).toEqual(["GET"])

  const both = await serve({
    "GET /v1/members": page(mallory, ceo),
    "PATCH /v1/members/om_ceo": { body: { item: { ...ceo, role: "admin" } } }
  })
  expect(await ran([...update, "-q"], { url: both.url })).toMatchObject({ code: 0, out: "om_ceo\n", err: "" })
  expect(both.seen.map(({ method, path }) => `${method} ${path.split("?")[0] ?? ""}`)).toEqual([
    "GET /v1/members",
    "PATCH /v1/members/om_ceo"
  ])
})

it.each([
  ["desktop-policies", "/v1/desktop-policies", "dpo_1", { policyName: "Contractors" }, { policyName: "Others" }],
  ["config-objects", "/v1/config-objects", "cob_1", { title: "Contractors" }, { title: "Others", name: "Contractors" }],
  ["marketplaces", "/v1/marketplaces", "mkt_1", { name: "Contractors" }, { name: "Others", title: "Contractors" }]
])("finds %s by the member that is their name, and by no other", async (group, path, id, one, other) => {
  const { seen, url } = await serve({
    [`GET ${path}`]: page({ id: "other", ...other }, { id, ...one }),
    [`GET ${path}/${id}`]: { body: { item: { id, ...one } } }
  })
  expect(await ran([group, "get", "contractors"], { url })).toMatchObject({ code: 0, err: "" })
  expect(seen.at(-1)?.path).toBe(`${path}/${id}`)
})
