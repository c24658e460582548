/** What a person needs beyond the contract of the operations on their memory. */
import type { Override } from "./overrides.ts"

const columns = ["id", "content", "tags", "createdAt"]
const where = { organization: { name: "organizations" }, tag: { name: "tag" } } as const

export const memoryOverrides: Readonly<Record<string, Override>> = {
  "memory.save": {
    columns: ["id", "content", "tags", "createdAt"],
    arguments: [{ name: "content", member: "content", help: "What to remember" }],
    flags: { tags: { name: "tag" } },
    examples: [
      {
        command: "orgplane memory save 'Ada drinks oat milk' --tag people --tag coffee",
        description: "Remember something"
      }
    ]
  },
  "memory.search": {
    rows: "results",
    draw: "memories",
    columns: ["score", ...columns],
    arguments: [{ name: "question", member: "q", help: "A question or words" }],
    flags: { ...where, limit: { name: "results" } },
    examples: [
      { command: "orgplane memory search 'which milk does Ada drink'", description: "The most relevant first" },
      { command: "orgplane memory search coffee --tag people -o json | jq '.results[0]'", description: "For a script" }
    ]
  },
  "memory.list": { columns, flags: where },
  "memory.get": { columns: ["id", "content", "tags", "source", "scope", "createdAt", "contexts"] },
  "memory.delete": { confirm: (ids) => `Delete the memory ${ids[0] ?? ""} for good?` },
  "memory.deleteAll": { confirm: () => "Delete every memory of yours in this organization for good?" },
  "memory.export": {
    flags: where,
    examples: [{ command: "orgplane memory export > memories.ndjson", description: "All of them, one a line" }]
  }
}
