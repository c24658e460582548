import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Branch, text, toggle } from "./flags.ts"
import { globals } from "./global-flags.ts"
import type { OnInvocation } from "./invocation.ts"

export const listenEvents = (onInvocation: OnInvocation): Branch =>
  Command.make(
    "listen",
    {
      forwardTo: Flag.String("forward-to").pipe(
        Flag.withMetavar("url"),
        Flag.withDescription("URL that receives each event with POST, such as http://localhost:3000/webhooks")
      ),
      types: text("types", "types", "Only these types, separated by commas: plugin.*,team.create"),
      after: Flag.optional(
        Flag.Int("after").pipe(
          Flag.withMetavar("sequence"),
          Flag.withDescription("Start after this sequence number. Default: only new events")
        )
      ),
      secret: text(
        "secret",
        "whsec_…",
        "Secret that signs the requests. Default: a new one, which is printed at the start"
      ),
      allowRemote: toggle("allow-remote", "Allow a URL that is not on this machine")
    },
    ({ after, allowRemote, forwardTo, secret, types }) =>
      Effect.map(globals, (globals) =>
        onInvocation(globals, {
          kind: "listenEvents",
          forwardTo,
          types: Option.getOrUndefined(types),
          after: Option.getOrUndefined(after),
          secret: Option.getOrUndefined(secret),
          allowRemote
        })
      )
  ).pipe(
    Command.withDescription(
      "Forward events to a server on this machine, as webhooks.\n  Sends each new event that you can see, with the same body and headers as a webhook endpoint. Prints one line per request, until interrupted. An event that the server does not accept is not retried; to send it again, use --after. Changes nothing in the organization."
    ),
    Command.withShortDescription("Forward events to a server on this machine, as webhooks."),
    Command.withExamples([
      {
        command: "orgplane events listen --forward-to http://localhost:3000/webhooks",
        description: "Forward all events that you can see"
      },
      {
        command: "orgplane events listen --forward-to http://localhost:3000/webhooks --types 'plugin.*' --after 41",
        description: "Forward the events of plugins after event 41"
      }
    ])
  ) as Branch
