/** Revokes the API keys that are selected in the list, one after another. */
import type { ApiKey } from "@orgplane/client"
import { client } from "../../api/client.ts"
import { BulkButton } from "../../design/bulk.tsx"
import { plural } from "../../design/text.ts"
import { Notice, Time } from "../../design/ui.tsx"

const usedWithinMilliseconds = 7 * 86_400_000

const isUsed = ({ lastUsedAt }: ApiKey) =>
  lastUsedAt !== null && Date.now() - Date.parse(lastUsedAt) < usedWithinMilliseconds

/** What a revocation does, and whether a program probably still uses the key. */
export const RevokeConsequences = ({ apiKeys }: { readonly apiKeys: ReadonlyArray<ApiKey> }) => {
  const used = apiKeys.filter(isUsed)
  return (
    <>
      <p>
        Programs that use {apiKeys.length === 1 ? "this key" : "these keys"} are rejected from the next request on. This
        cannot be undone. Content that they created stays, and the record is kept for the audit log.
      </p>
      {used.length > 0 ? (
        <Notice tone="warn" title={`${plural(used.length, "key was", "keys were")} used in the last 7 days`}>
          <ul className="facts">
            {used.slice(0, 10).map(({ id, lastUsedAt, name }) => (
              <li key={id}>
                {name}, <Time at={lastUsedAt} />
              </li>
            ))}
          </ul>
        </Notice>
      ) : (
        <p className="muted">
          {apiKeys.length === 1 ? "It was" : "None of them was"} {apiKeys.length === 1 && "not "}used in the last 7
          days.
        </p>
      )}
    </>
  )
}

export const ApiKeysBulk = ({
  apiKeys,
  clear
}: {
  readonly apiKeys: ReadonlyArray<ApiKey>
  readonly clear: () => void
}) => {
  const valid = apiKeys.filter(({ revokedAt }) => revokedAt === null)
  return (
    <BulkButton
      action="Revoke"
      done="revoked"
      isDangerous
      nouns={["API key", "API keys"]}
      rows={valid}
      clear={clear}
      nameOf={({ name }) => name}
      changes={["api-keys"]}
      work={({ id }) => client.apiKeys.revoke(id)}
      consequences={<RevokeConsequences apiKeys={valid} />}
    />
  )
}
