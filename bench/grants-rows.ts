/** Organizations with their members, content and grants, written by the database itself. */

/** In each organization: a thousand grants, and what they are on. */
export const each = { members: 100, teams: 10, plugins: 100, marketplaces: 10, objects: 200, instances: 5 } as const
/** The one organization that is as large as a hundred thousand members make it. */
export const large = { members: 100_000, teams: 1000, plugins: 50_000, marketplaces: 100, objects: 100_000 } as const

const id = (prefix: string, organization: string, number: string) =>
  `'${prefix}_' || ${organization} || lpad((${number})::text, 7, '0')`
const organization = "lpad(o::text, 6, '0')"
const series = (name: string, count: number) => `generate_series(1, ${count}) ${name}`

interface Sizes {
  readonly members: number
  readonly teams: number
  readonly plugins: number
  readonly marketplaces: number
  readonly objects: number
}

/** People and content, without any grant; `from` names the organizations by `o`, `of` is the middle of their ids. */
const content = (from: string, of: string, sizes: Sizes): ReadonlyArray<string> => {
  const name = `'org_' || ${of}`
  const { marketplaces, members, objects, plugins, teams } = sizes
  return [
    `INSERT INTO organizations (id, name, plan, created_at, updated_at)
      SELECT ${name}, 'Organization', 'enterprise', now(), now() FROM ${from}`,
    `INSERT INTO users (id, name, created_at, updated_at)
      SELECT ${id("usr", of, "i")}, 'Somebody', now(), now() FROM ${from}, ${series("i", members)}`,
    `INSERT INTO memberships (organization_id, id, user_id, role, created_at, updated_at)
      SELECT ${name}, ${id("om", of, "i")}, ${id("usr", of, "i")}, 'member', now(), now()
      FROM ${from}, ${series("i", members)}`,
    `INSERT INTO teams (organization_id, id, name, created_at, updated_at)
      SELECT ${name}, ${id("tem", of, "i")}, 'Team ' || i, now(), now() FROM ${from}, ${series("i", teams)}`,
    `INSERT INTO team_members (organization_id, team_id, membership_id)
      SELECT ${name}, ${id("tem", of, `1 + i % ${teams}`)}, ${id("om", of, "i")} FROM ${from}, ${series("i", members)}`,
    `INSERT INTO plugins (organization_id, id, name, created_at, updated_at)
      SELECT ${name}, ${id("plg", of, "i")}, 'Plugin ' || i, now(), now() FROM ${from}, ${series("i", plugins)}`,
    `INSERT INTO config_objects (organization_id, id, object_type, source_mode, status, title, created_at, updated_at)
      SELECT ${name}, ${id("cob", of, "i")}, 'skill', 'cloud', 'active', 'Skill ' || i, now(), now()
      FROM ${from}, ${series("i", objects)}`,
    `INSERT INTO plugin_memberships (organization_id, id, plugin_id, config_object_id, created_at)
      SELECT ${name}, ${id("pco", of, "i")}, ${id("plg", of, `1 + i % ${plugins}`)}, ${id("cob", of, "i")}, now()
      FROM ${from}, ${series("i", objects)}`,
    `INSERT INTO marketplaces (organization_id, id, name, created_at, updated_at)
      SELECT ${name}, ${id("mkt", of, "i")}, 'Marketplace ' || i, now(), now() FROM ${from}, ${series("i", marketplaces)}`,
    `INSERT INTO marketplace_memberships (organization_id, id, marketplace_id, plugin_id, created_at)
      SELECT ${name}, ${id("mkp", of, "i")}, ${id("mkt", of, `1 + i % ${marketplaces}`)}, ${id("plg", of, "i")}, now()
      FROM ${from}, ${series("i", plugins)}`
  ]
}

/**
 * The organizations `from` to `to`, with a thousand grants each: nine of each member, nine of each team, ten of
 * everybody. No pair of object and receiver comes twice.
 */
export const organizations = (from: number, to: number): ReadonlyArray<string> => {
  const range = `generate_series(${from}, ${to}) o`
  const name = `'org_' || ${organization}`
  const role = "CASE (r + k) % 3 WHEN 0 THEN 'manager' WHEN 1 THEN 'editor' ELSE 'viewer' END"
  const grants = (
    prefix: string,
    kind: string,
    object: string,
    receiver: "membership_id" | "team_id" | "org_wide",
    count: number
  ) => {
    const receivers = { membership_id: each.members, team_id: each.teams, org_wide: 1 }[receiver]
    const named = {
      membership_id: id("om", organization, "r"),
      team_id: id("tem", organization, "r"),
      org_wide: "true"
    }
    return `INSERT INTO grants (organization_id, id, object_kind, object_id, org_wide, role, created_at
        ${receiver === "org_wide" ? "" : `, ${receiver}`})
      SELECT ${name}, '${prefix}_' || ${organization} || '${receiver.slice(0, 1)}' || lpad((r * 10 + k)::text, 7, '0'),
        '${kind}', ${object}, ${receiver === "org_wide"}, ${role}, now()
        ${receiver === "org_wide" ? "" : `, ${named[receiver]}`}
      FROM ${range}, ${series("r", receivers)}, generate_series(0, ${count - 1}) k`
  }
  const plugin = id("plg", organization, `1 + (r * 7 + k * 13) % ${each.plugins}`)
  const object = id("cob", organization, `1 + (r * 11 + k * 17) % ${each.objects}`)
  const marketplace = id("mkt", organization, `1 + (r + k) % ${each.marketplaces}`)
  const instance = id("cin", organization, `1 + (r + k) % ${each.instances}`)
  return [
    ...content(range, organization, each),
    `INSERT INTO connector_instances (organization_id, id, connector_account_id, adapter, remote_id, name, status,
        repository_full_name, created_at, updated_at)
      SELECT ${name}, ${id("cin", organization, "i")}, 'cac_x', 'git', i::text, 'Repository ' || i, 'active', 'a/b', now(),
        now() FROM ${range}, ${series("i", each.instances)}`,
    grants("pag", "plugin", plugin, "membership_id", 4),
    grants("coa", "configObject", object, "membership_id", 4),
    grants("cia", "connectorInstance", instance, "membership_id", 1),
    grants("mag", "marketplace", marketplace, "team_id", 2),
    grants("pag", "plugin", plugin, "team_id", 3),
    grants("coa", "configObject", object, "team_id", 4),
    grants("mag", "marketplace", marketplace, "org_wide", 1),
    grants("pag", "plugin", plugin, "org_wide", 4),
    grants("coa", "configObject", object, "org_wide", 5)
  ]
}

const ofLarge = "'large0'"
const grantsOfLarge = (prefix: string, kind: string, object: string, receiver: string, count: number, tag: string) =>
  `INSERT INTO grants (organization_id, id, object_kind, object_id, org_wide, role, created_at, membership_id)
    SELECT 'org_large0', '${prefix}_large0' || '${tag}' || lpad(i::text, 6, '0'), '${kind}', ${object},
      ${receiver === "NULL"}, 'viewer', now(), ${receiver} FROM ${series("i", count)}`

export interface Stage {
  readonly who: string
  /** The number of the member who asks, among those of the large organization. */
  readonly member: number
  readonly statements: ReadonlyArray<string>
}

/** The large organization, and then by steps what its members are given. */
export const largeStages: ReadonlyArray<Stage> = [
  {
    who: "sees the 3 oldest of 50 000",
    member: 1,
    statements: [
      ...content("(SELECT 1) o", ofLarge, large),
      grantsOfLarge("pag", "plugin", id("plg", ofLarge, "i"), id("om", ofLarge, "1"), 3, "1")
    ]
  },
  {
    who: "sees 5 000 of 50 000",
    member: 2,
    statements: [grantsOfLarge("mag", "marketplace", id("mkt", ofLarge, "i"), id("om", ofLarge, "2"), 10, "2")]
  },
  {
    who: "sees the 20 000 oldest of 50 000",
    member: 3,
    statements: [grantsOfLarge("pag", "plugin", id("plg", ofLarge, "i"), id("om", ofLarge, "3"), 20_000, "3")]
  },
  {
    who: "sees all 50 000",
    member: 4,
    statements: [
      grantsOfLarge("mag", "marketplace", id("mkt", ofLarge, "i"), "NULL", large.marketplaces, "4"),
      // Every member has a grant of their own on one plugin, beside the one for everybody.
      `INSERT INTO grants (organization_id, id, object_kind, object_id, org_wide, role, created_at, membership_id)
        SELECT 'org_large0', 'pag_large0' || '5' || lpad(i::text, 6, '0'), 'plugin', ${id("plg", ofLarge, String(large.plugins))}, false,
          'editor', now(), ${id("om", ofLarge, "i")} FROM ${series("i", large.members)}`
    ]
  }
]
