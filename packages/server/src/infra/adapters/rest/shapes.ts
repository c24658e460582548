/** The used members of the host's responses; all others are ignored. */
import * as Schema from "effect/Schema"

/** The host's numeric IDs become strings, so that no arithmetic is done with them. */
const HostId = Schema.Int

export const App = Schema.Struct({ slug: Schema.String, html_url: Schema.optionalKey(Schema.NullOr(Schema.String)) })

export const AccessToken = Schema.Struct({ token: Schema.String, expires_at: Schema.String })

export const Installation = Schema.Struct({
  id: HostId,
  account: Schema.NullOr(Schema.Struct({ login: Schema.optionalKey(Schema.String) })),
  suspended_at: Schema.optionalKey(Schema.NullOr(Schema.String))
})

export const UserToken = Schema.Struct({ access_token: Schema.String })
export const Refusal = Schema.Struct({ error: Schema.String })

const permissions = Schema.optionalKey(Schema.Struct({ admin: Schema.optionalKey(Schema.Boolean) }))

export const Repository = Schema.Struct({
  id: HostId,
  full_name: Schema.String,
  private: Schema.Boolean,
  default_branch: Schema.optionalKey(Schema.NullOr(Schema.String)),
  archived: Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
  updated_at: Schema.optionalKey(Schema.NullOr(Schema.String)),
  permissions
})
export type Repository = typeof Repository.Type

export const Repositories = Schema.Struct({ total_count: Schema.Int, repositories: Schema.Array(Repository) })
export const Installations = Schema.Struct({ total_count: Schema.Int, installations: Schema.Array(Installation) })

export const Branches = Schema.Array(
  Schema.Struct({ name: Schema.String, commit: Schema.Struct({ sha: Schema.String }) })
)

const Pointed = Schema.Struct({ type: Schema.String, sha: Schema.String })
export const Ref = Schema.Struct({ ref: Schema.String, object: Pointed })
export const Tag = Schema.Struct({ object: Pointed })
export const Commit = Schema.Struct({ sha: Schema.String, tree: Schema.Struct({ sha: Schema.String }) })

export const Tree = Schema.Struct({
  truncated: Schema.Boolean,
  tree: Schema.Array(
    Schema.Struct({
      path: Schema.String,
      mode: Schema.String,
      type: Schema.String,
      sha: Schema.String,
      size: Schema.optionalKey(Schema.Int)
    })
  )
})
export type Tree = typeof Tree.Type

export const Blob = Schema.Struct({ content: Schema.String, encoding: Schema.String })
