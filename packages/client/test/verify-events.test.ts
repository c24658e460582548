/** After any change to received lines, a proven range still contains every event, unchanged. */
import fc from "fast-check"
import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import { describe, expect, it } from "vitest"
import { verifyEvents } from "@orgplane/client"

const organizationId = "org_01kf0x5me8e6razepq180mhf01"
const pair = generateKeyPairSync("ed25519")
const keys = [{ kid: "current", x: pair.publicKey.export({ format: "jwk" }).x ?? "" }]

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex")

const checkpointOf = (sequence: number, hash: string, privateKey: KeyObject = pair.privateKey) => {
  const createdAt = "2026-01-15T09:30:00.000Z"
  const text = `orgplane feed checkpoint\n${organizationId}\n${sequence}\n${hash}\n${createdAt}\n`
  const signature = sign(null, Buffer.from(text), privateKey).toString("base64url")
  return JSON.stringify({
    version: 2,
    kind: "checkpoint",
    organizationId,
    sequence,
    hash,
    keyId: "current",
    signature,
    createdAt
  })
}

const eventOf = (sequence: number, previous: string | null, content = `plg_${sequence}`) =>
  JSON.stringify({
    version: 2,
    kind: sequence % 5 === 0 ? "personal" : "event",
    organizationId,
    sequence,
    previous,
    ...(sequence % 5 === 0 ? { seal: hashOf(content) } : { type: "plugin.create", objectId: content })
  })

/** The lines of this many events, with a checkpoint at the end. */
const linesOf = (count: number, first = 1): Array<string> => {
  const lines: Array<string> = []
  let previous: string | null = first === 1 ? null : hashOf("before")
  for (let sequence = first; sequence < first + count; sequence += 1) {
    const line = eventOf(sequence, previous)
    previous = hashOf(line)
    lines.push(line)
  }
  return [...lines, checkpointOf(first + count - 1, previous ?? "")]
}

const verified = (lines: ReadonlyArray<string>, withKeys = keys) =>
  verifyEvents(
    lines.map((text, index) => ({ text, place: `line ${index + 1}` })),
    { keys: withKeys }
  )

describe("verifyEvents", () => {
  it("proves a complete sequence", async () => {
    const { organizations, problem, valid } = await verified(linesOf(12))
    expect([valid, problem]).toEqual([true, null])
    expect(organizations).toMatchObject([
      { organizationId, first: 1, isStart: true, last: 12, provenThrough: 12, omitted: 0, personal: 2 }
    ])
  })

  it("proves a sequence that starts later, and reports that earlier events are not in it", async () => {
    const { organizations, valid } = await verified(linesOf(3, 8))
    expect(valid).toBe(true)
    expect(organizations).toMatchObject([{ first: 8, isStart: false, provenThrough: 10 }])
  })

  it("does not prove events after the last checkpoint", async () => {
    const lines = linesOf(4)
    const later = eventOf(5, hashOf(lines[3] ?? ""))
    expect((await verified([...lines, later])).organizations).toMatchObject([{ last: 5, provenThrough: 4 }])
    expect(await verified(lines.slice(0, 4))).toMatchObject({ valid: false, problem: null })
    expect(await verified([])).toMatchObject({ valid: false, organizations: [] })
  })

  it("accepts an omitted line in place of an event, with the hash of the event", async () => {
    const lines = linesOf(3)
    const [one = "", two = ""] = lines
    const omitted = JSON.stringify({
      version: 2,
      kind: "omitted",
      organizationId,
      sequence: 2,
      previous: hashOf(one),
      hash: hashOf(two)
    })
    expect(await verified(lines.with(1, omitted))).toMatchObject({ valid: true, organizations: [{ omitted: 1 }] })
    const other = omitted.replace(hashOf(two), hashOf("other"))
    expect((await verified(lines.with(1, other))).problem).toMatchObject({ sequence: 2 })
  })

  it("names the first missing event, and events that the server deleted", async () => {
    const lines = linesOf(6)
    const without = lines.filter((_, index) => index !== 2)
    expect((await verified(without)).problem).toMatchObject({ sequence: 3, message: "Event 3 is missing." })
    const gap = JSON.stringify({ version: 2, kind: "gap", organizationId, from: 3, to: 3, reason: "deleted" })
    const deleted = await verified([...without, gap])
    expect(deleted.valid).toBe(false)
    expect(deleted.problem?.message).toBe(
      "Event 3 is missing: deleted at the end of the retention period, before delivery."
    )
    expect((await verified(lines.toSpliced(5, 1))).problem).toMatchObject({ sequence: 6 })
  })

  it("rejects a checkpoint of another key, and a forged chain", async () => {
    const other = generateKeyPairSync("ed25519")
    const lines = linesOf(3)
    const forged = checkpointOf(3, hashOf(lines[2] ?? ""), other.privateKey)
    expect(await verified(lines.with(3, forged))).toMatchObject({
      valid: false,
      problem: { sequence: 3, message: "The signature of the checkpoint does not match." }
    })
    expect((await verified(lines, [])).problem?.message).toContain("which is not among the public keys")
    expect((await verified(lines, [{ kid: "current", x: "?" }])).valid).toBe(false)
  })

  it("rejects texts that are not lines of a stream", async () => {
    for (const text of ["x", "[]", "null", "{}", '{"version":2}', '{"version":1,"organizationId":"o"}']) {
      expect(await verified([...linesOf(2), text])).toMatchObject({
        valid: false,
        problem: { sequence: null, place: "line 4" }
      })
    }
  })

  it("accepts repeated lines in any order", () =>
    fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 15 }), fc.infiniteStream(fc.nat()), async (count, random) => {
        const lines = linesOf(count)
        const repeated = lines.flatMap((line) =>
          Array.from({ length: 1 + ((random.next().value ?? 0) % 3) }, () => line)
        )
        const shuffled = repeated
          .map((line) => [random.next().value ?? 0, line] as const)
          .sort(([one], [other]) => one - other)
          .map(([, line]) => line)
        const { organizations, valid } = await verified(shuffled)
        expect(valid).toBe(true)
        expect(organizations).toMatchObject([{ first: 1, provenThrough: count }])
      }),
      { numRuns: 50 }
    ))

  it("detects every removed, swapped and altered line up to a checkpoint", () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 12 }),
        fc.constantFrom("remove", "alter", "swap", "replace"),
        fc.nat(),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        async (count, change, at, position, difference) => {
          const lines = linesOf(count)
          const index = at % count
          const line = lines[index] ?? ""
          const changed = [...lines]
          if (change === "remove") changed.splice(index, 1)
          else if (change === "alter") {
            const bytes = Buffer.from(line)
            const byte = position % bytes.length
            bytes[byte] = ((bytes[byte] ?? 0) ^ difference) & 0x7f
            if (bytes.toString() === line) return
            changed[index] = bytes.toString()
          } else if (change === "swap") {
            // The contents of two events change their places.
            const other = (index + 1) % count
            const [one, two] = [JSON.parse(line), JSON.parse(lines[other] ?? "")]
            changed[index] = JSON.stringify({ ...two, sequence: one.sequence, previous: one.previous })
            changed[other] = JSON.stringify({ ...one, sequence: two.sequence, previous: two.previous })
          } else changed[index] = eventOf(index + 1, JSON.parse(line).previous, "plg_other")
          const { organizations, valid } = await verified(changed)
          const [proven] = organizations
          // Without its first lines, the rest is a sequence that starts later.
          const isShorter = change === "remove" && index === 0
          if (isShorter) expect(proven).toMatchObject({ first: 2, isStart: false })
          else expect(valid).toBe(false)
        }
      ),
      { numRuns: 300 }
    ))
})
