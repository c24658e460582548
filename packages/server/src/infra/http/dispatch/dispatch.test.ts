import { OrgplaneApi } from "@orgplane/schema/api"
import { Authentication, Validation } from "@orgplane/schema/shared/access"
import { type Caller, CurrentCaller } from "@orgplane/schema/shared/caller"
import * as Errors from "@orgplane/schema/shared/errors"
import * as Arbitrary from "effect/Arbitrary"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { describe, expect, test } from "vitest"
import { layerValidation } from "../../../identity/auth/authentication.ts"
import { CurrentResponse } from "../current-response.ts"
import { type Contract, type Handle, prepareEndpoint } from "./endpoint.ts"

const contracts: Array<Contract> = []
HttpApi.reflect(OrgplaneApi, { onGroup: () => {}, onEndpoint: (contract) => contracts.push(contract) })

// Only the tests of authentication need a real caller: here, handlers do not look at it.
const caller = { kind: "anonymous" } as Caller
const authenticate = Authentication.of((handled) => Effect.provideService(handled, CurrentCaller, caller))
const validation = Context.get(Effect.runSync(Effect.scoped(Layer.build(layerValidation))), Validation)

const samplesOf = (schema: Schema.Top): ReadonlyArray<unknown> =>
  Effect.runSync(
    Arbitrary.sampleEffect(Arbitrary.schema(schema), { count: 4, size: 4, seed: 7 }).pipe(
      Effect.orElseSucceed((): ReadonlyArray<unknown> => [])
    )
  )
/** What a client would send for each sample. */
const encodedSamplesOf = (schema: Schema.Top): ReadonlyArray<unknown> =>
  samplesOf(schema).map((value) => Schema.encodeUnknownSync(schema as Schema.Codec<unknown>)(value))

type Texts = Record<string, string>
interface Sent {
  readonly params: Texts
  readonly query: Record<string, string | Array<string>>
  readonly body: string | undefined
  readonly type: string | undefined
}

/** Bodies of endpoints whose schemas have patterns that cannot be sampled. */
const bodiesByHand: Record<string, ReadonlyArray<unknown>> = {
  create: [{ name: "Search", url: "https://mcp.example/mcp", authType: "none" }],
  createMailDraft: [{ to: ["ana@example.com"], subject: "Report", body: "" }]
}

/** Valid requests, and requests of which one part is broken. */
const requestsOf = ({ endpoint }: Contract): ReadonlyArray<Sent> => {
  const plain: Sent = { params: {}, query: {}, body: undefined, type: undefined }
  const params = endpoint.params === undefined ? [{}] : encodedSamplesOf(endpoint.params)
  const queries = endpoint.query === undefined ? [{}] : encodedSamplesOf(endpoint.query)
  const sampled = [...endpoint.payload.values()].flatMap(({ schemas }) =>
    (schemas as ReadonlyArray<Schema.Top>).flatMap(encodedSamplesOf)
  )
  const bodies = [...sampled, ...(bodiesByHand[endpoint.identifier] ?? [])].map((body) => JSON.stringify(body))
  const type = bodies.length === 0 ? undefined : "application/json; charset=utf-8"
  const valid = [0, 1, 2, 3].map((index): Sent => ({
    params: (params[index % params.length] ?? {}) as Texts,
    query: (queries[index % queries.length] ?? {}) as Sent["query"],
    body: bodies[index % bodies.length],
    type
  }))
  const [first = plain] = valid
  return [
    ...valid,
    ...Object.keys(first.params).map((name) => ({ ...first, params: { ...first.params, [name]: "no such id" } })),
    { ...first, query: { ...first.query, limit: "many", unknown: ["a", "b"] } },
    ...(endpoint.payload.size === 0
      ? []
      : ["", "{", "null", "[]", "{}", '{"unknown":1}', '{"name":5}'].map((body) => ({ ...first, body }))),
    { ...first, type: "text/plain" },
    { ...first, type: undefined }
  ]
}

/** The value with members that its schema does not declare, such as the columns of a row, at two levels. */
const withMore = (value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? {
        ...Object.fromEntries(
          Object.entries(value).map(([name, member]) => [
            name,
            Array.isArray(member)
              ? member.map((item) => (typeof item === "object" ? { ...item, undeclared: 1 } : item))
              : member
          ])
        ),
        undeclared: 1
      }
    : value

/** The values with which a handler can end, and the errors, declared and not. */
const endsOf = ({ errors, successes }: Contract): ReadonlyArray<Effect.Effect<unknown, unknown>> => [
  ...[...successes.values()]
    .flat()
    .flatMap((schema) =>
      samplesOf(schema).flatMap((value) => [Effect.succeed(value), Effect.succeed(withMore(value))])
    ),
  Effect.succeed(HttpServerResponse.text("as it is", { status: 299 })),
  ...[...errors.values()].flat().flatMap((schema) => samplesOf(schema).slice(0, 1).map(Effect.fail)),
  Effect.fail({ _tag: "Undeclared" }),
  Effect.fail(new Errors.RouteNotFound()),
  Effect.die("a defect")
]

const outcomeOf = async (
  handled: Effect.Effect<HttpServerResponse.HttpServerResponse, unknown, unknown>,
  { endpoint }: Contract,
  { body, params, query, type }: Sent
) => {
  const http = HttpServerRequest.fromWeb(
    new Request("http://localhost/", {
      method: endpoint.method,
      ...(body === undefined || endpoint.method === "GET" ? {} : { body: new TextEncoder().encode(body) }),
      headers: type === undefined ? {} : { "content-type": type }
    })
  )
  const context = Context.make(HttpServerRequest.HttpServerRequest, http).pipe(
    Context.add(HttpServerRequest.ParsedSearchParams, query),
    Context.add(CurrentResponse, {
      requestId: "req",
      address: "127.0.0.1",
      foreignPage: false,
      operation: undefined,
      onSend: undefined,
      onRefusal: undefined,
      headers: {},
      status: undefined,
      isEtagPartial: false
    }),
    Context.add(HttpRouter.RouteContext, { params, route: HttpRouter.route("GET", "/", HttpServerResponse.empty()) })
  ) as Context.Context<unknown>
  const exit = await Effect.runPromiseExit(Effect.provideContext(handled, context))
  if (Exit.isFailure(exit)) {
    return { failed: exit.cause.reasons.map((reason) => (Cause.isDieReason(reason) ? "defect" : reason._tag)) }
  }
  const web = HttpServerResponse.toWeb(exit.value)
  return { status: web.status, headers: [...web.headers].toSorted(), body: await web.text() }
}

describe.each([...Map.groupBy(contracts, ({ group }) => group.identifier)])(
  "prepared endpoints of %s",
  (_, inGroup) => {
    test("decode, handle and encode as the framework does", async () => {
      for (const contract of inGroup) {
        const { endpoint, group } = contract
        let seen: Array<unknown> = []
        let end: Effect.Effect<unknown, unknown> = Effect.void
        const handle: Handle = ({ params, payload, query }) => {
          seen.push({ params, payload, query })
          return end
        }
        const prepared = prepareEndpoint(contract, handle, authenticate)
        if (prepared === undefined) continue
        const generic = (await Effect.runPromise(
          HttpApiBuilder.endpoint(
            OrgplaneApi,
            group.identifier as "teams",
            endpoint.identifier as "get",
            handle as never
          ).pipe(
            Effect.provideService(Authentication, authenticate),
            Effect.provideService(Validation, validation)
          ) as Effect.Effect<unknown>
        )) as Effect.Effect<HttpServerResponse.HttpServerResponse, unknown, unknown>
        const compare = async (sent: Sent) => {
          const about = `${group.identifier}.${endpoint.identifier} ${JSON.stringify(sent)}`
          seen = []
          const expected = { outcome: await outcomeOf(generic, contract, sent), seen }
          seen = []
          const actual = { outcome: await outcomeOf(prepared.handler, contract, sent), seen }
          expect(actual, about).toEqual(expected)
          return seen.length
        }
        const ends = endsOf(contract)
        end = ends[0] ?? Effect.void
        let handled = 0
        const requests = requestsOf(contract)
        for (const sent of requests) handled += await compare(sent)
        expect(handled, `${group.identifier}.${endpoint.identifier} got no valid request`).toBeGreaterThan(0)
        const [first] = requests
        for (end of ends) if (first !== undefined) await compare(first)
      }
    })
  }
)
