/** Commands of a group that no single operation is. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Branch, Choose } from "./command-tree.ts"
import { globals } from "./globals.ts"

export interface InviteChosen {
  readonly kind: "invite"
  readonly emails: ReadonlyArray<string>
  readonly role: string | undefined
  readonly teamIds: ReadonlyArray<string>
  /** Answers the link instead of mailing it. */
  readonly link: boolean
  readonly file: string | undefined
}

export interface TailChosen {
  readonly kind: "tail"
  readonly follow: boolean
  /** How many of the past are shown first. */
  readonly count: number
  readonly after: string | undefined
  readonly filters: Readonly<Record<string, string>>
}

export const toggle = (name: string, help: string) =>
  Flag.Boolean(name).pipe(Flag.withoutNegation, Flag.withDescription(help), Flag.withDefault(false))

const text = (name: string, metavar: string, help: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(help), Flag.optional)

export const linesFile = text("file", "file|-", "One a line, as CSV or JSON objects; each line gets its own result")

const invite = (choose: Choose): Branch =>
  Command.make(
    "invite",
    {
      emails: Argument.String("email").pipe(Argument.withDescription("Whom; may be several"), Argument.atLeast(0)),
      role: text("role", "role", "owner, admin, member or the id of a role; member unless told"),
      teamIds: Flag.String("team-id").pipe(
        Flag.withMetavar("id"),
        Flag.withDescription("A team to be in from the start. May be repeated"),
        Flag.atLeast(0)
      ),
      link: toggle("link", "Print the link instead of mailing it; needs the permission invitations:link"),
      file: linesFile
    },
    ({ emails, file, link, role, teamIds }) =>
      Effect.map(globals, (globals) =>
        choose(globals, {
          kind: "invite",
          emails,
          role: Option.getOrUndefined(role),
          teamIds,
          link,
          file: Option.getOrUndefined(file)
        })
      )
  ).pipe(
    Command.withDescription(
      "Invites people by mail; with several, each gets their own result.\n  A file holds lines of `email,role`, or JSON objects with email, role and teamIds. Fails when a line failed; the rest is done."
    ),
    Command.withShortDescription("Invites people by mail."),
    Command.withExamples([
      { command: "orgplane members invite ada@acme.example --role admin", description: "Mail somebody a link" },
      { command: "orgplane members invite --file invitees.csv", description: "Everybody in a file" }
    ])
  ) as Branch

const tail = (choose: Choose): Branch =>
  Command.make(
    "tail",
    {
      follow: toggle("follow", "Go on with what happens from now on, until interrupted").pipe(Flag.withAlias("f")),
      count: Flag.Int("limit").pipe(
        Flag.withMetavar("count"),
        Flag.withDescription("How many of the past first; 10 unless told"),
        Flag.withDefault(10)
      ),
      after: text("after", "id", "Everything after this event instead, in the sealed order"),
      action: text("action", "action", "Only this action, as in apiKey.create"),
      actorId: text("actor-id", "id", "Only what this member, key or user did"),
      targetId: text("target-id", "id", "Only what was done to this")
    },
    ({ action, actorId, after, count, follow, targetId }) =>
      Effect.map(globals, (globals) =>
        choose(globals, {
          kind: "tail",
          follow,
          count,
          after: Option.getOrUndefined(after),
          filters: Object.fromEntries(
            Object.entries({ action, actorId, targetId }).flatMap(([name, value]) =>
              Option.isSome(value) ? [[name, value.value]] : []
            )
          )
        })
      )
  ).pipe(
    Command.withDescription("Shows the last audit events, oldest first, and follows them with --follow."),
    Command.withExamples([
      { command: "orgplane audit tail --follow", description: "Watch what happens" },
      { command: "orgplane audit tail -f --action apiKey.create -o ndjson", description: "New keys, for a program" }
    ])
  ) as Branch

export const further = (group: string, choose: Choose): ReadonlyArray<Branch> =>
  group === "members" ? [invite(choose)] : group === "audit" ? [tail(choose)] : []
