/** Overrides of the commands for capabilities: mail and calendar suites. */
import { textAt } from "../output/value.ts"
import type { Override } from "../override.ts"

const connection = ["suite", "configured", "status", "statusReason", "scopes", "connectedAt"]

export const capabilityOverrides: Readonly<Record<string, Override>> = {
  "capabilities.createMailDraft": {
    subject: "draft",
    columns: ["id", "subject", "to", "cc", "webLink"],
    flags: { body: { name: "body-file", file: true, help: "File with the text of the email. `-` reads stdin" } },
    note: () => "Draft created. No email was sent.",
    examples: [
      {
        command: "orgplane capabilities create-mail-draft --to ada@acme.example --subject Review --body-file email.txt",
        description: "Create a draft in your mailbox without sending it"
      }
    ]
  },
  "capabilities.getMailMessage": {
    text: (body) => textAt(body, "message.body") ?? "",
    columns: ["id", "subject", "from", "to", "receivedDateTime", "body"],
    examples: [{ command: "orgplane capabilities get-mail-message AAMk… -q", description: "Print only the text" }]
  },
  "capabilities.updateCalendarEvent": {
    columns: ["eventId", "summary", "start", "end", "meetLink", "htmlLink"],
    text: (body) => textAt(body, "meetLink") ?? "",
    examples: [
      {
        command: "orgplane capabilities update-calendar-event 4f8k… --create-meet-link",
        description: "Add a video meeting to an event. With -q, print only its link"
      }
    ]
  },
  "capabilities.listConnections": {
    alias: "connections",
    id: "suite",
    columns: connection,
    examples: [{ command: "orgplane capabilities connections", description: "List your connections" }]
  },
  "capabilities.getConnection": {
    alias: "connection",
    columns: connection,
    text: (body) => textAt(body, "connection.suite") ?? ""
  },
  "capabilities.startConnect": {
    columns: ["url", "state", "expiresAt"],
    secret: "connect.url",
    note: () => "Open the URL in a browser. To do this in one step, run 'orgplane capabilities connect'.",
    examples: [{ command: "orgplane capabilities connect suite-a", description: "Connect from a terminal" }]
  },
  "capabilities.completeConnect": {
    columns: connection,
    text: (body) => textAt(body, "connection.suite") ?? "",
    flags: { code: { file: "line", help: "File with the code. `-` prompts on a terminal and reads stdin otherwise" } }
  },
  "capabilities.disconnect": {
    columns: connection,
    text: (body) => textAt(body, "connection.suite") ?? "",
    confirm: (ids) => `Delete your credential for ${ids[0] ?? ""}?`
  }
}
