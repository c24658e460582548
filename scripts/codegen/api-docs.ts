/** Generates `docs/api.md`, the API reference on one page. */
import type { CommandTable } from "../../packages/cli/src/command-table.ts"
import { limitingMembers } from "../../packages/schema/src/shared/endpoint.ts"
import { auditActionOf } from "../../packages/schema/src/shared/audit-actions.ts"
import { permissionsText } from "../../packages/schema/src/shared/auth.ts"
import { contract, type ErrorResponse, type Group, type Member, type Operation } from "./reflect.ts"
import { sectionsOf } from "./sections.ts"

const callers: { readonly [K in Operation["access"]["kind"]]: string } = {
  public: "everyone, without a credential",
  signature: "signed requests",
  state: "browsers returning from a sign-in redirect",
  user: "signed-in users",
  member: "members and API keys",
  session: "members with a session",
  permission: "permission",
  owner: "owners with a session",
  worker: "workers",
  scim: "SCIM directories",
  platform: "platform administrators",
  memberOrWorker: "members, API keys and workers",
  sessionOrWorker: "members with a session, and workers",
  permissionOrPlatform: "permission"
}

const access = ({ access }: Operation): string =>
  access.kind === "permission"
    ? permissionsText(access)
    : access.kind === "permissionOrPlatform"
      ? `permission \`${access.permission}\`, or platform administrators`
      : callers[access.kind]

const size = (bytes: number): string => {
  if (bytes % 1_000_000 === 0) return `${bytes / 1_000_000} MB`
  return bytes % 1_048_576 === 0 ? `${bytes / 1_048_576} MiB` : `${bytes / 1024} KiB`
}

const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("\n", " ")

const shapeText = (member: Member): string => {
  const values = member.literals?.map((value) => `\`${String(value)}\``).join(" ")
  const range =
    member.minimum === undefined && member.maximum === undefined
      ? ""
      : ` ${member.minimum ?? ""}–${member.maximum ?? ""}`
  const kind = {
    string: "string",
    integer: `integer${range}`,
    number: `number${range}`,
    boolean: "boolean",
    "boolean-literal": "`true` `false`",
    enum: values ?? "",
    array:
      values === undefined ? `list of ${member.element === "json" ? "object" : member.element}s` : `list of ${values}`,
    json: /^\w+$/.test(member.type) ? member.type : "object"
  }[member.kind]
  return `${kind}${member.nullable ? " or null" : ""}`
}

const memberRows = (place: string, members: ReadonlyArray<Member>) =>
  members.map(
    (member) =>
      `| \`${member.name}\` | ${place} | ${cell(shapeText(member))} | ${member.optional ? "" : "yes"} | ${cell(member.description ?? "")} |`
  )

const errorText = (errors: ReadonlyArray<ErrorResponse>): string =>
  [...Map.groupBy(errors, ({ status }) => status)]
    .map(([status, all]) => `${status} ${[...new Set(all.map(({ code }) => `\`${code ?? "reason"}\``))].join(" ")}`)
    .join(" · ")

const responseText = (operation: Operation): string =>
  operation.success
    .map(({ contentType, members, status, type }) => {
      if (contentType === null) return `${status} without a body`
      if (contentType !== "application/json") return `${status} ${contentType}`
      if (members.length === 0 || /^\w+$/.test(type)) return `${status} ${type}`
      return `${status} \`{ ${members.map((member) => `${member.name}: ${member.type.replace(/\s+/g, " ")}`).join(", ")} }\``
    })
    .join(" · ")

/** Errors of nearly every operation, which the introduction lists once. */
const commonErrors = new Set([
  "InvalidRequest",
  "Unauthorized",
  "Forbidden",
  "OrganizationNotFound",
  "IdempotencyKeyInUse",
  "IdempotencyKeyReused",
  "PayloadTooLarge",
  "RateLimited",
  "InternalError",
  "Unavailable"
])

const operationText = (operation: Operation, commands: ReadonlyMap<string, string>): string => {
  const rows = [
    ...memberRows("path", operation.pathParams),
    ...memberRows("query", operation.query),
    ...memberRows("body", operation.body?.members ?? [])
  ]
  const command = commands.get(operation.operationId)
  const notes = [
    `Access: ${access(operation)}`,
    operation.plan === undefined ? "" : `requires a plan with \`${operation.plan}\``,
    operation.audited === undefined ? "" : `audited as \`${auditActionOf(operation.audited)}\``,
    operation.method === "POST"
      ? {
          response: "idempotency key",
          fact: "idempotency key (the response is not stored)",
          none: "no idempotency key"
        }[operation.idempotency]
      : "",
    !operation.versioned
      ? ""
      : operation.method !== "GET"
        ? "`If-Match`"
        : operation.revalidates
          ? "`ETag`, `If-None-Match`"
          : "`ETag`",
    operation.holdsSecret ? "the response contains a secret" : "",
    operation.bodyBytesMax === undefined ? "" : `body of at most ${size(operation.bodyBytesMax)}`
  ].filter((note) => note !== "")
  const errors = operation.errors.filter(({ name, own }) => own || !commonErrors.has(name))
  return [
    `### ${operation.operationId}`,
    [`\`${operation.method} ${operation.path}\``, ...(command === undefined ? [] : [`\`${command}\``])].join(" · "),
    [`${operation.summary}.`, operation.description].filter((text) => text !== undefined).join(" "),
    `${notes.join(" · ")}.`,
    ...(rows.length === 0
      ? []
      : [["| name | in | type | required | description |", "|---|---|---|---|---|", ...rows].join("\n")]),
    `Returns ${responseText(operation)}`,
    ...(errors.length === 0 ? [] : [`Fails with ${errorText(errors)}`])
  ].join("\n\n")
}

const groupText = (group: Group, commands: ReadonlyMap<string, string>): string =>
  [
    `## ${group.title}`,
    ...(group.description === undefined ? [] : [group.description]),
    `Examples: [${group.name}.json](../packages/schema/examples/${group.name}.json)`,
    ...group.operations.map((operation) => operationText(operation, commands))
  ].join("\n\n")

const anchor = (title: string) => title.toLowerCase().replaceAll(" ", "-")

export const apiDocsFiles = (table: CommandTable): Readonly<Record<string, string>> => {
  const commands = new Map(
    table.flatMap((group) => group.operations.map(({ id, name }) => [id, `orgplane ${group.name} ${name}`] as const))
  )
  const { groups, forbiddenReasons } = contract()
  const count = groups.reduce((sum, group) => sum + group.operations.length, 0)
  const sections = sectionsOf(groups)
  const line = (group: Group) =>
    `- [${group.title}](#${anchor(group.title)}): ${group.operations.map(({ name, operationId }) => `[${name}](#${operationId.toLowerCase().replace(".", "")})`).join(", ")}`
  const index = sections.map(({ groups, title }) => `**${title}**\n\n${groups.map(line).join("\n")}`)
  const introduction = `# API reference

Generated by \`pnpm codegen\` from the contract in \`packages/schema\`: ${count} operations in ${groups.length} groups.
Each operation has an example, recorded from a server: a request and its response. The examples are in \`packages/schema/examples\`, one file for each group. The documentation site (\`pnpm run docs\`) and the page \`/docs\` of every server show the request in curl, in TypeScript and on the command line. On \`/docs\`, you can also send it with your own token.
The operation \`group.name\` is \`client.group.name(…)\` in TypeScript. If the operation has a command, it is listed after the path; \`orgplane api\` sends any other request. The operations without a command are called by browsers, code hosts and SCIM clients.

A person authenticates with \`authorization: Bearer <session token>\`, a program with \`x-api-key: <key>\`. \`x-organization-id\` selects one of a person's organizations.
Unknown fields in a request are ignored, and the response lists them in the header \`orgplane-warning\`. With the request header \`prefer: handling=strict\`, the request is rejected with 400. A request with an unknown field that would limit its effect (${[...limitingMembers].map((name) => `\`${name}\``).join(", ")}) is always rejected. An update without fields returns the resource unchanged. Responses always include every field; a field that does not apply is \`null\`. Times are in UTC with milliseconds.

In addition to the errors listed for it, any operation can return these errors where they apply: 400 \`invalid_request\` with \`details\`, 401 \`unauthorized\`, 403 with a \`reason\`, 404 \`organization_not_found\`, 409 \`idempotency_key_in_use\` and \`idempotency_key_reused\`, 413 \`payload_too_large\`, 429 \`rate_limited\`, 500 \`internal_error\` and 503 \`unavailable\`.
A 403 response has one of these values in \`reason\`: ${forbiddenReasons.map((reason) => `\`${reason}\``).join(" ")}.

Terms:

- A **host application** is an application that embeds the server. It can sign in its own users; the ID of such a user in the host application is the user's **subject**.
- A **suite** is the service that provides mail (\`suite-a\`) or calendars (\`suite-b\`) to capabilities.
- A **switch** is a desktop policy setting that is either on or off.
- A **hold** is a set of SCIM deactivations that take effect only after they are approved.`
  return {
    "docs/api.md": `${[introduction, ...index, ...sections.flatMap(({ groups }) => groups.map((group) => groupText(group, commands)))].join("\n\n")}\n`
  }
}
