import { describe, expectTypeOf, it } from "vitest"
import type {
  Call,
  ConfigObject,
  ErrorCode,
  ForbiddenReason,
  Invitation,
  List,
  Member,
  NotReady,
  OrgplaneClient,
  Page,
  Plugin,
  Ready,
  RequestOptions
} from "../src/index.ts"

type Client = OrgplaneClient

// Never runs. The test is that it compiles.
const taken = (client: Client) => [
  client.plugins.list(),
  client.plugins.list({ limit: 5, q: undefined }, { retries: 0 }),
  client.configObjects.list({ archived: true, type: "skill" }),
  client.connectors.apply("cin_1", { selectedKeys: [], autoImportNewPlugins: true, wait: "1" })
]

const refused = (client: Client): ReadonlyArray<unknown> => [
  // @ts-expect-error a member that does not exist
  client.plugins.create({ name: "n", nme: "n" }),
  // @ts-expect-error a required member is missing
  client.plugins.create({}),
  // @ts-expect-error the input is required
  client.plugins.create(),
  // @ts-expect-error a value that is not one of them
  client.configObjects.list({ type: "skil" }),
  // @ts-expect-error a number is a number
  client.plugins.list({ limit: "5" }),
  // @ts-expect-error an id is missing
  client.connectors.revokeAccess("cin_1"),
  // @ts-expect-error a permission that does not exist
  client.apiKeys.create({ name: "ci", permissions: ["connectors:own"] }),
  // @ts-expect-error an option that does not exist
  client.plugins.get("plg_1", { retry: 1 })
]

describe("the types", () => {
  it("unwrap bodies with one object", () => {
    expectTypeOf<ReturnType<Client["plugins"]["get"]>>().toEqualTypeOf<Call<Plugin>>()
    expectTypeOf<ReturnType<Client["plugins"]["create"]>>().toEqualTypeOf<Call<Plugin>>()
    expectTypeOf<ReturnType<Client["members"]["get"]>>().toEqualTypeOf<Call<Member>>()
    expectTypeOf<ReturnType<Client["plugins"]["list"]>>().toEqualTypeOf<List<Plugin>>()
    expectTypeOf<Awaited<ReturnType<Client["configObjects"]["list"]>>>().toEqualTypeOf<Page<ConfigObject>>()
    expectTypeOf<Awaited<ReturnType<Client["sessions"]["revoke"]>>>().toEqualTypeOf<undefined>()
    expectTypeOf<Awaited<ReturnType<Client["system"]["ready"]>>>().toEqualTypeOf<Ready | NotReady>()
    expectTypeOf<ReturnType<Client["audit"]["export"]>>().toEqualTypeOf<Call<ReadableStream<Uint8Array>>>()
    expectTypeOf<Awaited<ReturnType<Client["apiKeys"]["create"]>>["key"]>().toEqualTypeOf<string>()
    expectTypeOf<ReturnType<Client["invitations"]["list"]>>().toEqualTypeOf<List<Invitation>>()
    type Attention = Awaited<ReturnType<Client["attention"]["list"]>>
    expectTypeOf<Attention["counts"][number]["count"]>().toEqualTypeOf<number>()
    expectTypeOf<Awaited<ReturnType<Client["system"]["docs"]>>>().toEqualTypeOf<string>()
  })

  it("take ids, input and options in that order", () => {
    expectTypeOf<Parameters<Client["connectors"]["enable"]>>().toEqualTypeOf<
      [string, options?: RequestOptions | undefined]
    >()
    expectTypeOf<Parameters<Client["connectors"]["revokeAccess"]>>().toEqualTypeOf<
      [string, string, options?: RequestOptions | undefined]
    >()
    expectTypeOf(taken).toBeFunction()
  })

  it("contain the error codes and reasons of the API", () => {
    expectTypeOf<"connector_instance_disabled">().toExtend<ErrorCode>()
    expectTypeOf<"owner_required">().toExtend<ForbiddenReason>()
    expectTypeOf<"no_such_code">().not.toExtend<ErrorCode>()
  })

  it("reject inputs that the operation does not accept", () => {
    expectTypeOf<Client["plugins"]>().not.toHaveProperty("destroy")
    expectTypeOf(refused).toBeFunction()
  })
})
