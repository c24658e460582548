/** Overrides of the commands that span several kinds of object. */
import { member, textAt } from "../output/value.ts"
import type { Override } from "../override.ts"

const severities = [
  ["decision", "waits for a decision", "wait for a decision"],
  ["failing", "fails", "fail"],
  ["expiring", "expires soon", "expire soon"]
] as const

/** Such as `2 wait for a decision, 1 fails.` */
const summaryOf = (rows: ReadonlyArray<unknown>): string => {
  const parts = severities.flatMap(([severity, one, many]) => {
    const count = rows.filter((row) => textAt(row, "severity") === severity).length
    return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`]
  })
  return `${parts.join(", ")}.`
}

export const attentionOverrides: Readonly<Record<string, Override>> = {
  "attention.list": {
    columns: ["severity", "kind", "object.name", "detail", "since", "expiresAt", "object.id"],
    priority: ["kind", "object.name", "object.id", "detail", "since", "severity", "expiresAt"],
    sparse: ["expiresAt"],
    id: "object.id",
    total: summaryOf,
    examples: [
      { command: "orgplane attention list", description: "List what waits for a decision, fails or expires soon" },
      { command: "orgplane attention list --severity decision", description: "List only what waits for a decision" },
      {
        command: "orgplane attention list --kind sync_approval -q | xargs -n 1 orgplane connectors approve-sync",
        description: "Approve all syncs that are pending approval"
      },
      {
        command: "orgplane attention list -o json | jq -c '.counts[] | [.kind, .count]'",
        description: "Count the items of each kind"
      }
    ]
  },
  "search.objects": {
    rows: "items",
    columns: ["kind", "name", "detail", "id"],
    priority: ["name", "kind", "id", "detail"],
    flags: { limit: { name: "per-kind" } },
    arguments: [{ name: "text", member: "q", help: "Part of a name or title, or of the email address of a member" }],
    note: (body) =>
      member(body, "truncated") === true ? "More objects match. Use --per-kind, or the list of the kind." : undefined,
    examples: [
      {
        command: "orgplane search objects review",
        description: "Find plugins, skills, members and other objects by name"
      },
      {
        command: "orgplane search objects review --kind configObject",
        description: "Find skills and other config objects"
      },
      { command: "orgplane search objects ada --kind member -q", description: "Print the ids of members" }
    ]
  }
}
