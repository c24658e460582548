/** The steps of finding an MCP server: what was tried and found, and what helps. */
import type { McpAuthorizationServer, McpDiscovery, McpRegistrationMethod, McpResolution } from "@orgplane/client"
import { Facts } from "../../design/facts.tsx"
import { Badge } from "../../design/ui.tsx"
import { Hints } from "./connection-states.tsx"
import type { Step } from "./steps.tsx"

const registrations: Readonly<Record<McpRegistrationMethod, string>> = {
  pre_registered: "a client that you register yourself",
  client_id_metadata_document: "the address of this installation",
  dynamic: "automatic registration"
}

/** What helps against the result of an attempt. The results are those of the page "MCP diagnostics". */
const advice: ReadonlyArray<readonly [pattern: RegExp, text: string]> = [
  [/^supports MCP/, "This is an MCP server."],
  [/2024-11-05 transport/, "Ask the operator of the server to support Streamable HTTP."],
  [/^401/, "A server responded here. It requires a sign-in or a key."],
  [/^403/, "The server refuses requests without a credential. Get an API key from its operator."],
  [/^(404|410)/, "There is nothing at this address. The endpoint usually ends with /mcp."],
  [/^429/, "Wait a minute, and try again."],
  [/^5\d\d/, "The server has an error. Contact its operator, or try again later."],
  [
    /not allowed or does not resolve/,
    "Check the spelling. Only public https addresses are allowed, unless the operator allows others."
  ],
  [/no response in time/, "The server is slow or unreachable. Check that it is running."],
  [/too many requests/i, "Try again when other requests of the organization are done."]
]

const adviceFor = (result: string): string | undefined => advice.find(([pattern]) => pattern.test(result))?.[1]

const presetStep = ({ preset }: McpResolution): Step =>
  preset === undefined
    ? { title: "Look among the well-known servers", state: "skipped", summary: "No well-known server has this name." }
    : {
        title: "Look among the well-known servers",
        state: "done",
        summary: (
          <>
            <strong>{preset.displayName}</strong>: {preset.description}
          </>
        )
      }

const attemptsStep = ({ attempts, match, reason }: McpResolution): Step => ({
  title: "Try the addresses",
  state: match === undefined ? "failed" : "done",
  summary:
    attempts.length === 0
      ? (reason ?? "No address was tried.")
      : `${attempts.length === 1 ? "One address was" : `${attempts.length} addresses were`} tried.${match === undefined && reason !== null ? ` ${reason}` : ""}`,
  ...(match !== undefined
    ? {}
    : {
        todo: "Ask the operator of the server for the address of its MCP endpoint, and enter it here."
      }),
  details: attempts.length > 0 && (
    <ul className="attempts">
      {attempts.map(({ redirectedTo, result, url }) => {
        const help = adviceFor(result)
        return (
          <li key={url}>
            <code>{url}</code>
            {redirectedTo !== null && (
              <>
                {" redirects to "}
                <code>{redirectedTo}</code>
              </>
            )}{" "}
            <Badge tone={/^(supports MCP|401)/.test(result) ? "good" : "neutral"}>
              {result.length > 60 ? `${result.slice(0, 60)}…` : result}
            </Badge>
            {result.length > 60 && <div className="muted">{result}</div>}
            {help !== undefined && <div className="muted">{help}</div>}
          </li>
        )
      })}
    </ul>
  )
})

const protocolStep = ({ server, warnings }: McpDiscovery): Step => {
  const isOlder = warnings.some(({ code }) => code === "legacy_sse_only")
  return {
    title: "Agree on the protocol",
    state: isOlder ? "failed" : "done",
    summary: isOlder
      ? "The server speaks only the transport of 2024-11-05, which is not supported."
      : server.protocolVersion === null
        ? "The server reports its version after the sign-in."
        : `MCP ${server.protocolVersion}`,
    ...(isOlder ? { todo: "Ask the operator of the server to support Streamable HTTP." } : {})
  }
}

const ServerFacts = ({ server }: { readonly server: McpAuthorizationServer }) => (
  <Facts
    rows={[
      ["Issuer", <code key="issuer">{server.issuer}</code>],
      ["Sign-in page", <code key="authorization">{server.authorizationEndpoint}</code>],
      ["Token endpoint", <code key="token">{server.tokenEndpoint}</code>]
    ]}
  />
)

const signInStep = ({ authentication }: McpDiscovery): Step => {
  const title = "Find the sign-in"
  if (authentication === null) return { title, state: "done", summary: "The server needs no credential." }
  const { authorizationServers, availableRegistrationMethods, recommendedScopes, requiredScopes } = authentication
  if (authorizationServers.length === 0) {
    return {
      title,
      state: "attention",
      summary: "The server requires a credential and has no authorization server that can be used.",
      todo: "Get an API key from the operator of the server, and choose API key as the sign-in."
    }
  }
  const scopes = requiredScopes.length > 0 ? requiredScopes : recommendedScopes
  return {
    title,
    state: "done",
    summary: `OAuth, with ${availableRegistrationMethods.map((method) => registrations[method]).join(" or ") || "no known way to register a client"}.`,
    details: (
      <div className="stack">
        {authorizationServers.map((server) => (
          <ServerFacts key={server.issuer} server={server} />
        ))}
        {scopes.length > 0 && (
          <div>
            <span className="muted">It asks for: </span>
            <span className="tags">
              {scopes.map((scope) => (
                <Badge key={scope}>{scope}</Badge>
              ))}
            </span>
          </div>
        )}
      </div>
    )
  }
}

const toolsStep = ({ tools }: McpDiscovery): Step => {
  const title = "Read the tools"
  if (tools === null) return { title, state: "waiting", summary: "The server lists its tools after the sign-in." }
  return {
    title,
    state: "done",
    summary: tools.count === 1 ? "One tool." : `${tools.count} tools.`,
    details: tools.items.length > 0 && (
      <details>
        <summary>Show the tools</summary>
        <ul className="facts">
          {tools.items.map((tool) => (
            <li key={tool.name} className="row">
              <code>{tool.name}</code>
              <Hints tool={tool} />
            </li>
          ))}
        </ul>
        {tools.count > tools.items.length && <p className="muted">The first {tools.items.length} are shown.</p>}
      </details>
    )
  }
}

const yourStep = (discovery: McpDiscovery | undefined, preset: McpResolution["preset"]): Step => {
  const requirements = discovery?.manualRequirements ?? []
  const warnings = (discovery?.warnings ?? []).filter(({ code }) => code !== "legacy_sse_only")
  const needsClient = requirements.length === 0 && discovery === undefined && preset?.requiresOAuthClient === true
  const isRequired = needsClient || requirements.some(({ required }) => required)
  return {
    title: "Next steps",
    state: isRequired || warnings.length > 0 ? "attention" : "done",
    summary: needsClient
      ? "Register an OAuth client with the provider, and enter its client ID."
      : isRequired
        ? "Do this before you connect."
        : "None before you create the connection.",
    details: (requirements.length > 0 || warnings.length > 0) && (
      <ul className="attempts">
        {requirements.map(({ code, label, reason, required }) => (
          <li key={code}>
            <strong>{label}</strong>
            {required ? "" : " (optional)"}: {reason}
          </li>
        ))}
        {warnings.map(({ code, message }) => (
          <li key={`${code} ${message}`}>
            <Badge tone="warn">{code.replaceAll("_", " ")}</Badge> {message}
          </li>
        ))}
      </ul>
    )
  }
}

export const stepsOf = (resolution: McpResolution): ReadonlyArray<Step> => {
  const discovery = resolution.match?.discovery
  return [
    presetStep(resolution),
    attemptsStep(resolution),
    ...(discovery === undefined ? [] : [protocolStep(discovery), signInStep(discovery), toolsStep(discovery)]),
    ...(resolution.resolution === "not_found" ? [] : [yourStep(discovery, resolution.preset)])
  ]
}

const waitingTitles = [
  "Look among the well-known servers",
  "Try the addresses",
  "Agree on the protocol",
  "Find the sign-in",
  "Read the tools"
]

/** The steps while they are done. */
export const waitingSteps: ReadonlyArray<Step> = waitingTitles.map((title) => ({
  title,
  state: "waiting",
  summary: <span className="muted">Waiting for the result.</span>
}))
