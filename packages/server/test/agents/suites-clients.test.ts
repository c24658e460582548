/** The official clients of the suites against the simulated suites, so that the simulation matches the real ones. */
import { auth, calendar } from "@googleapis/calendar"
import { Client, type Context, HTTPMessageHandler, type Middleware } from "@microsoft/microsoft-graph-client"
import { beforeEach, describe, expect, it } from "vitest"
import { anEvent, startSuites } from "./suites.fixture.ts"

const suites = await startSuites()
beforeEach(() => suites.reset())

/** The client sends its token only over https, which the simulation does not have. */
class Plain implements Middleware {
  private readonly next = new HTTPMessageHandler()
  private readonly token: string
  constructor(token: string) {
    this.token = token
  }
  execute(context: Context): Promise<void> {
    const headers = new Headers(context.options?.headers)
    headers.set("authorization", `Bearer ${this.token}`)
    context.options = { ...context.options, headers: Object.fromEntries(headers) }
    return this.next.execute(context)
  }
}

describe("the official client of the mail suite", () => {
  const client = (token = suites.tokenOf()) =>
    Client.initWithMiddleware({ baseUrl: suites.origin, defaultVersion: "v1.0", middleware: new Plain(token) })

  it("creates a draft and reads it as plain text", async () => {
    const draft = await client()
      .api("/me/messages")
      .post({
        subject: "Hello",
        body: { contentType: "Text", content: "Some text" },
        toRecipients: [{ emailAddress: { address: "a@example.com" } }]
      })
    expect(draft).toMatchObject({ subject: "Hello", isDraft: true })
    const read = await client()
      .api(`/me/messages/${draft.id}`)
      .header("Prefer", 'outlook.body-content-type="text"')
      .select(["id", "subject", "body"])
      .get()
    expect(read).toEqual({ id: draft.id, subject: "Hello", body: { contentType: "text", content: "Some text" } })
    expect([suites.sent, suites.messages.size]).toEqual([[], 1])
  })

  it("receives errors for a missing message and an invalid token", async () => {
    await expect(client().api("/me/messages/nothing").get()).rejects.toMatchObject({ statusCode: 404 })
    await expect(client("none").api("/me/messages/nothing").get()).rejects.toMatchObject({ statusCode: 401 })
  })
})

describe("the official client of the calendar suite", () => {
  const client = () => {
    const person = new auth.OAuth2()
    person.setCredentials({ access_token: suites.tokenOf() })
    return calendar({ version: "v3", rootUrl: `${suites.origin}/`, auth: person })
  }
  const wish = (requestId: string) => ({
    conferenceData: { createRequest: { requestId, conferenceSolutionKey: { type: "hangoutsMeet" } } }
  })

  it("adds a meeting once per request ID, and only with the conference data version", async () => {
    const eventId = anEvent(suites, "abc")
    const events = client().events
    const patch = (version: number, requestId: string) =>
      events.patch({
        calendarId: "primary",
        eventId,
        conferenceDataVersion: version,
        requestBody: wish(requestId)
      })
    expect((await patch(0, "one")).data.hangoutLink).toBeUndefined()
    const { data } = await patch(1, "one")
    expect(data.hangoutLink).toMatch(/^https:/)
    expect(data.conferenceData?.createRequest?.status?.statusCode).toBe("success")
    expect((await patch(1, "one")).data.hangoutLink).toBe(data.hangoutLink)
    expect(suites.meetings).toEqual(["one"])
    const read = await events.get({ calendarId: "primary", eventId })
    expect(read.data).toMatchObject({ id: eventId, summary: "A talk", hangoutLink: data.hangoutLink })
  })

  it("receives an error for a missing event", async () => {
    await expect(client().events.get({ calendarId: "primary", eventId: "nothing" })).rejects.toMatchObject({
      status: 404
    })
  })
})
