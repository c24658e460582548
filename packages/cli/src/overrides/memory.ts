/** Overrides of the commands for personal memories. */
import type { Override } from "../override.ts"

const columns = ["id", "content", "tags", "createdAt"]
const searchFlags = { organization: { name: "organizations" }, tag: { name: "tag" } } as const

export const memoryOverrides: Readonly<Record<string, Override>> = {
  "memory.save": {
    columns: ["id", "content", "tags", "createdAt"],
    arguments: [{ name: "content", member: "content", help: "Text to save" }],
    flags: { tags: { name: "tag" } },
    examples: [
      {
        command: "orgplane memory save 'Ada drinks oat milk' --tag people --tag coffee",
        description: "Save a memory"
      }
    ]
  },
  "memory.search": {
    rows: "results",
    draw: "memories",
    columns: ["score", ...columns],
    arguments: [{ name: "question", member: "q", help: "Question or words" }],
    flags: { ...searchFlags, limit: { name: "results" } },
    examples: [
      { command: "orgplane memory search 'which milk does Ada drink'", description: "Search, most relevant first" },
      {
        command: "orgplane memory search coffee --tag people -o json | jq '.results[0]'",
        description: "Search in a script"
      }
    ]
  },
  "memory.list": { columns, flags: searchFlags },
  "memory.get": { columns: ["id", "content", "tags", "source", "scope", "createdAt", "contexts"] },
  "memory.delete": { confirm: (ids) => `Permanently delete the memory ${ids[0] ?? ""}?` },
  "memory.deleteAll": { confirm: () => "Permanently delete all your memories in this organization?" },
  "memory.export": {
    flags: searchFlags,
    examples: [
      { command: "orgplane memory export > memories.ndjson", description: "Export all memories as JSON lines" }
    ]
  }
}
