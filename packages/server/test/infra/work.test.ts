/**
 * The work of a request, counted and not timed: four times the body may cause about four times the work, not sixteen.
 */
import { Session } from "node:inspector/promises"
import { afterAll, beforeAll, expect, it } from "vitest"
import { randomOf } from "../../../../bench/cost-bodies.ts"
import { idsIn, operationsOf, type Operation, triesOf } from "../../../../bench/cost-tries.ts"
import {
  call,
  engine,
  makeControlPlane,
  makeScimToken,
  makeWorkerToken,
  makeWorkspace,
  signIn,
  someAddress
} from "../harness.ts"

const plane = await makeControlPlane({ workers: false })
const session = new Session()

beforeAll(async () => {
  session.connect()
  await session.post("Profiler.enable")
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true })
})
afterAll(() => session.disconnect())

/** How often functions, branches and loops ran since the last call, in all code of this process. */
const executed = async (): Promise<number> => {
  const { result } = await session.post("Profiler.takePreciseCoverage")
  let sum = 0
  for (const { functions } of result) {
    for (const { ranges } of functions) for (const { count } of ranges) sum += count
  }
  return sum
}

const [small, large] = [4096, 16_384]
/** Above this, the larger body must not cause more than this many times the work of the smaller one. */
const factorMax = 8
const negligible = 200_000
const fills = ["words", "marks"].map((fill) => `body of ${fill}`)

it.skipIf(engine === "postgres")(
  "grows linearly with the size of the body, in every operation",
  { timeout: 300_000 },
  async () => {
    const owner = await makeWorkspace(plane)
    // Several sessions, because one would exceed its rate limit.
    const sessions = [
      owner,
      ...(await Promise.all([1, 2, 3].map(() => signIn(plane, owner.userId, owner.organizationId))))
    ]
    const worker = await makeWorkerToken(plane, owner)
    const directory = await makeScimToken(plane, owner)
    const ids = new Map([["org", owner.organizationId]])
    const operations = operationsOf(undefined).filter(({ body, method }) => body !== undefined && method !== "DELETE")
    let sent = 0
    const send = async ({ credential, method }: Operation, url: string, contentType: string, body: string) => {
      const token = {
        none: undefined,
        person: sessions[sent % sessions.length]?.token,
        worker: worker.token,
        scim: directory.token
      }[credential]
      sent += 1
      await executed()
      const response = await call(plane, token, someAddress())(method, url, body, { "content-type": contentType })
      const work = await executed()
      if (response.status < 300 && response.body !== undefined) idsIn(response.body, ids)
      return { work, status: response.status }
    }
    const tooMuch: Array<string> = []
    const statuses = new Map<number, number>()
    for (const operation of operations) {
      const bodiesOf = (bodyBytesMax: number) =>
        [...triesOf({ ...operation, bodyBytesMax }, ids, randomOf(1))].filter(
          ({ body, what }) => body !== undefined && fills.some((fill) => what === fill || what === `expected ${fill}`)
        )
      const larger = new Map(bodiesOf(large).map((one) => [one.what, one]))
      for (const one of bodiesOf(small)) {
        const other = larger.get(one.what)
        if (one.body === undefined || other?.body === undefined) continue
        const contentType = one.contentType ?? "application/json"
        const few = await send(operation, one.url, contentType, one.body)
        const many = await send(operation, other.url, contentType, other.body)
        statuses.set(many.status, (statuses.get(many.status) ?? 0) + 1)
        const growth = other.body.length / one.body.length
        if (many.work > negligible && many.work > few.work * Math.max(factorMax, growth * 2)) {
          tooMuch.push(
            `${operation.name}, ${one.what}: ${few.work} for ${one.body.length}, ${many.work} for ${other.body.length}`
          )
        }
      }
    }
    expect(statuses.get(429) ?? 0).toBeLessThan(20)
    expect(tooMuch).toEqual([])
    expect(sent).toBeGreaterThan(200)
  }
)
