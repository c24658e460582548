import { makeChecks, quoted, type Query, type Totals } from "./checks.ts"
import { ask, type HttpResponse, type Process, tell } from "./people.ts"
import { makeChances } from "./random.ts"
import { makeReader } from "./reader.ts"
import { makeReplay } from "./replay.ts"
import { makeSource } from "./repository.ts"

export interface SoakOptions {
  readonly seed: number
  /** Starts a server on the shared database, with access to local repositories and with `webhookSecret`. */
  readonly start: () => Promise<Process>
  readonly query: Query
  /** The folder of the repository, which the servers can read. */
  readonly dir: string
  readonly filesEach: number
  readonly stepsEach: number
  readonly killsEach: number
  /** Never waits for the lease of a killed server; otherwise it waits in every fourth round. */
  readonly isHurried?: boolean
  /** Called before each round, with the number of rounds so far. */
  readonly isOver: (rounds: number) => boolean
  readonly say: (line: string) => void
}

export interface SoakResult extends Totals {
  readonly seed: number
  readonly rounds: number
  readonly pushes: number
  readonly forced: number
  readonly kills: number
  /** Kills during a sync. */
  readonly killsMeanwhile: number
  readonly cuts: number
  readonly deliveries: number
  readonly reads: number
  readonly refusals: Readonly<Record<string, number>>
  readonly seconds: number
}

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))
/** The time limit until everything is idle: the lease of a killed process expires after half a minute. */
const restMillisMax = 180_000

const deeds = {
  push: 8,
  tellHeld: 2,
  sync: 2,
  resync: 1,
  apply: 1,
  rollback: 1,
  archive: 1,
  kill: 2,
  cut: 1,
  leap: 1
}
type Deed = keyof typeof deeds
const deck = (Object.keys(deeds) as ReadonlyArray<Deed>).flatMap((deed) =>
  Array.from({ length: deeds[deed] }, () => deed)
)

/** Slows down the steps between staging and the end of a publication, so that kills hit them. */
const dawdle = [
  `CREATE FUNCTION soak_dawdle() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_sleep(random() * 0.25); RETURN NULL; END $$`,
  ...["sync_staged", "config_object_versions", "source_bindings", "target_publications"].map(
    (table) => `CREATE TRIGGER soak_dawdle AFTER INSERT ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION soak_dawdle()`
  )
]

interface Rest {
  readonly open: number
  readonly jobs: number
  readonly cursor: string | null
  readonly pinned: string | null
  readonly status: string
  readonly held: string | null
  /** The statuses of the syncs of the head, latest first. */
  readonly headStatuses: ReadonlyArray<string>
}

/**
 * Lets two servers follow a repository with random changes while webhooks are lost, duplicated and late, people make
 * changes, servers are killed and the database closes connections. After each round, everything must match the commits.
 */
export const soakSyncs = async (options: SoakOptions): Promise<SoakResult> => {
  const { dir, query, say, seed, start } = options
  const began = performance.now()
  const chances = makeChances(seed)
  const source = makeSource(dir, chances, options.filesEach)
  const servers: Array<Process | undefined> = [await start(), await start()]
  const restarts = new Set<Promise<void>>()
  const sums = { rounds: 0, pushes: 0, forced: 0, kills: 0, killsMeanwhile: 0, cuts: 0, deliveries: 0 }
  const refusals: Record<string, number> = {}
  let at = "the first import"
  let cutThisRound = false

  const alive = () => {
    for (const server of servers) {
      if (server !== undefined && !server.isAlive()) throw new Error("A server exited unexpectedly.")
    }
    return servers.filter((server) => server !== undefined)
  }
  const anyServer = async () => {
    if (alive().length === 0) await Promise.race(restarts)
    const server = chances.pick(alive())
    if (server === undefined) throw new Error("No server is running.")
    return server
  }
  let token = ""
  const send = async (method: string, path: string, body?: object): Promise<HttpResponse | undefined> => {
    const response = await ask(
      await anyServer(),
      token,
      method,
      path,
      body === undefined ? undefined : JSON.stringify(body)
    )
    if (response === undefined || response.status >= 400) {
      const name = `${response?.status ?? "no response"} ${response?.body?.error ?? ""}`.trim()
      refusals[name] = (refusals[name] ?? 0) + 1
      // A 503 is allowed only after the database has closed connections.
      if (response !== undefined && response.status >= 500 && response.status !== 503 && !cutThisRound) {
        throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(response.body)}`)
      }
    }
    return response
  }

  // The first import, without interference.
  const created = await send("POST", "/v1/bootstrap/workspace", { workspaceName: "Soak" })
  token = created?.body.session.token
  const organizationId: string = created?.body.organization.id
  const of = `organization_id = ${quoted(organizationId)}`
  // An unclaimed workspace can read from its host only twenty times a minute, so this one is claimed.
  await query(`UPDATE organizations SET provisional_until = NULL WHERE id = ${quoted(organizationId)}`)
  const setup = await send("POST", "/v1/connectors/codehost/setup", { adapter: "git", cloneUrl: dir })
  const instance = setup?.body.item.connectorInstance
  const target: string = setup?.body.item.connectorTarget.id
  const path = `/v1/connector-instances/${instance.id}`
  const apply = async () => {
    const discovery = await send("GET", `${path}/discovery`)
    if (discovery?.status !== 200) return discovery
    const selectedKeys = discovery.body.item.discoveredPlugins.map(({ key }: { readonly key: string }) => key)
    return send("POST", `${path}/discovery/apply?wait=0`, { selectedKeys, autoImportNewPlugins: true })
  }
  const applied = await apply()
  if (applied?.status !== 200) throw new Error(`The first import failed: ${JSON.stringify(applied?.body)}`)
  for (const statement of dawdle) await query(statement)

  const replay = makeReplay()
  const checks = makeChecks(query, organizationId, source, replay)
  const reader = makeReader({ query, organizationId, token, servers: alive })
  /** Commits that a person rejected: they are not published. */
  const rejected = new Set<string>()
  /** Commits whose rejection got no response, so that its outcome is unknown. */
  const maybeRejected = new Set<string>()
  const acknowledged = new Set<string>()
  let held: Array<{ readonly sha: string; readonly delivery: string }> = []

  const news = async (news: { readonly sha: string; readonly delivery: string }) => {
    const response = await tell(await anyServer(), instance.remoteId, news.sha, news.delivery)
    sums.deliveries += 1
    if (response?.status === 202) acknowledged.add(news.delivery)
    else if (response !== undefined && !cutThisRound && response.status !== 429 && response.status !== 503) {
      throw new Error(`A delivery got ${response.status} ${JSON.stringify(response.body)}.`)
    }
  }
  const runningNow = async () =>
    (
      await query(`SELECT 1 FROM sync_events WHERE ${of} AND status = 'running' AND id IN (
      SELECT split_part(lease_holder, '/', 1) FROM connector_targets WHERE ${of} AND lease_until > now())`)
    ).length > 0

  const push = async (isTold: boolean) => {
    const pushed = source.push()
    sums.pushes += 1
    if (pushed.isForced) sums.forced += 1
    const push = { sha: pushed.sha, delivery: `soak-${sums.pushes}` }
    const fate = isTold ? 5 : chances.nat(10)
    if (fate < 3) held.push(push)
    // Sent immediately, twice, or never.
    if (fate >= 3 && fate < 8) await news(push)
    if (fate === 7) await news(push)
  }

  const kill = async () => {
    // Usually in the middle of a sync.
    if (chances.isOne(0.8)) {
      await push(true)
      for (let look = 0; look < 10 && !(await runningNow()); look += 1) await pause(100)
      await pause(chances.nat(500))
    }
    const victims = chances.isOne(0.25) ? [0, 1] : [chances.nat(2)]
    const isMeanwhile = await runningNow()
    await Promise.all(
      victims.map(async (index) => {
        const server = servers[index]
        if (server === undefined) return
        servers[index] = undefined
        await server.kill()
        sums.kills += 1
        if (isMeanwhile) sums.killsMeanwhile += 1
        const delay = chances.nat(1500)
        const restarted = pause(delay)
          .then(start)
          .then((next) => void (servers[index] = next))
          .finally(() => restarts.delete(restarted))
        restarts.add(restarted)
      })
    )
  }

  const archived = new Map<string, boolean | undefined>()
  const archive = async () => {
    const rows = await query<{ id: string }>(`SELECT id FROM plugins WHERE ${of} AND deleted_at IS NULL ORDER BY id`)
    const plugin = chances.pick(rows)
    if (plugin === undefined) return
    const isArchived = !(archived.get(plugin.id) ?? false)
    reader.leaveOut(plugin.id)
    const response = await send("POST", `/v1/plugins/${plugin.id}/${isArchived ? "archive" : "restore"}`, {})
    // Without a response, the outcome is unknown.
    if (response?.status === 200) archived.set(plugin.id, isArchived)
    else if (response === undefined || response.status >= 500) archived.set(plugin.id, undefined)
  }

  /** Expires leases early, of killed servers and of running ones. */
  const leap = async () => {
    await query(`UPDATE connector_targets SET lease_until = now() WHERE ${of} AND lease_until > now()`)
    await query(`UPDATE effect_queue SET visible_at = now(), acquired_at = acquired_at - interval '1 minute'
      WHERE state = 'pending'`)
  }

  const does: Readonly<Record<Deed, () => Promise<unknown>>> = {
    push: () => push(false),
    tellHeld: async () => {
      const late = chances.pick(held)
      if (late === undefined) return
      held = held.filter((other) => other !== late)
      await news(late)
    },
    sync: () => send("POST", `${path}/sync`),
    resync: () => send("POST", `/v1/connector-targets/${target}/resync`),
    apply,
    rollback: async () => {
      const revision = chances.pick(replay.revisions().slice(-15))
      if (revision !== undefined) await send("POST", `${path}/rollback`, { revision })
    },
    archive,
    kill,
    cut: async () => {
      cutThisRound = true
      const rows = await query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND random() < ${chances.isOne(0.3) ? 1 : 0.4}`)
      sums.cuts += rows.length
    },
    leap
  }

  const look = async (): Promise<Rest> => {
    const [row] = await query<Rest>(`SELECT
        (SELECT count(*)::int FROM sync_events WHERE ${of} AND status IN ('queued', 'running')) AS open,
        (SELECT count(*)::int FROM effect_queue WHERE state = 'pending') AS jobs,
        t.last_sync_cursor AS cursor, CASE WHEN t.pinned_at IS NULL THEN NULL ELSE t.pinned_revision END AS pinned,
        i.status,
        (SELECT e.id FROM sync_events e WHERE e.${of} AND e.status = 'review_required'
          AND e.revision = ${quoted(source.head())} ORDER BY e.id DESC LIMIT 1) AS held,
        ARRAY(SELECT e.status FROM sync_events e WHERE e.${of} AND e.revision = ${quoted(source.head())}
          ORDER BY e.id DESC) AS "headStatuses"
      FROM connector_targets t JOIN connector_instances i ON i.organization_id = t.organization_id
        AND i.id = t.connector_instance_id WHERE t.${of} AND t.id = ${quoted(target)}`)
    if (row === undefined) throw new Error("The branch is missing.")
    return row
  }

  const judge = async (isHome: boolean) => {
    await checks.history(reader.publish)
    return checks.content(isHome)
  }

  /** Waits until the branch is up to date, by the reconciler alone or by manual syncs, and compares it. */
  const rest = async () => {
    await Promise.all(restarts)
    for (const late of held) if (chances.isOne(0.5)) await news(late)
    held = []
    const isAsking = chances.isOne(0.5)
    const isHurried = chances.isOne(0.75) || options.isHurried === true
    at += `, ${isAsking ? "asking" : "the reconciler"} brings it home${isHurried ? " in haste" : ""}`
    const until = Date.now() + restMillisMax
    for (let turn = 1; ; turn += 1) {
      alive()
      const now = await look()
      if (now.open === 0 && now.jobs === 0) {
        if (now.pinned !== null && now.cursor !== now.pinned) {
          throw new Error(`The branch is pinned to ${now.pinned} but shows ${now.cursor}.`)
        }
        const isHome = now.pinned === null && now.cursor === source.head() && now.status === "active"
        if (isHome && (await judge(true))) break
        if (now.pinned !== null || now.held !== null) await judge(false)
        if (maybeRejected.has(source.head()) && now.headStatuses[0] === "rejected") rejected.add(source.head())
        if (rejected.has(source.head())) await push(false)
        else if (now.held !== null) {
          const response = chances.isOne(0.75) ? "approve" : "reject"
          const decided = await send("POST", `/v1/connector-sync-events/${now.held}/${response}`)
          if (response === "reject") (decided?.status === 200 ? rejected : maybeRejected).add(source.head())
        } else if (now.pinned !== null) {
          // A branch that was rolled back stays pinned until a manual sync.
          await send("POST", `${path}/sync`)
        } else if (isAsking) await send("POST", `${path}/sync`)
      }
      if (Date.now() > until)
        throw new Error(`It does not become idle: ${JSON.stringify({ ...(await look()), head: source.head() })}`)
      if (isHurried && turn % 5 === 0) await leap()
      await pause(200)
    }
    await checks.deliveries(acknowledged)
    await reader.judge()
    for (const [plugin, isArchived] of archived) {
      const [row] = await query<{ archived: boolean }>(
        `SELECT archived_at IS NOT NULL AS archived FROM plugins WHERE ${of} AND id = ${quoted(plugin)}`
      )
      if (isArchived === undefined) archived.set(plugin, row?.archived)
      else if (row?.archived !== isArchived) throw new Error(`${plugin} should be ${isArchived ? "" : "not "}archived.`)
      if (row?.archived === false) reader.takeIn(plugin)
    }
  }

  try {
    await rest()
    const reading = reader.begin()
    try {
      while (!options.isOver(sums.rounds)) {
        sums.rounds += 1
        cutThisRound = false
        let kills = 0
        for (let step = 1; step <= options.stepsEach; step += 1) {
          // Each round has a fixed number of kills.
          const isDue = options.stepsEach - step < options.killsEach - kills
          const drawn = isDue ? "kill" : (chances.pick(deck) ?? "push")
          const deed = drawn === "kill" && kills >= options.killsEach ? "push" : drawn
          if (deed === "kill") kills += 1
          at = `round ${sums.rounds}, step ${step}: ${deed}`
          await does[deed]()
          if (chances.isOne(0.6)) await pause(chances.nat(500))
        }
        at = `the end of round ${sums.rounds}`
        await rest()
        const { completed, failed, ignored, rollbacks, versions } = checks.totals
        say(
          `round ${sums.rounds}: ${sums.pushes} pushes, ${sums.kills} kills (${sums.killsMeanwhile} in a sync), ${completed} syncs published (${rollbacks} rollbacks), ${ignored} ignored, ${failed} failed, ${versions} versions, ${reader.reads()} reads`
        )
      }
    } finally {
      await reading.end()
    }
  } catch (cause) {
    throw new Error(`Seed ${seed}, ${at}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  } finally {
    await Promise.allSettled(restarts)
    await Promise.all(servers.flatMap((server) => (server === undefined ? [] : [server.kill()])))
  }
  const seconds = Math.round((performance.now() - began) / 1000)
  return { seed, ...sums, ...checks.totals, reads: reader.reads(), refusals, seconds }
}
