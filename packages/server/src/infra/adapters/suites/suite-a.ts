import type { CreateMailDraft, MailMessage } from "@orgplane/schema/capabilities"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { SuiteUser } from "../../ports/suites.ts"
import { type Ask, decoded, unexpected } from "./ask.ts"

export const bodyCharactersMax = 200_000

const nullable = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const Address = Schema.Struct({
  emailAddress: nullable(Schema.Struct({ name: nullable(Schema.String), address: nullable(Schema.String) }))
})

/** The used members of a message; the suite may omit any or set it to null. */
const Message = Schema.Struct({
  id: Schema.String,
  conversationId: nullable(Schema.String),
  subject: nullable(Schema.String),
  receivedDateTime: nullable(Schema.String),
  bodyPreview: nullable(Schema.String),
  from: nullable(Address),
  toRecipients: nullable(Schema.Array(Address)),
  ccRecipients: nullable(Schema.Array(Address)),
  webLink: nullable(Schema.String),
  hasAttachments: nullable(Schema.Boolean),
  body: nullable(Schema.Struct({ contentType: nullable(Schema.String), content: nullable(Schema.String) }))
})
type Message = typeof Message.Type

const selected = [
  "id",
  "conversationId",
  "subject",
  "receivedDateTime",
  "bodyPreview",
  "from",
  "toRecipients",
  "ccRecipients",
  "webLink",
  "hasAttachments",
  "body"
].join(",")

/** Requests bodies as plain text, where the suite supports it. */
const prefer = { prefer: 'outlook.body-content-type="text"' }

/** The first characters of a text, counted in code points, so that no character is split. */
export const cut = (text: string, maximum: number): { readonly text: string; readonly isCut: boolean } => {
  if (text.length <= maximum) return { text, isCut: false }
  let end = 0
  for (let count = 0; count < maximum && end < text.length; count += 1) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1
  }
  return { text: text.slice(0, end), isCut: end < text.length }
}

const mailboxOf = ({ emailAddress }: typeof Address.Type) => {
  const name = emailAddress?.name ?? null
  const address = emailAddress?.address ?? null
  return name === null && address === null ? [] : [{ name, address: address ?? "" }]
}

const toWire = (message: Message): MailMessage => {
  const { isCut, text } = cut(message.body?.content?.toWellFormed() ?? "", bodyCharactersMax)
  return {
    id: message.id,
    conversationId: message.conversationId ?? null,
    subject: message.subject ?? "",
    receivedDateTime: message.receivedDateTime ?? null,
    preview: message.bodyPreview ?? "",
    from: message.from == null ? null : (mailboxOf(message.from)[0] ?? null),
    to: (message.toRecipients ?? []).flatMap(mailboxOf),
    cc: (message.ccRecipients ?? []).flatMap(mailboxOf),
    webLink: message.webLink ?? null,
    hasAttachments: message.hasAttachments ?? false,
    body: text,
    bodyContentType: message.body?.contentType?.toLowerCase() === "html" ? "html" : "text",
    bodyTruncated: isCut
  }
}

const recipients = (addresses: ReadonlyArray<string> = []) =>
  addresses.map((address) => ({ emailAddress: { address } }))

/**
 * Mail. A message that is posted to the mailbox is a draft; sending uses another endpoint, which is never called.
 */
export const makeSuiteA = (ask: Ask) => {
  const createDraft = Effect.fn("suites.createDraft")(function* (user: SuiteUser, draft: typeof CreateMailDraft.Type) {
    const { json, status } = yield* ask(user, {
      method: "POST",
      path: "/me/messages",
      headers: prefer,
      body: {
        subject: draft.subject,
        body: { contentType: "Text", content: draft.body },
        toRecipients: recipients(draft.to),
        ccRecipients: recipients(draft.cc),
        bccRecipients: recipients(draft.bcc)
      }
    })
    if (status !== 201) return yield* unexpected()
    return toWire(yield* decoded(Message, json))
  })

  const getMessage = Effect.fn("suites.getMessage")(function* (user: SuiteUser, messageId: string) {
    const { json } = yield* ask(user, {
      method: "GET",
      path: `/me/messages/${encodeURIComponent(messageId)}?$select=${selected}`,
      headers: prefer
    })
    return toWire(yield* decoded(Message, json))
  })

  return { createDraft, getMessage } as const
}
