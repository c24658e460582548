/** A change that takes something away is made in a dialog, which shows its consequences. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"

const root = import.meta.dirname
const destructive =
  /client\.\w+\.(?:archive|cancel|delete|deprovision|disable|disconnect|forget|reject|remove|revoke|rollBack|withdraw)\w*\(/
const dialogs = /<(?:BulkButton|BulkRemove|Confirm|Dialog|FormDialog|PreviewConfirm|RevokeGrant|TypedConfirm)\b/
const buttons = /<ActionButton\b[\s\S]*?\n\s*\/?>/g

/** The sign-out, which a person repeats by signing in. */
const exceptions = ["shell/session.tsx", "shell/shell.tsx"]

const sources = readdirSync(root, { recursive: true, encoding: "utf8" })
  .map((name) => name.replaceAll("\\", "/"))
  .filter((name) => name.endsWith(".tsx") && !exceptions.includes(name))
  .map((name) => [name, readFileSync(join(root, name), "utf8")] as const)

it("asks before each destructive operation", () => {
  const named = sources.filter(([, text]) => destructive.test(text))
  expect(named.length).toBeGreaterThan(20)
  const withoutDialog = named.filter(([, text]) => !dialogs.test(text)).map(([name]) => name)
  const atOnce = named.filter(([, text]) => [...text.matchAll(buttons)].some(([button]) => destructive.test(button)))
  expect([...withoutDialog, ...atOnce.map(([name]) => name)]).toEqual([])
})
