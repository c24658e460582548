/** After any change to received lines, a proven range still contains every event, unchanged. */
import fc from "fast-check"
import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import { describe, expect, it } from "vitest"
import { verifyEvents } from "@orgplane/client"

const organizationId = "org_01kf0x5me8e6razepq180mhf01"
const pair = generateKeyPairSync("ed25519")
const keys = [{ kid: "current", x: pair.publicKey.export({ format: "jwk" }).x ?? "" }]

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex")
/** JSON as RFC 8785 writes it. */
const canonicalJson = (value: unknown): string =>
  typeof value === "object" && value !== null
    ? `{${Object.entries(value)
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`)
        .join(",")}}`
    : JSON.stringify(value)

/** The hash of a line in the chain, as docs/event-streams.md defines it. */
const chainHashOf = (line: string): string => {
  const { contentDigest, previous, ...content } = JSON.parse(line)
  const digest = contentDigest ?? hashOf(canonicalJson(content))
  return hashOf(`orgplane feed line\n2\n${organizationId}\n${content.sequence}\n${previous ?? ""}\n${digest}\n`)
}

const checkpointOf = (
  sequence: number,
  hash: string,
  privateKey: KeyObject = pair.privateKey,
  organization = organizationId
) => {
  const createdAt = "2026-01-15T09:30:00.000Z"
  const text = `orgplane feed checkpoint\n${organization}\n${sequence}\n${hash}\n${createdAt}\n`
  const signature = sign(null, Buffer.from(text), privateKey).toString("base64url")
  return JSON.stringify({
    version: 2,
    kind: "checkpoint",
    organizationId: organization,
    sequence,
    hash,
    keyId: "current",
    signature,
    createdAt
  })
}

const eventOf = (sequence: number, previous: string | null, content = `plg_${sequence}`) =>
  canonicalJson({
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
    previous = chainHashOf(line)
    lines.push(line)
  }
  return [...lines, checkpointOf(first + count - 1, previous ?? "")]
}

/** The line in place of this line, for a stream that does not select it. */
const omittedOf = (line: string, previous: string | null = JSON.parse(line).previous) => {
  const { previous: _, ...content } = JSON.parse(line)
  return canonicalJson({
    version: 2,
    kind: "omitted",
    organizationId,
    sequence: content.sequence,
    previous,
    contentDigest: hashOf(canonicalJson(content))
  })
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
    const later = eventOf(5, chainHashOf(lines[3] ?? ""))
    expect((await verified([...lines, later])).organizations).toMatchObject([{ last: 5, provenThrough: 4 }])
    expect(await verified(lines.slice(0, 4))).toMatchObject({ valid: false, problem: null })
    expect(await verified([])).toMatchObject({ valid: false, organizations: [] })
  })

  it("accepts an omitted line in place of an event, with the digest of its content", async () => {
    const lines = linesOf(3)
    const omitted = omittedOf(lines[1] ?? "")
    expect(await verified(lines.with(1, omitted))).toMatchObject({ valid: true, organizations: [{ omitted: 1 }] })
    const other = omitted.replace(/[0-9a-f]{64}/u, hashOf("other"))
    expect((await verified(lines.with(1, other))).problem).toMatchObject({ sequence: 2 })
  })

  it("rejects a changed event that an omitted line with a forged `previous` follows", async () => {
    const lines = linesOf(4)
    const [one = "", two = "", three = ""] = lines
    const forged = eventOf(2, chainHashOf(one), "plg_forged")
    const changed = lines.with(1, forged).with(2, omittedOf(three, chainHashOf(forged)))
    expect(await verified(changed)).toMatchObject({ valid: false, problem: { sequence: 3 } })
    // As in a chain that trusts the hash that an omitted line states.
    const stated = canonicalJson({ ...JSON.parse(omittedOf(three, chainHashOf(forged))), hash: chainHashOf(three) })
    expect((await verified(lines.with(1, forged).with(2, stated))).valid).toBe(false)
    const personal = lines.with(1, eventOf(2, chainHashOf(two), "plg_forged").replace('"event"', '"personal"'))
    expect((await verified(personal)).valid).toBe(false)
  })

  it("reports an organization of which only checkpoints or gaps are left, next to a complete one", async () => {
    const other = "org_01kf0x5me8e6razepq180mhf02"
    const checkpoint = checkpointOf(7, hashOf("removed"), pair.privateKey, other)
    const gap = JSON.stringify({ version: 2, kind: "gap", organizationId: other, from: 1, to: 7, reason: "deleted" })
    for (const [left, message] of [
      [[checkpoint], "All events are missing: a signed checkpoint covers event 7."],
      [[checkpoint, gap], "All events are missing: a signed checkpoint covers event 7."],
      [[gap], "All events are missing: there is only a line in place of the events 1 to 7."]
    ] as const) {
      const result = await verified([...linesOf(3), ...left])
      expect(result).toMatchObject({ valid: false, problem: { sequence: null, message, place: "line 5" } })
      expect(result.organizations).toMatchObject([{ provenThrough: 3 }, { organizationId: other, first: null }])
    }
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
    const forged = checkpointOf(3, chainHashOf(lines[2] ?? ""), other.privateKey)
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
        fc.constantFrom("remove", "alter", "swap", "replace", "omit"),
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
            changed[index] = canonicalJson({ ...two, sequence: one.sequence, previous: one.previous })
            changed[other] = canonicalJson({ ...one, sequence: two.sequence, previous: two.previous })
          } else if (change === "omit") {
            // A changed event, with all later lines omitted and linked to it.
            changed[index] = eventOf(index + 1, JSON.parse(line).previous, "plg_other")
            for (let later = index + 1; later < count; later += 1) {
              changed[later] = omittedOf(lines[later] ?? "", chainHashOf(changed[later - 1] ?? ""))
            }
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
