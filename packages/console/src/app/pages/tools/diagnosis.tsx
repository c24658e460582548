/** Why a request to an MCP server failed: the layer, the cause, and what helps. */
import { type McpDiagnostic, ServerError } from "@orgplane/client"
import { Facts } from "../../design/facts.tsx"
import { Badge, Button, Failure, Notice } from "../../design/ui.tsx"

const layers: Readonly<Record<McpDiagnostic["category"], string>> = {
  network: "The server cannot be reached",
  http: "The server's response cannot be used",
  authentication: "The server did not accept the credential",
  protocol: "The server does not follow the MCP protocol",
  tool: "The tool failed"
}

export const Diagnosis = ({ diagnostic }: { readonly diagnostic: McpDiagnostic }) => {
  const { category, code, jsonRpcCode, message, operatorAction, providerStatus, referenceId, requiredScopes } =
    diagnostic
  return (
    <Notice title={layers[category]} tone="bad">
      <span className="plain-text">{message}</span>
      {operatorAction !== undefined && <span>{operatorAction}</span>}
      <Facts
        rows={[
          ["Cause", <code key="code">{`${category}: ${code}`}</code>],
          ["Again", diagnostic.retryable ? "The same request may succeed later." : "The same request fails again."],
          ...(providerStatus === undefined ? [] : [["Status of the server", providerStatus] as const]),
          ...(jsonRpcCode === undefined ? [] : [["JSON-RPC code", jsonRpcCode] as const]),
          ...(requiredScopes === undefined
            ? []
            : [
                [
                  "Scopes that it needs",
                  <span key="scopes" className="tags">
                    {requiredScopes.map((scope) => (
                      <Badge key={scope}>{scope}</Badge>
                    ))}
                  </span>
                ] as const
              ]),
          ["Request", <code key="request">{referenceId}</code>]
        ]}
      />
    </Notice>
  )
}

/** A failure of the API, with the diagnosis if another server caused it. */
export const ServerFailure = ({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) => {
  const diagnostic = error instanceof ServerError ? error.diagnostic : undefined
  if (diagnostic === undefined) return <Failure error={error} {...(retry === undefined ? {} : { retry })} />
  return (
    <div className="stack">
      <Diagnosis diagnostic={diagnostic} />
      {retry !== undefined && (
        <div className="row">
          <Button onClick={retry}>Try again</Button>
        </div>
      )}
    </div>
  )
}
