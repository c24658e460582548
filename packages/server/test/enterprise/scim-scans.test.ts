/** SCIM lists without an index do not block the database or other requests. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { SqlDatabase } from "../../src/infra/sql/client.ts"
import { engine, makeControlPlane, withServices } from "../harness.ts"
import { expectRefused, makeDirectory, makeGroup, makeUser, searchUrn } from "./scim.fixture.ts"

const plane = await makeControlPlane({ workers: false })
const scan = `/Users?filter=${encodeURIComponent('emails.value co "nobody"')}`

describe("SCIM lists that read every row", () => {
  // In process, each transaction has exclusive use of the database, and there is no statement timeout.
  it.runIf(engine === "postgres")(
    "do not block other requests, are rejected when too many wait, and time out",
    { timeout: 240_000 },
    async () => {
      const directory = await makeDirectory(plane)
      const { owner, scim } = directory
      const user = await makeUser(directory)
      const other = await makeDirectory(plane)
      const locked = Promise.withResolvers<void>()
      const ending = Promise.withResolvers<void>()
      // This lock delays a reader like a large directory would.
      const elsewhere = await makeControlPlane({ workers: false, database: plane.database })
      const lock = withServices(
        elsewhere,
        Effect.gen(function* () {
          const sql = yield* SqlDatabase
          yield* sql`LOCK TABLE scim_users IN ACCESS EXCLUSIVE MODE`
          locked.resolve()
          yield* Effect.promise(() => ending.promise)
        }).pipe((effect) => Effect.flatMap(SqlDatabase, (sql) => sql.withTransaction(effect)), Effect.orDie)
      )
      await locked.promise
      const search = { schemas: [searchUrn], filter: 'displayName co "nobody"' }
      const lists = [
        ...Array.from({ length: 20 }, () => scim("GET", scan)),
        other.scim("POST", "/.search", search),
        other.scim("GET", "/Users?sortBy=name.familyName")
      ]
      expect((await owner.call("GET", "/v1/organization")).status).toBe(200)
      expect((await other.scim("GET", "/ServiceProviderConfig")).status).toBe(200)
      const first = await Promise.race(lists.slice(0, 16))
      expectRefused(first, 400, "tooMany")
      ending.resolve()
      await lock
      const responses = await Promise.all(lists)
      const refused = responses.filter(({ status }) => status === 429)
      expect(refused).toHaveLength(4)
      for (const response of refused) {
        expectRefused(response, 429)
        expect(response.headers.get("retry-after")).toBe("5")
      }
      for (const { body, status } of responses) if (status === 400) expect(body.scimType).toBe("tooMany")
      expect(responses.filter(({ status }) => ![200, 400, 429].includes(status))).toEqual([])
      // Finished requests no longer count as waiting.
      const again = await Promise.all(Array.from({ length: 16 }, () => scim("GET", scan)))
      expect(again.map(({ status }) => status)).toEqual(Array.from({ length: 16 }, () => 200))
      expect((await scim("GET", `/Users?filter=${encodeURIComponent(`id eq "${user.id}"`)}`)).body.totalResults).toBe(1)
    }
  )

  it("return the matching users, groups, or both", async () => {
    const directory = await makeDirectory(plane)
    const user = await makeUser(directory, { displayName: "Another Person" })
    const group = await makeGroup(directory, [user.id], "Another group")
    const filter = encodeURIComponent('displayName sw "another"')
    const idsOf = async (path: string) =>
      (await directory.scim("GET", path)).body.Resources.map(({ id }: { id: string }) => id)
    expect(await idsOf(`/Users?filter=${filter}`)).toEqual([user.id])
    expect(await idsOf(`/Groups?filter=${filter}&sortBy=displayName`)).toEqual([group.id])
    const both = await directory.scim("POST", "/.search", { schemas: [searchUrn], filter: 'displayName sw "another"' })
    expect(both.body.Resources.map(({ id }: { id: string }) => id)).toEqual([user.id, group.id])
  })
})
