/** What a person needs beyond the contract of the operations in their own suites. */
import { textAt } from "./output/cell.ts"
import type { Override } from "./overrides.ts"

const connection = ["suite", "configured", "status", "statusReason", "scopes", "connectedAt"]

export const capabilityOverrides: Readonly<Record<string, Override>> = {
  "capabilities.createMailDraft": {
    subject: "draft",
    columns: ["id", "subject", "to", "cc", "webLink"],
    flags: { body: { name: "body-file", file: true, help: "The text of the letter; `-` reads standard input" } },
    note: () => "It is a draft: nothing was sent.",
    examples: [
      {
        command:
          "orgplane capabilities create-mail-draft --to ada@acme.example --subject Review --body-file letter.txt",
        description: "A draft in your mailbox; nothing is sent"
      }
    ]
  },
  "capabilities.getMailMessage": {
    text: (body) => textAt(body, "message.body") ?? "",
    columns: ["id", "subject", "from", "to", "receivedDateTime", "body"],
    examples: [{ command: "orgplane capabilities get-mail-message AAMk… -q", description: "Only its text" }]
  },
  "capabilities.updateCalendarEvent": {
    columns: ["eventId", "summary", "start", "end", "meetLink", "htmlLink"],
    text: (body) => textAt(body, "meetLink") ?? "",
    examples: [
      {
        command: "orgplane capabilities update-calendar-event 4f8k… --create-meet-link",
        description: "A video meeting for an event; with -q only its link"
      }
    ]
  },
  "capabilities.listConnections": {
    alias: "connections",
    id: "suite",
    columns: connection,
    examples: [{ command: "orgplane capabilities connections", description: "What you have connected" }]
  },
  "capabilities.getConnection": {
    alias: "connection",
    columns: connection,
    text: (body) => textAt(body, "connection.suite") ?? ""
  },
  "capabilities.startConnect": {
    columns: ["url", "state", "expiresAt"],
    secret: "connect.url",
    note: () => "Open the address in a browser; 'connect' does all of it.",
    examples: [{ command: "orgplane capabilities connect suite-a", description: "The whole sign-in, from a terminal" }]
  },
  "capabilities.completeConnect": {
    columns: connection,
    text: (body) => textAt(body, "connection.suite") ?? "",
    flags: { code: { file: "line", help: "The code; `-` asks, or reads standard input" } }
  },
  "capabilities.disconnect": {
    columns: connection,
    text: (body) => textAt(body, "connection.suite") ?? "",
    confirm: (ids) => `Delete your credential for ${ids[0] ?? ""}?`
  }
}
