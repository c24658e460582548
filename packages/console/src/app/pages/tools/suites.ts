/** The suites in which agents act for a person. */
import type { CapabilityConnection, Suite } from "@orgplane/client"
import type { Tone } from "../../design/ui.tsx"

export const suiteOf = (text: string): Suite => (text === "suite-b" ? "suite-b" : "suite-a")

export interface SuiteWords {
  readonly name: string
  readonly description: string
  /** What agents can do with the account. */
  readonly allows: ReadonlyArray<string>
  /** What they cannot do. */
  readonly never: string
}

export const suites: Readonly<Record<Suite, SuiteWords>> = {
  "suite-a": {
    name: "Mail",
    description: "Agents prepare messages in your mailbox, which you send yourself.",
    allows: ["Create drafts in your mailbox", "Read a message whose ID they have"],
    never: "A message is never sent. A draft stays in the mailbox until you send it."
  },
  "suite-b": {
    name: "Calendar",
    description: "Agents add meeting links to the events of your calendar.",
    allows: ["Add a link for a video meeting to an event that exists", "Read the title and the times of that event"],
    never: "No event is created, and no one is invited."
  }
}

export const connectionStates: Readonly<Record<CapabilityConnection["status"], readonly [Tone, string]>> = {
  not_connected: ["neutral", "not connected"],
  ready: ["good", "connected"],
  reconnect_required: ["bad", "connect again"]
}
