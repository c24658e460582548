import type { Access } from "@orgplane/schema/shared/auth"
import * as Auth from "@orgplane/schema/shared/auth"
import * as ByteSize from "effect/ByteSize"
import { describe, expect, it } from "vitest"
import { kindOf, refusalOf } from "./admission.ts"
import type { EndpointMetadata } from "./endpoint-metadata.ts"
import type { Credential, Directory, Key, Membership, Person, Worker } from "./principals.ts"

const organizationId = "org_1"
const validUntil = Number.POSITIVE_INFINITY

const endpoint = (access: Access, changes: Partial<EndpointMetadata> = {}): EndpointMetadata => ({
  operation: "plugins.list",
  access,
  plan: undefined,
  idempotency: "none",
  versioned: false,
  holdsSecret: false,
  deprecation: undefined,
  checksBody: false,
  hasBody: false,
  bodyBytesMax: 1024,
  bodySizeMax: ByteSize.bytes(1024),
  ...changes
})

const membership: Membership = {
  id: "om_1",
  organizationId,
  role: "member",
  plan: "free",
  provisional: false,
  hasManagedObjects: false,
  permissions: new Set(["plugins:read"]),
  ssoRequired: false
}

const person = (changes: Partial<Membership> | null = {}, sessionKind: Person["sessionKind"] = "email"): Person => ({
  kind: "person",
  userId: "usr_1",
  sessionId: "ses_1",
  sessionKind,
  mintedBy: null,
  boundTo: null,
  sessionOrganizationId: null,
  verifiedEmail: null,
  signedInAt: 0,
  validUntil,
  membership: changes === null ? null : { ...membership, ...changes }
})

const key: Key = {
  kind: "key",
  keyId: "key_1",
  organizationId,
  permissions: new Set(["plugins:read"]),
  requestsPerMinute: 60,
  plan: "free",
  provisional: false,
  hasManagedObjects: false,
  validUntil
}

const worker: Worker = {
  kind: "worker",
  tokenId: "wkt_1",
  workerId: "wrk_1",
  organizationId,
  membershipId: "om_1",
  userId: "usr_1",
  plan: "free",
  validUntil
}

const directory: Directory = {
  kind: "directory",
  tokenId: "sct_1",
  directoryId: "scd_1",
  organizationId,
  plan: "free",
  validUntil
}

/** The reason of a refusal, or its error code; "admitted" without one. */
const outcome = (metadata: EndpointMetadata, credential: Credential, isElsewhere = false): string => {
  const refusal = refusalOf(metadata, credential, isElsewhere)
  if (refusal === undefined) return "admitted"
  return refusal._tag === "Forbidden" ? refusal.reason : refusal._tag
}

const read = Auth.permission("plugins:read")
const accesses: Readonly<Record<string, Access>> = {
  user: Auth.user,
  member: Auth.member,
  session: Auth.session,
  permission: read,
  owner: Auth.owner,
  worker: Auth.worker,
  memberOrWorker: Auth.memberOrWorker,
  sessionOrWorker: Auth.sessionOrWorker,
  scim: Auth.scim,
  platform: Auth.platform,
  permissionOrPlatform: Auth.permissionOrPlatform("plugins:read")
}

describe("refusalOf", () => {
  it.each([
    [person(), { owner: "owner_required", worker: "permission_required", scim: "permission_required" }],
    [
      key,
      {
        user: "session_required",
        session: "session_required",
        sessionOrWorker: "session_required",
        owner: "session_required",
        platform: "session_required",
        worker: "permission_required",
        scim: "permission_required"
      }
    ],
    [
      worker,
      Object.fromEntries(
        Object.keys(accesses).map((kind) => [kind, /worker/i.test(kind) ? "admitted" : "session_required"])
      )
    ],
    [
      directory,
      Object.fromEntries(Object.keys(accesses).map((kind) => [kind, kind === "scim" ? "admitted" : "session_required"]))
    ]
  ] as ReadonlyArray<readonly [Credential, Readonly<Record<string, string>>]>)(
    "admits a credential to the kinds of access open to it: $0.kind",
    (credential, refused) => {
      const outcomes = Object.entries(accesses).map(([kind, access]) => [kind, outcome(endpoint(access), credential)])
      const expected = Object.keys(accesses).map((kind) => [kind, refused[kind] ?? "admitted"])
      expect(outcomes).toEqual(expected)
    }
  )

  it("checks organization, single sign-on, kind of credential, role, permission and plan in this order", () => {
    const closed = endpoint(Auth.permission("plugins:write"), { operation: "sso.get", plan: "sso" })
    expect([
      outcome(closed, person(null), false),
      outcome(closed, person({ ssoRequired: true }, "minted"), true),
      outcome(closed, person({ ssoRequired: true }, "minted")),
      outcome(closed, person({}, "minted")),
      outcome(closed, person()),
      outcome(closed, person({ permissions: new Set(["plugins:write"]) })),
      outcome(closed, person({ permissions: new Set(["plugins:write"]), plan: "enterprise" }))
    ]).toEqual([
      "OrganizationNotFound",
      "OrganizationNotFound",
      "sso_required",
      "session_required",
      "permission_required",
      "PlanRequired",
      "admitted"
    ])
  })

  it("rejects a program outside its organization before its kind", () => {
    expect([outcome(endpoint(read), worker, true), outcome(endpoint(read), directory, true)]).toEqual([
      "OrganizationNotFound",
      "OrganizationNotFound"
    ])
  })

  it("ignores the organization for operations on the user", () => {
    expect([outcome(endpoint(Auth.user), person(null), true), outcome(endpoint(Auth.user), key, true)]).toEqual([
      "admitted",
      "session_required"
    ])
  })
})

describe("kindOf", () => {
  it("finds a credential outside the organization of the header", () => {
    const other = "org_2"
    expect([person(), key, worker, directory].map((one) => kindOf(one).isElsewhere(one, organizationId))).toEqual([
      false,
      false,
      false,
      false
    ])
    // A user's membership is looked up in the organization of the header.
    expect([person(), key, worker, directory].map((one) => kindOf(one).isElsewhere(one, other))).toEqual([
      false,
      true,
      true,
      true
    ])
    expect([person(), key, worker, directory].map((one) => kindOf(one).isElsewhere(one, null))).toEqual([
      true,
      true,
      true,
      true
    ])
  })

  it("limits requests by session, key, worker and directory", () => {
    expect([person(), key, worker, directory].map((one) => kindOf(one).limitKey(one))).toEqual([
      "ses_1",
      "key_1",
      "wrk_1",
      "scd_1"
    ])
  })

  it("makes a user of a person where no membership is needed, and a member elsewhere", () => {
    const request = {} as Parameters<ReturnType<typeof kindOf<"person">>["caller"]>[2]
    const kinds = [Auth.user, Auth.member].map(
      (access) => kindOf(person()).caller(endpoint(access), person(), request).kind
    )
    expect(kinds).toEqual(["user", "member"])
  })
})
