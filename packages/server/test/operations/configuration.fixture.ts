import { expect } from "vitest"
import { addMember, makeWorkspace, type Person, runSql, type TestPlane, type Workspace } from "../harness.ts"

// oxlint-disable-next-line typescript/no-explicit-any -- documents of responses, checked by expect()
export type Item = any
export type Caller = Pick<Person, "call">

export const demanded = ({ body, status, text }: Item): Item => {
  expect([status, text]).toEqual([200, text])
  return body
}
export const exported = async (person: Caller, kinds?: string): Promise<Item> =>
  demanded(await person.call("GET", `/v1/configuration${kinds === undefined ? "" : `?kinds=${kinds}`}`)).document
export const planned = async (person: Caller, document: Item): Promise<Item> =>
  demanded(await person.call("POST", "/v1/configuration/plan", { document: { version: 1, ...document } })).plan
export const applied = async (person: Caller, document: Item, planDigest?: string): Promise<Item> =>
  demanded(
    await person.call("POST", "/v1/configuration/apply", {
      document: { version: 1, ...document },
      ...(planDigest && { planDigest })
    })
  ).plan
/** The status of the apply, the error or reason, and the first invalid location. */
export const refusal = async (person: Caller, document: Item, planDigest?: string) => {
  const { body, status } = await person.call("POST", "/v1/configuration/apply", {
    document: { version: 1, ...document },
    ...(planDigest && { planDigest })
  })
  const place = body.details?.[0]
  return [status, body.reason ?? body.error, ...(place === undefined ? [] : [place.path.slice(2), place.message])]
}
export const actions = (plan: Item): ReadonlyArray<string> => {
  expect(plan.problems).toEqual([])
  return plan.changes.map(({ action, fields, key, kind }: Item) =>
    [action, kind, key ?? "-", ...(action === "update" ? fields.map(({ field }: Item) => field) : [])].join(" ")
  )
}

/** Gives the person an email address. */
export const emailOf = async (plane: TestPlane, { userId }: Workspace): Promise<string> => {
  const email = `${userId}@people.example`.toLowerCase()
  await runSql(plane, (sql) => sql`UPDATE users SET email = ${email} WHERE id = ${userId}`)
  return email
}

/** An organization whose members have email addresses. */
export const makePeople = async (plane: TestPlane, count: number) => {
  const owner = await makeWorkspace(plane)
  const people = await Promise.all(Array.from({ length: count }, () => addMember(plane, owner, "member")))
  return { owner, people, emails: await Promise.all(people.map((person) => emailOf(plane, person))) }
}

/** Another organization with the same members. */
export const makeTwin = async (plane: TestPlane, owner: Workspace): Promise<Workspace> => {
  const twin = await makeWorkspace(plane)
  await runSql(
    plane,
    (sql) => sql`INSERT INTO memberships (organization_id, id, user_id, role, created_at, updated_at)
      SELECT ${twin.organizationId}, 'om_' || substr(id, 4, 10) || substr(md5(${twin.organizationId} || id), 1, 16),
        user_id, role, now(), now()
      FROM memberships
      WHERE organization_id = ${owner.organizationId} AND role = 'member' AND removed_at IS NULL`
  )
  return twin
}

export const send = (person: Caller, verb: "plan" | "apply", document: Item, secrets?: Item, planDigest?: string) =>
  person.call("POST", `/v1/configuration/${verb}`, {
    document: { version: 1, ...document },
    ...(secrets && { secrets }),
    ...(planDigest && { planDigest })
  })
/** The problems of a plan, with their locations in the entry. */
export const problemsOf = async (person: Caller, document: Item, secrets?: Item) =>
  demanded(await send(person, "plan", document, secrets)).plan.problems.map(({ message, path }: Item) => [
    path.slice(2),
    message
  ])
