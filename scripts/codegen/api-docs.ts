/** `docs/api.md`: the whole surface on one page. */
import { permissionsText } from "../../packages/schema/src/shared/auth.ts"
import { contract, type ErrorAnswer, type Group, type Member, type Operation } from "./reflect.ts"

const callers: { readonly [K in Operation["access"]["kind"]]: string } = {
  public: "anybody",
  signature: "a signed request",
  state: "a browser that comes back",
  user: "a signed-in person",
  member: "a member or key",
  session: "a member in person",
  permission: "permission",
  owner: "an owner in person",
  worker: "a worker",
  scim: "a SCIM directory",
  platform: "an administrator of the installation",
  memberOrWorker: "a member, key or worker",
  permissionOrPlatform: "permission"
}

const access = ({ access }: Operation): string =>
  access.kind === "permission"
    ? permissionsText(access)
    : access.kind === "permissionOrPlatform"
      ? `permission \`${access.permission}\`, or an administrator of the installation`
      : callers[access.kind]

const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("\n", " ")

const shapeText = (member: Member): string => {
  const values = member.literals?.map((value) => `\`${String(value)}\``).join(" ")
  const range =
    member.minimum === undefined && member.maximum === undefined
      ? ""
      : ` ${member.minimum ?? ""}–${member.maximum ?? ""}`
  const kind = {
    string: "text",
    integer: `integer${range}`,
    number: `number${range}`,
    boolean: "boolean",
    "boolean-literal": "`true` `false`",
    enum: values ?? "",
    array:
      values === undefined ? `list of ${member.element === "string" ? "text" : member.element}` : `list of ${values}`,
    json: /^\w+$/.test(member.type) ? member.type : "object"
  }[member.kind]
  return `${kind}${member.nullable ? " or null" : ""}`
}

const memberRows = (place: string, members: ReadonlyArray<Member>) =>
  members.map(
    (member) =>
      `| \`${member.name}\` | ${place} | ${cell(shapeText(member))} | ${member.optional ? "" : "yes"} | ${cell(member.description ?? "")} |`
  )

const errorText = (errors: ReadonlyArray<ErrorAnswer>): string =>
  [...Map.groupBy(errors, ({ status }) => status)]
    .map(([status, all]) => `${status} ${[...new Set(all.map(({ code }) => `\`${code ?? "reason"}\``))].join(" ")}`)
    .join(" · ")

const answer = (operation: Operation): string =>
  operation.success
    .map(({ contentType, members, status, type }) => {
      if (contentType === null) return `${status} without body`
      if (contentType !== "application/json") return `${status} ${contentType}`
      if (members.length === 0 || /^\w+$/.test(type)) return `${status} ${type}`
      return `${status} \`{ ${members.map((member) => `${member.name}: ${member.type.replace(/\s+/g, " ")}`).join(", ")} }\``
    })
    .join(" · ")

/** What nearly every operation can answer is said once, above. */
const common = new Set([
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

const operationText = (operation: Operation): string => {
  const rows = [
    ...memberRows("path", operation.pathParams),
    ...memberRows("query", operation.query),
    ...memberRows("body", operation.body?.members ?? [])
  ]
  const notes = [
    `For ${access(operation)}`,
    operation.plan === undefined ? "" : `plan with \`${operation.plan}\``,
    operation.audited === undefined ? "" : `audited as \`${operation.audited}\``,
    operation.method === "POST"
      ? { response: "idempotency key", fact: "idempotency key (fact only)", none: "no idempotency key" }[
          operation.idempotency
        ]
      : "",
    operation.versioned ? (operation.method === "GET" ? "`ETag`, `If-None-Match`" : "`If-Match`") : "",
    operation.holdsSecret ? "the answer holds a secret" : "",
    operation.bodyBytesMax === undefined ? "" : `body at most ${operation.bodyBytesMax / 1_048_576} MiB`
  ].filter((note) => note !== "")
  const errors = operation.errors.filter(({ name, own }) => own || !common.has(name))
  return [
    `### ${operation.operationId}`,
    `\`${operation.method} ${operation.path}\``,
    [`${operation.summary}.`, operation.description].filter((text) => text !== undefined).join(" "),
    `${notes.join(" · ")}.`,
    ...(rows.length === 0
      ? []
      : [["| member | in | what | required | |", "|---|---|---|---|---|", ...rows].join("\n")]),
    `Answers ${answer(operation)}`,
    ...(errors.length === 0 ? [] : [`Fails with ${errorText(errors)}`])
  ].join("\n\n")
}

const groupText = (group: Group): string =>
  [
    `## ${group.title}`,
    ...(group.description === undefined ? [] : [group.description]),
    ...group.operations.map(operationText)
  ].join("\n\n")

const anchor = (title: string) => title.toLowerCase().replaceAll(" ", "-")

export const apiDocsFiles = (): Readonly<Record<string, string>> => {
  const { groups, forbiddenReasons } = contract()
  const count = groups.reduce((sum, group) => sum + group.operations.length, 0)
  const index = groups.map(
    (group) =>
      `- [${group.title}](#${anchor(group.title)}): ${group.operations.map(({ name, operationId }) => `[${name}](#${operationId.toLowerCase().replace(".", "")})`).join(", ")}`
  )
  const head = `# The interface

Written by \`pnpm codegen\` from the contract in \`packages/schema\`: ${count} operations in ${groups.length} groups.
An operation \`group.name\` is \`client.group.name(…)\` in TypeScript and \`orgplane group name\` on the command line, both with the name in their own case.

A person sends \`authorization: Bearer <session token>\`, a program \`x-api-key: <key>\`; \`x-organization-id\` chooses among the organizations of a person.
Unknown members of a request are ignored. Every member of an answer is there, \`null\` where it does not apply. Times are UTC with milliseconds.

Every operation may also fail with 400 \`invalid_request\` and its \`details\`, 401 \`unauthorized\`, 403 with a \`reason\`, 404 \`organization_not_found\`, 409 \`idempotency_key_in_use\` and \`idempotency_key_reused\`, 413 \`payload_too_large\`, 429 \`rate_limited\`, 500 \`internal_error\` and 503 \`unavailable\`, where it has credential, organization, idempotency key or body.
The reasons of a 403: ${forbiddenReasons.map((reason) => `\`${reason}\``).join(" ")}.`
  return { "docs/api.md": `${[head, index.join("\n"), ...groups.map(groupText)].join("\n\n")}\n` }
}
