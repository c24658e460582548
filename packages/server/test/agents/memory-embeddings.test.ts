/** Semantic memory search with an embedder, and text search without one or while it fails. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createHash } from "node:crypto"
import type { RequestListener } from "node:http"
import { beforeEach, describe, expect, it } from "vitest"
import { Embedder } from "../../src/infra/ports/index.ts"
import { addMember, engine, makeControlPlane, makeWorkspace, type Person, runSql, signInByEmail } from "../harness.ts"
import { json, serve } from "./llm.fixture.ts"
import { keepWritten } from "../written.fixture.ts"

const written = keepWritten()
const apiKey = "canary-key-7731"

/** Synonyms: each line is one dimension of the vectors; other words are placed by their digest. */
const meanings = [
  ["automobile", "automobiles", "car"],
  ["physician", "doctor"],
  ["feline", "cat"]
]
const dimensions = 64
const vectorOf = (text: string) => {
  const vector = Array.from({ length: dimensions }, () => 0)
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    const meaning = meanings.findIndex((words) => words.includes(word))
    const at = meaning >= 0 ? meaning : 8 + ((createHash("sha256").update(word).digest()[0] ?? 0) % (dimensions - 8))
    vector[at] = (vector[at] ?? 0) + (meaning >= 0 ? 3 : 0.5)
  }
  return vector
}

/** The texts sent to the embedder, with model and key. */
const embeddingRequests: Array<{
  readonly model: string
  readonly input: ReadonlyArray<string>
  readonly key: string
}> = []
const usual: RequestListener = (request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    const { input, model } = JSON.parse(Buffer.concat(chunks).toString())
    embeddingRequests.push({ input, model, key: request.headers.authorization ?? "" })
    if (input.some((text: string) => text.includes("indigestible"))) {
      json(response, 400, { error: `too long for ${apiKey}` })
      return
    }
    const data = input.map((text: string, index: number) => ({ index, embedding: vectorOf(text) }))
    // In any order: the index identifies each vector.
    json(response, 200, { object: "list", data: data.toReversed() })
  })
}
const provider = await serve(usual)
const url = `${provider.origin}/v1/embeddings`
const embeddings = { url, model: "toy-1", apiKey }

/** Loopback is a private address; only this one is allowed, because the operator configured it. */
const plane = await makeControlPlane({ embeddings, logLevel: "debug" })
// A second process on the same database, on engines that support it.
if (engine === "postgres") await makeControlPlane({ embeddings, database: plane.database, logLevel: "debug" })
const mine = await makeWorkspace(plane)
const answered: Array<string> = []

type Caller = Pick<Person, "call">
const save = async (person: Caller, content: string, more: object = {}, headers = {}): Promise<string> => {
  const result = await person.call("POST", "/v1/memory", { content, ...more }, headers)
  answered.push(result.text)
  expect([result.status, result.text]).toEqual([201, expect.any(String)])
  return result.body.memory.id
}
const search = async (person: Caller, q: string, more = "", headers = {}) => {
  const result = await person.call("GET", `/v1/memory/search?q=${encodeURIComponent(q)}${more}`, undefined, headers)
  answered.push(result.text)
  expect([result.status, result.text]).toEqual([200, expect.any(String)])
  return result.body.results as ReadonlyArray<{ readonly content: string; readonly score: number }>
}
const find = async (...args: Parameters<typeof search>) => (await search(...args)).map(({ content }) => content)
const soon = { timeout: 60_000, interval: 250 }
const vectors = (userId: string) =>
  runSql(
    plane,
    (sql) => sql<{ content: string; model: string | null; bytes: number | null }>`SELECT m.content,
        m.embedding_model AS model, octet_length(m.embedding) AS bytes
      FROM memories m WHERE m.user_id = ${userId} ORDER BY m.id`
  )
/** Waits until all memories of a user have vectors. */
const countVectors = (userId: string) =>
  expect.poll(async () => (await vectors(userId)).every(({ model }) => model === "toy-1"), soon).toBe(true)

beforeEach(() => {
  provider.instead = null
})

describe("memory search with an embedder", () => {
  it("finds memories of similar meaning by content, tags and snippets, besides text matches", async () => {
    const person = await addMember(plane, mine, "member")
    await save(person, "car")
    await save(person, "Who to ask", { tags: ["physician"] })
    await save(person, "Luna", { contexts: [{ snippet: "her cat" }] })
    await save(person, "doctor doctor car")
    await countVectors(person.userId)
    expect(await search(person, "automobile")).toMatchObject([{ content: "car", score: 0.9 }])
    expect(await find(person, "doctor")).toEqual(["doctor doctor car", "Who to ask"])
    expect(await find(person, "feline")).toEqual(["Luna"])
    await save(person, "automobile")
    await countVectors(person.userId)
    // Text matches score at least as high as before; equal scores are ordered newest first.
    expect(await search(person, "automobile")).toMatchObject([
      { content: "automobile", score: expect.toSatisfy((score) => score >= 0.9) },
      { content: "car", score: 0.9 }
    ])
    expect(await find(person, "automobile", "&limit=1")).toEqual(["automobile"])
    expect(await find(person, "volcano")).toEqual([])
    expect(await find(person, "...")).toEqual([])
  })

  it("respects the member, the tag and the organizations of the request", async () => {
    const [ada, bob] = [await addMember(plane, mine, "member"), await addMember(plane, mine, "admin")]
    await save(ada, "Ada has a car", { tags: ["Things"] })
    await save(bob, "Bob has a car")
    await countVectors(ada.userId)
    await countVectors(bob.userId)
    expect(await find(ada, "automobile")).toEqual(["Ada has a car"])
    expect(await find(bob, "automobile")).toEqual(["Bob has a car"])
    expect(await find(mine, "automobile")).toEqual([])
    expect(await find(ada, "automobile", "&tag=things")).toEqual(["Ada has a car"])
    expect(await find(ada, "automobile", "&tag=food")).toEqual([])

    const person = await signInByEmail(plane, "near-everywhere@example.com")
    const organization = async (name: string): Promise<string> =>
      (await person.call("POST", "/v1/organizations", { name })).body.organization.id
    const at = (id: string) => ({ "x-organization-id": id })
    const [one, two] = [await organization("One"), await organization("Two")]
    await save(person, "car of one", {}, at(one))
    await save(person, "car of two", {}, at(two))
    await countVectors(person.userId)
    expect(await find(person, "automobile", "", at(one))).toEqual(["car of one"])
    expect((await find(person, "automobile", "&organization=all", at(one))).toSorted()).toEqual([
      "car of one",
      "car of two"
    ])
  })

  it("sends each text once from any number of processes, with the key in its header", async () => {
    const person = await addMember(plane, mine, "member")
    const texts = Array.from({ length: 70 }, (_, n) => `once ${"abcdefghij".charAt(n % 10)} ${person.userId} ${n}`)
    await Promise.all(texts.map((text) => save(person, text)))
    await countVectors(person.userId)
    const sent = embeddingRequests.flatMap(({ input }) => input).filter((text) => text.includes(person.userId))
    expect(sent.toSorted()).toEqual(texts.toSorted())
    expect(new Set(embeddingRequests.map(({ key, model }) => `${model} ${key}`))).toEqual(
      new Set([`toy-1 Bearer ${apiKey}`])
    )
    expect(Math.max(...embeddingRequests.map(({ input }) => input.length))).toBeLessThanOrEqual(32)
    await save(person, "x".repeat(7000), { contexts: [{ snippet: `${"y".repeat(2000)} canary-end` }] })
    await countVectors(person.userId)
    const long = embeddingRequests.flatMap(({ input }) => input).find((text) => text.startsWith("xxx"))
    expect([long?.length, long?.includes("y"), long?.includes("canary-end")]).toEqual([8000, true, false])
  })

  it("creates new vectors for another model, and none for former members", async () => {
    const [person, formerMember] = [await addMember(plane, mine, "member"), await addMember(plane, mine, "member")]
    await save(person, "one car")
    await save(person, "two cars, one automobile")
    await save(formerMember, "left a car")
    await Promise.all([countVectors(person.userId), countVectors(formerMember.userId)])
    expect((await mine.call("DELETE", `/v1/members/${formerMember.membershipId}`)).status).toBe(204)
    await runSql(
      plane,
      (sql) => sql`UPDATE memories SET embedding = ${new Uint8Array(8)}, embedding_model =
          CASE WHEN content = 'one car' THEN 'a model before' WHEN content = 'left a car' THEN NULL ELSE 'z' END
        WHERE user_id IN (${person.userId}, ${formerMember.userId})`
    )
    await countVectors(person.userId)
    expect((await vectors(person.userId)).map(({ bytes }) => bytes)).toEqual([4 * dimensions, 4 * dimensions])
    expect(await find(person, "automobile")).toHaveLength(2)
    expect(await vectors(formerMember.userId)).toMatchObject([{ model: null }])
    // A returning member has their memories again.
    await runSql(plane, (sql) => sql`UPDATE memberships SET removed_at = NULL WHERE id = ${formerMember.membershipId}`)
    await countVectors(formerMember.userId)
  })

  it("continues after a text that the model rejects", async () => {
    const person = await addMember(plane, mine, "member")
    await save(person, "good car")
    await countVectors(person.userId)
    await save(person, "indigestible car")
    // Both go into the next batch.
    await runSql(
      plane,
      (sql) => sql`UPDATE memories SET embedding = NULL, embedding_model = NULL, embedding_tried_at = NULL
        WHERE user_id = ${person.userId}`
    )
    await countVectors(person.userId)
    expect((await vectors(person.userId)).map(({ bytes, content }) => [content, bytes])).toEqual([
      ["good car", 4 * dimensions],
      ["indigestible car", null]
    ])
    expect(await find(person, "automobile")).toEqual(["good car"])
    expect((await find(person, "indigestible")).length).toBe(1)
  })

  /** A user's texts that were sent one by one, from an index in the list of requests. */
  const sentAlone = (since: number, word: string) =>
    embeddingRequests
      .slice(since)
      .filter(({ input }) => input.length === 1 && input.every((text) => text.includes(word))).length

  it("embeds another organization's memories while the model rejects hundreds of one member's", async () => {
    const greedy = await addMember(plane, mine, "member")
    const other = await makeWorkspace(plane)
    await save(other, "a patient car")
    await save(greedy, "an ordinary car")
    await countVectors(other.userId)
    await countVectors(greedy.userId)
    const since = embeddingRequests.length
    // Inserted in one statement, all older than the other organization's memories.
    await runSql(
      plane,
      (sql) => sql`WITH due AS (
          UPDATE memories SET embedding = NULL, embedding_model = NULL WHERE user_id = ${other.userId})
        INSERT INTO memories (user_id, id, organization_id, content, tags, tag_keys, source, contexts_json, words, stems,
          weights, word_count, created_at, updated_at)
        SELECT user_id, 'mem_' || lpad(n::text, 26, '0'), organization_id, 'indigestible greedy ' || n, tags, tag_keys, source,
          contexts_json, words, stems, weights, word_count, created_at, updated_at
        FROM memories, generate_series(1, 300) n WHERE user_id = ${greedy.userId}`
    )
    await countVectors(other.userId)
    expect(sentAlone(since, "greedy")).toBeLessThanOrEqual(64)
    await runSql(plane, (sql) => sql`DELETE FROM memories WHERE user_id = ${greedy.userId}`)
  })

  it("sets a text aside after three rejections, and retries it after a day", async () => {
    const person = await addMember(plane, mine, "member")
    await save(person, "indigestible aside")
    const tries = () =>
      runSql(
        plane,
        (sql) =>
          sql<{ tries: number }>`SELECT embedding_tries::int AS tries FROM memories WHERE user_id = ${person.userId}`
      ).then(([row]) => row?.tries)
    await expect.poll(tries, soon).toBe(1)
    const rested = (tries: number, minutes: number) =>
      runSql(
        plane,
        (sql) => sql`UPDATE memories SET embedding_tries = ${tries},
            embedding_tried_at = now() - make_interval(mins => ${minutes}::int)
          WHERE user_id = ${person.userId}`
      )
    await rested(2, 6)
    await expect.poll(tries, soon).toBe(3)
    await rested(3, 6)
    const since = embeddingRequests.length
    const other = await addMember(plane, mine, "member")
    await save(other, "another car")
    await countVectors(other.userId)
    expect(sentAlone(since, "aside")).toBe(0)
    await rested(3, 24 * 60 + 1)
    await expect.poll(() => sentAlone(since, "aside"), soon).toBeGreaterThan(0)
  }, 120_000)
})

describe("a failing embedder", () => {
  const heldResponses: Array<() => void> = []
  const respond =
    (body: unknown, status = 200): RequestListener =>
    (_, response) =>
      json(response, status, body)
  const faults: ReadonlyArray<readonly [what: string, listener: RequestListener]> = [
    ["is down", (request) => request.socket.destroy()],
    ["returns 500 with the key", respond({ error: apiKey }, 500)],
    ["returns 401", respond({ error: apiKey }, 401)],
    ["returns HTML", respond("<html>Sign in</html>")],
    ["returns no list", respond({ data: {} })],
    ["returns too few", respond({ data: [] })],
    ["returns no numbers", respond({ data: [{ index: 0, embedding: ["1", null] }] })],
    ["returns nothing of one", respond({ data: [{ index: 0, embedding: [] }] })],
    ["returns too many numbers", respond({ data: [{ index: 0, embedding: Array.from({ length: 4097 }, () => 1) }] })],
    ["returns another dimension", respond({ data: [{ index: 0, embedding: [1, 2, 3] }] })],
    [
      "sends us elsewhere",
      (_, response) => {
        response.writeHead(307, { location: `${provider.origin}/elsewhere` })
        response.end()
      }
    ],
    ["is silent", (_, response) => void heldResponses.push(() => response.destroy())]
  ]

  it("does not block saving or text search, and vectors are created later", async () => {
    const person = await addMember(plane, mine, "member")
    await save(person, "my car")
    await countVectors(person.userId)
    for (const [what, listener] of faults) {
      provider.instead = listener
      await save(person, `the car while it ${what}`)
      expect([what, await find(person, "automobile")]).toEqual([what, []])
      expect([what, await find(person, "my")]).toEqual([what, ["my car"]])
    }
    provider.instead = null
    for (const end of heldResponses) end()
    expect(provider.requests.filter(({ path }) => path === "/elsewhere")).toEqual([])
    await expect.poll(() => find(person, "automobile", "&limit=50"), soon).toHaveLength(faults.length + 1)
  }, 180_000)

  it("leaks neither the key nor a text in logs", () => {
    const logText = written.join("")
    expect(logText).toContain("Cannot create vectors for memories")
    expect([...written, ...answered].filter((text) => text.includes(apiKey))).toEqual([])
    expect(logText).not.toContain("the car while it")
  })
})

it("is not used for queries unless the operator enables it", async () => {
  const plain = await makeControlPlane()
  const person = await makeWorkspace(plain)
  const before = provider.requests.length
  await save(person, "my car")
  expect([await find(person, "automobile"), await find(person, "car")]).toEqual([[], ["my car"]])
  expect(provider.requests.length).toBe(before)
})

it("can be the host application's own port, whose vectors are validated", async () => {
  let strange = false
  const own = await makeControlPlane({
    ports: {
      embedder: Layer.succeed(Embedder, {
        model: "own",
        embed: (texts) =>
          strange
            ? Effect.die(new Error("broken"))
            : Effect.succeed(texts.map((text) => Float32Array.from(vectorOf(text))))
      })
    }
  })
  const person = await makeWorkspace(own)
  await save(person, "my car")
  await expect.poll(() => find(person, "automobile"), soon).toEqual(["my car"])
  strange = true
  expect([await find(person, "automobile"), await find(person, "car")]).toEqual([[], ["my car"]])
})
