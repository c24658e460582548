/** Requests of the examples about several kinds of object: a held sync, an API key that expires soon, and a search. */
import * as Effect from "effect/Effect"
import { addMember, makeConnector, makeControlPlane, makeKey, makeTeam, makeWorkspace, runSql } from "../harness.ts"
import type { Scene } from "./scenes.ts"

export const attentionScenes: Readonly<Record<string, () => Promise<Scene>>> = {
  "attention.list": async () => {
    const plane = await makeControlPlane({ workers: false })
    const owner = await makeWorkspace(plane, "Acme")
    const { connectorSyncEventId } = await makeConnector(plane, owner, "acme/plugins")
    const key = await makeKey(plane, owner, ["plugins:read"], { name: "Continuous integration" })
    await runSql(plane, (sql) =>
      Effect.all([
        sql`UPDATE sync_events SET status = 'review_required',
            counts_json = counts_json || '{"filesScanned": 14, "objectsDeleted": 7}'
          WHERE id = ${connectorSyncEventId}`,
        sql`UPDATE api_keys SET created_at = now() - interval '9 days', expires_at = now() + interval '2 days'
          WHERE id = ${key.id}`
      ])
    )
    return { plane, token: owner.token }
  },
  "search.objects": async () => {
    const plane = await makeControlPlane({ workers: false })
    const owner = await makeWorkspace(plane, "Acme")
    await owner.client.plugins.create({ name: "Code review", description: "Reviews pull requests." })
    await makeTeam(owner, [await addMember(plane, owner, "member")], "Reviewers")
    return { plane, token: owner.token, query: { q: "review" } }
  }
}
