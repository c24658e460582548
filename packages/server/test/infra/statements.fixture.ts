/** The number of statements of a service method, called as an owner's request would call it. */
import type { Member } from "@orgplane/schema/shared/caller"
import type { Id } from "@orgplane/schema/shared/ids"
import type { Permission } from "@orgplane/schema/shared/permissions"
import * as Effect from "effect/Effect"
import * as Tracer from "effect/Tracer"
import { type TestPlane, withServices, type Workspace } from "../harness.ts"

/** An owner without a request. */
export const memberOf = (person: Workspace, ...permissions: ReadonlyArray<Permission>): Member => ({
  kind: "member",
  organizationId: person.organizationId as Id<"org">,
  principal: {
    kind: "session",
    sessionId: null,
    userId: person.userId as Id<"usr">,
    membershipId: person.membershipId as Id<"om">
  },
  isAdmin: true,
  isOwner: true,
  permissions: new Set(permissions),
  provisional: false,
  hasManagedObjects: false,
  plan: "enterprise",
  request: {
    requestId: "req",
    address: "",
    userAgent: null,
    operation: "",
    idempotency: null,
    digests: [],
    ifMatch: null,
    responseState: { headers: {}, status: undefined, isEtagPartial: false }
  }
})

/** The result of the effect, and the number of statements that it sent. */
export const counted = <A, E>(plane: TestPlane, effect: Parameters<typeof withServices<A, E>>[1]) => {
  const sent: Array<string> = []
  const counting = Tracer.make({
    span: (options) => {
      if (options.kind === "client") sent.push(options.name)
      return new Tracer.NativeSpan(options)
    }
  })
  return withServices(
    plane,
    effect.pipe(
      Effect.withTracer(counting),
      Effect.map((response) => ({ response, count: sent.length }))
    )
  )
}
