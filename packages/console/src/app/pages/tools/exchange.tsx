/** The exchange of a tool call with an MCP server. Secrets in it are redacted by the API. */
import type { InspectedBody, InspectedHeader, Json, McpInspection } from "@orgplane/client"
import { Badge, Time } from "../../design/ui.tsx"
import "./tools.css"

/** Longer texts are not formatted, because that would block the page. */
const formattedMax = 200_000

const formatted = (text: string): string => {
  if (text.length > formattedMax) return text
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

const Headers = ({ headers, label }: { readonly headers: ReadonlyArray<InspectedHeader>; readonly label: string }) => (
  <details>
    <summary>
      {headers.length} {headers.length === 1 ? "header" : "headers"}
    </summary>
    <table className="exchange-headers" aria-label={label}>
      <tbody>
        {headers.map(({ name, redacted, value }, index) => (
          <tr key={index}>
            <th scope="row">{name}</th>
            <td>{redacted ? <Badge>hidden</Badge> : value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </details>
)

const Body = ({ body, label }: { readonly body: InspectedBody; readonly label: string }) => {
  if (body.unavailable) return <p className="muted">There is no text.</p>
  return (
    <>
      <pre className="code exchange-body" tabIndex={0} role="region" aria-label={label}>
        {formatted(body.text)}
      </pre>
      <p className="muted">
        {body.bytes.toLocaleString("en")} bytes{body.truncated ? ", of which the first part is shown" : ""}
      </p>
    </>
  )
}

export const Exchange = ({ inspection }: { readonly inspection: McpInspection }) => {
  const { diagnosis, request, response } = inspection
  return (
    <div className="stack">
      <p className="plain-text">{diagnosis.summary}</p>
      <div className="columns">
        <section className="stack" aria-label="Request to the server">
          <h3>Request to the server</h3>
          {request === undefined ? (
            <p className="muted">Nothing was sent.</p>
          ) : (
            <>
              <p className="plain-text">
                <code>
                  {request.method} {request.url}
                </code>{" "}
                <span className="muted">
                  <Time at={request.startedAt} />
                </span>
              </p>
              <Headers headers={request.headers} label="Headers of the request" />
              <Body body={request.body} label="Body of the request" />
            </>
          )}
        </section>
        <section className="stack" aria-label="Response of the server">
          <h3>Response of the server</h3>
          {response === undefined ? (
            <p className="muted">The server did not respond.</p>
          ) : (
            <>
              <p className="plain-text">
                <Badge tone={response.status < 400 ? "good" : "bad"}>
                  {response.status} {response.statusText}
                </Badge>{" "}
                <span className="muted">{response.durationMs} ms</span>
              </p>
              <Headers headers={response.headers} label="Headers of the response" />
              <Body body={response.body} label="Body of the response" />
            </>
          )}
        </section>
      </div>
    </div>
  )
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The parts of a tool's result that are text; everything else is named. */
const partsOf = (result: Json): ReadonlyArray<string> | undefined => {
  const content = isRecord(result) ? result["content"] : undefined
  if (!Array.isArray(content)) return undefined
  return content.map((part: unknown) => {
    if (!isRecord(part)) return JSON.stringify(part)
    if (part["type"] === "text" && typeof part["text"] === "string") return part["text"]
    const { data, mimeType } = part
    return typeof data === "string"
      ? `(${String(part["type"])}, ${typeof mimeType === "string" ? mimeType : "unknown type"}, not shown)`
      : JSON.stringify(part, null, 2)
  })
}

/** What the tool returned, as an agent reads it. */
export const ToolResult = ({ result }: { readonly result: Json }) => {
  const parts = partsOf(result)
  const structured = isRecord(result) ? result["structuredContent"] : undefined
  return (
    <div className="stack">
      {(parts ?? [JSON.stringify(result, null, 2)]).map((text, index) => (
        <pre key={index} className="code exchange-body" tabIndex={0} role="region" aria-label={`Part ${index + 1}`}>
          {formatted(text)}
        </pre>
      ))}
      {parts?.length === 0 && <p className="muted">The tool returned nothing.</p>}
      {structured !== undefined && (
        <details>
          <summary>Structured content</summary>
          <pre className="code exchange-body" tabIndex={0}>
            {JSON.stringify(structured, null, 2)}
          </pre>
        </details>
      )}
    </div>
  )
}
