/** A request as code: for the shell, and for the SDK. Each names the organization, if one is selected. */
import type { RecordedRequest } from "./recorder.ts"
import { shellQuoted } from "./shell-quoted.ts"

export const asCurl = (
  { body, method, path }: RecordedRequest,
  baseUrl: string,
  organizationId: string | undefined
): string =>
  [
    `curl ${method === "GET" ? "" : `--request ${method} `}${shellQuoted(baseUrl + path)}`,
    `--header "authorization: Bearer $ORGPLANE_TOKEN"`,
    ...(organizationId === undefined ? [] : [`--header ${shellQuoted(`x-organization-id: ${organizationId}`)}`]),
    ...(body === undefined ? [] : [`--header 'content-type: application/json'`, `--data ${shellQuoted(body)}`])
  ].join(" \\\n  ")

export const asTypeScript = ({ args, operation }: RecordedRequest, organizationId: string | undefined): string => {
  const options = organizationId === undefined ? "" : `{ organizationId: ${JSON.stringify(organizationId)} }`
  const shown = args
    .filter((each) => each !== undefined)
    .map((each) => JSON.stringify(each, null, 2).replace(/"([A-Za-z_$][\w$]*)":/g, "$1:"))
    .join(", ")
  return `import { createClient } from "@orgplane/client"\n\nconst orgplane = createClient(${options})\nawait orgplane.${operation}(${shown})`
}
