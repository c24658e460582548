/** The server's own conditions of the pages of visible rows, as text for the peers. */
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { pageOfVisible } from "../../packages/server/src/identity/grants/index.ts"
import { SqlDatabase } from "../../packages/server/src/infra/sql/client.ts"
import { layerPostgres } from "../../packages/server/src/infra/sql/postgres.ts"
import { pageConditions, type PageName } from "./peer-grants.ts"

/** Values that the text contains as parameters, with the peers' placeholders for them. */
const organizationId = "org_00000000000000000000000000"
const membershipId = "om_00000000000000000000000000"
const after = "after"
const limit = 1_000_001
const placeholders = new Map<unknown, string>([
  [organizationId, "$1"],
  [membershipId, "$2"],
  [limit, "$3"],
  [after, "$4"]
])

/** The environment of the peers, with the texts. */
export const visiblePages = async (url: string): Promise<Readonly<Record<string, string>>> => {
  const runtime = ManagedRuntime.make(layerPostgres({ url }))
  const sql = await runtime.runPromise(Effect.service(SqlDatabase))
  const caller = { organizationId, isAdmin: false, principal: { kind: "session", membershipId } } as const
  const text = (name: PageName, after: string | null) => {
    const { kind, where } = pageConditions[name]
    const page = pageOfVisible(sql, caller, { kind, where: sql`${sql.literal(where)}`, after, limit })
    const [compiled, values] = sql`${page}`.compile()
    return compiled.replaceAll(/\$(\d+)/g, (_, index: string) => {
      const placeholder = placeholders.get(values[Number(index) - 1])
      if (placeholder === undefined) throw new Error(`The page of ${name} has an unknown parameter $${index}.`)
      return placeholder
    })
  }
  const both = (name: PageName) => ({ first: text(name, null), next: text(name, after) })
  const texts = { plugins: both("plugins"), configObjects: both("configObjects") }
  await runtime.dispose()
  return { VISIBLE_PAGES: JSON.stringify(texts) }
}
