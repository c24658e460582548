/**
 * A request of every operation that changes something, which succeeds where possible: by an owner, or by the principal
 * it is for.
 */
import {
  addMember,
  call,
  emailTo,
  makeScimToken,
  makeWorkerToken,
  makeWorkspace,
  platformAdmin,
  runSql,
  signIn,
  signInByEmail,
  someAddress,
  type TestPlane,
  type Workspace
} from "../harness.ts"
import {
  bodyOf,
  isPublic,
  makeThings,
  namedInBody,
  type Operation,
  someEmail,
  type Things,
  idsIn
} from "./http-world.ts"
import { anEvent, beginSuite, connectSuite, startSuites, type SuiteName } from "../agents/suites.fixture.ts"

/** The suites whose accounts people connect. */
export const suites = await startSuites({ isShared: true })
export interface ChangeRequest {
  /** Of an organization without anything else. */
  readonly owner: Workspace
  readonly things: Things
  readonly body: unknown
  /** The caller's; undefined for anonymous callers. */
  readonly token: string | undefined
  readonly userId: string
  readonly sessionId: string
  /** The actor in the audit; an owner unless stated otherwise. */
  readonly actor: {
    readonly kind: "session" | "worker" | "directory" | "platform"
    readonly id: string
    readonly credential: string
  }
  /** The credential that was created for the call, which must not appear anywhere. */
  readonly secrets: ReadonlyArray<string>
}

/** Operations whose bodies are refused if they have an unknown member. */
export const refusesUnknown: ReadonlySet<string> = new Set(["configuration.plan", "configuration.apply"])

type Special = Partial<ChangeRequest>

/** Starts a sign-in by email, up to the code. */
const codeFor = async (plane: TestPlane) => {
  const email = someEmail()
  const before = plane.mails.length
  const started = await call(plane, undefined, someAddress())("POST", "/v1/sessions/email", { email })
  const code = /#challenge=[\w-]+&code=(\w+)/.exec((await emailTo(plane, email, before)).text)?.[1] ?? ""
  return { challengeId: String(started.body.challengeId), code }
}

const byEmail = async (plane: TestPlane, email = someEmail()): Promise<Special> => {
  const { sessionId, token, userId } = await signInByEmail(plane, email)
  return { sessionId, token, userId, secrets: [token] }
}

/** A session whose person has connected the suite. */
const connected = async (plane: TestPlane, owner: Workspace, suite: SuiteName): Promise<Special> => {
  const { id, token } = await signIn(plane, owner.userId, owner.organizationId)
  await connectSuite({ call: call(plane, token) }, suite)
  return { token, sessionId: id, secrets: [token] }
}

/** A connection with an API key, without a server, so that no key is rejected. */
const keyed = async (owner: Workspace): Promise<string> => {
  const input = { name: "Takes a key", url: "https://mcp.invalid/mcp", authType: "apikey" }
  const { body } = await owner.call("POST", "/v1/mcp-connections", input)
  return body.mcpConnection.id
}

/** A model provider with or without an API key. */
const providerWithKey = async (owner: Workspace, apiKey: string | null): Promise<string> => {
  const input = { name: "Takes a key", providerId: "custom", baseUrl: "https://llm.invalid/v1" }
  const { body } = await owner.call("POST", "/v1/llm-providers", input)
  if (apiKey !== null) await owner.call("PUT", `/v1/llm-providers/${body.llmProvider.id}/credential`, { apiKey })
  return body.llmProvider.id
}

/** A rollout of another plugin, in a state that `act` produces. */
const rolledOut = async (
  plane: TestPlane,
  owner: Workspace,
  act: (path: string) => Promise<unknown> = () => Promise.resolve()
) => {
  const things = await makeThings(plane, owner, undefined, ["RolloutId"])
  await act(`/v1/rollouts/${things["RolloutId"]}`)
  return things
}

/** An organization with a configuration source. */
const withSource = async (plane: TestPlane, owner: Workspace, isEnabled: boolean): Promise<Special> => {
  const things = await makeThings(plane, owner, undefined, ["ConnectorInstanceId"])
  const body = { connectorInstanceId: things["ConnectorInstanceId"], isEnabled }
  await owner.call("PUT", "/v1/configuration/source", body)
  return { things }
}

/** A rollout that waits for the end of a freeze. */
const scheduled = async (plane: TestPlane, owner: Workspace) => {
  const period = { startsAt: "2020-01-01T00:00:00.000Z", endsAt: "2199-01-01T00:00:00.000Z" }
  const freeze = { name: "Always", timeZone: "UTC", weekdays: [], startTime: null, endTime: null, ...period }
  await owner.call("PATCH", "/v1/rollout-settings", { freezes: [freeze] })
  return rolledOut(plane, owner)
}

/** Requests that never succeed for an owner. */
const specials: Readonly<Record<string, (plane: TestPlane, owner: Workspace) => Promise<Special>>> = {
  "organizations.create": (plane) => byEmail(plane),
  "sessions.verifyEmail": async (plane) => {
    const body = await codeFor(plane)
    return { body, secrets: [body.code] }
  },
  "invitations.accept": async (plane, owner) => {
    const email = someEmail()
    const { body } = await owner.call("POST", "/v1/invitations", { email, send: false })
    const { token } = body.link
    const person = await byEmail(plane, email)
    return {
      ...person,
      things: { InvitationId: body.invitation.id },
      body: { token },
      secrets: [token, ...(person.secrets ?? [])]
    }
  },
  "bootstrap.acceptClaim": async (plane) => {
    const response = await call(plane, undefined, someAddress())("POST", "/v1/bootstrap/workspace", {
      workspaceName: "To be claimed"
    })
    const { token } = response.body.claimLinks[0]
    const person = await byEmail(plane)
    return { ...person, body: { token, keepAgent: { permissions: [] } }, secrets: [token, ...(person.secrets ?? [])] }
  },
  // Of an organization whose domains are all verified: there is no name server here.
  "ssoDomains.verify": async (plane, owner) => ({ things: await makeThings(plane, owner, undefined, ["DomainId"]) }),
  "users.remove": (plane) => byEmail(plane),
  "users.leaveOrganization": async (plane, owner) => {
    const { userId } = await addMember(plane, owner, "member")
    const { id, token } = await signIn(plane, userId, owner.organizationId)
    return { token, userId, sessionId: id, secrets: [token], things: { OrganizationId: owner.organizationId } }
  },
  "capabilities.createMailDraft": (plane, owner) => connected(plane, owner, "suite-a"),
  "capabilities.updateCalendarEvent": (plane, owner) => {
    anEvent(suites, "nothing")
    return connected(plane, owner, "suite-b")
  },
  "capabilities.completeConnect": async (plane, owner) => {
    const { id, token } = await signIn(plane, owner.userId, owner.organizationId)
    const body = await beginSuite({ call: call(plane, token) }, "suite-a")
    return { token, sessionId: id, body, secrets: [token, ...Object.values(body)] }
  },
  "capabilities.disconnect": (plane, owner) => connected(plane, owner, "suite-a"),
  "mcpConnections.setApiKey": async (_, owner) => {
    const apiKey = "a-key-that-nobody-may-see"
    return { things: { ExternalMCPConnectionId: await keyed(owner) }, body: { apiKey }, secrets: [apiKey] }
  },
  "mcpConnections.disconnect": async (_, owner) => {
    const id = await keyed(owner)
    await owner.call("PUT", `/v1/mcp-connections/${id}/api-key`, { apiKey: "a-key-to-be-forgotten" })
    return { things: { ExternalMCPConnectionId: id } }
  },
  "memory.delete": async (_, owner) => {
    const { body } = await owner.call("POST", "/v1/memory", { content: "Soon forgotten" })
    return { things: { memoryId: body.memory.id } }
  },
  "llmProviders.setCredential": async (_, owner) => {
    const apiKey = "a-key-of-a-provider-that-nobody-may-see"
    return { things: { LLMProviderId: await providerWithKey(owner, null) }, body: { apiKey }, secrets: [apiKey] }
  },
  "llmProviders.removeCredential": async (_, owner) => {
    const apiKey = "a-key-of-a-provider-to-be-forgotten"
    return { things: { LLMProviderId: await providerWithKey(owner, apiKey) }, secrets: [apiKey] }
  },
  "llmProviders.connect": async (_, owner) => {
    const apiKey = "a-key-of-a-provider-that-is-handed-out"
    return { things: { LLMProviderId: await providerWithKey(owner, apiKey) }, secrets: [apiKey] }
  },
  "sso.enforce": async (plane, owner) => {
    await runSql(
      plane,
      (sql) => sql`UPDATE users SET email = ${someEmail()}, email_verified = true WHERE id = ${owner.userId}`
    )
    return { body: { breakGlass: [owner.membershipId] } }
  },
  "sso.start": (_, owner) =>
    Promise.resolve({ body: { organizationId: owner.organizationId, codeChallenge: "a".repeat(43) } }),
  "rollouts.create": async (plane, owner) => {
    const things = await rolledOut(plane, owner, (path) =>
      owner.call("POST", `${path}/roll-back`, { comment: "By mistake." })
    )
    return { things, body: { releaseId: things["rolledOutId"] } }
  },
  "rollouts.withdraw": async (plane, owner) => {
    const { rolledOutDigest: digest, rolledOutPluginId: pluginId, ...things } = await rolledOut(plane, owner)
    return { things, body: { pluginId, digest, comment: "Leaks credentials." } }
  },
  "rollouts.start": async (plane, owner) => ({ things: await scheduled(plane, owner) }),
  "rollouts.schedule": async (plane, owner) => ({ things: await scheduled(plane, owner) }),
  "rollouts.resume": async (plane, owner) => ({
    things: await rolledOut(plane, owner, (path) => owner.call("POST", `${path}/pause`, {}))
  }),
  "configurationSource.set": (plane, owner) => withSource(plane, owner, false),
  "configurationSource.remove": (plane, owner) => withSource(plane, owner, false),
  "configurationSource.run": (plane, owner) => withSource(plane, owner, true),
  // One that is not used.
  "connectors.disconnectAccount": async (_, owner) => {
    const { body } = await owner.call("POST", "/v1/connector-accounts", {
      adapter: "git",
      url: "https://unused.example"
    })
    return { things: { ConnectorAccountId: body.item.id } }
  }
}

/** Objects that must be added before they can be removed. */
const places: Readonly<Record<string, (things: Things) => { readonly path: string; readonly body: object }>> = {
  "configObjects.detachPlugin": ({ ConfigObjectId, PluginId }) => ({
    path: `/v1/config-objects/${ConfigObjectId}/plugins`,
    body: { pluginId: PluginId }
  }),
  "plugins.removeObject": ({ ConfigObjectId, PluginId }) => ({
    path: `/v1/plugins/${PluginId}/config-objects`,
    body: { configObjectId: ConfigObjectId }
  }),
  "marketplaces.removePlugin": ({ MarketplaceId, PluginId }) => ({
    path: `/v1/marketplaces/${MarketplaceId}/plugins`,
    body: { pluginId: PluginId }
  })
}

/** The principal that the operation is for, with its own credential. */
const callerOf = async (
  plane: TestPlane,
  operation: Operation,
  owner: Workspace,
  special: Special | undefined,
  things: Things
): Promise<Pick<ChangeRequest, "token" | "userId" | "sessionId" | "actor">> => {
  const { kind } = operation.access
  if (kind === "worker") {
    const worker = await makeWorkerToken(plane, owner, things["WorkerPathId"])
    return {
      token: worker.token,
      userId: owner.userId,
      sessionId: "",
      actor: { kind: "worker", id: worker.workerId, credential: worker.tokenId }
    }
  }
  if (kind === "scim") {
    const directory = await makeScimToken(plane, owner, things["SCIMDirectoryId"])
    return {
      token: directory.token,
      userId: owner.userId,
      sessionId: "",
      actor: { kind: "directory", id: directory.directoryId, credential: directory.tokenId }
    }
  }
  if (kind === "platform") {
    const { sessionId, token, userId } = await signInByEmail(plane, platformAdmin)
    return { token, userId, sessionId, actor: { kind: "platform", id: userId, credential: sessionId } }
  }
  const { id, token } = await signIn(plane, owner.userId, owner.organizationId)
  const person = { userId: owner.userId, sessionId: id, ...special }
  return {
    token: isPublic(operation) ? undefined : token,
    userId: owner.userId,
    sessionId: id,
    actor: {
      kind: "session",
      id: kind === "user" ? person.userId : owner.membershipId,
      credential: person.sessionId
    }
  }
}

/** A request of the operation, with its own organization and objects. */
export const changeOf = async (plane: TestPlane, operation: Operation): Promise<ChangeRequest> => {
  const owner = await makeWorkspace(plane)
  const special = await specials[operation.operationId]?.(plane, owner)
  const types = [...idsIn(operation).map(({ type }) => type), ...namedInBody(operation).map(({ type }) => type ?? "")]
  // References in a body that are plain text.
  const named = operation.group === "access" ? ["PluginId"] : operation.group === "sso" ? ["SSOConnectionId"] : []
  const things = { ...(await makeThings(plane, owner, undefined, [...types, ...named])), ...special?.things }
  // A sync that is pending approval, or one that failed.
  if (operation.path.startsWith("/v1/connector-sync-events/")) {
    const status = operation.name === "retrySync" ? "failed" : "review_required"
    await runSql(
      plane,
      (sql) => sql`UPDATE sync_events SET status = ${status} WHERE organization_id = ${owner.organizationId}`
    )
  }
  const caller = await callerOf(plane, operation, owner, special, things)
  const place = places[operation.operationId]?.(things)
  if (place !== undefined) await owner.call("POST", place.path, place.body)
  return {
    owner,
    body: bodyOf(operation, things, plane),
    ...caller,
    ...special,
    secrets: [...(caller.token === undefined ? [] : [caller.token]), ...(special?.secrets ?? [])],
    things
  }
}

const tokens = /\bop[a-z]_[0-9A-Za-z_-]{20,}/g

/** Every secret of a request and of its response. */
export const secretsIn = ({ secrets }: ChangeRequest, response: unknown): ReadonlyArray<string> => [
  ...new Set([
    ...secrets,
    ...(JSON.stringify(response ?? null).match(tokens) ?? []),
    // The state that a browser must return with.
    ...[...JSON.stringify(response ?? null).matchAll(/"state":"([\w-]{43})"/g)].map(([, state = ""]) => state)
  ])
]
