import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Branch, text } from "./flags.ts"
import { globals } from "./global-flags.ts"
import type { OnInvocation } from "./invocation.ts"

export const verifyEvents = (onInvocation: OnInvocation): Branch =>
  Command.make(
    "verify",
    {
      paths: Argument.String("path").pipe(
        Argument.withDescription(
          "File or directory with the lines of an event stream, as NDJSON, plain or gzipped. Repeatable"
        ),
        Argument.atLeast(1)
      ),
      keys: text("keys", "file", "The response of GET /v1/keys. Default: get the keys from the server")
    },
    ({ keys, paths }) =>
      Effect.map(globals, (globals) =>
        onInvocation(globals, { kind: "verifyEvents", paths, keys: Option.getOrUndefined(keys) })
      )
  ).pipe(
    Command.withDescription(
      "Verify that the events received from an event stream are complete and unchanged.\n  Reads the files that a receiver stored, and verifies the chain of their lines and the signed checkpoints. With --keys, it needs no connection. Prints the range of proven events. If a line is missing or was changed, prints the first one and exits with 1."
    ),
    Command.withShortDescription("Verify that received events are complete and unchanged."),
    Command.withExamples([
      { command: "orgplane events verify events.ndjson", description: "Verify a file with the keys of the server" },
      {
        command: "orgplane events verify ./bucket --keys keys.json",
        description: "Verify the objects of a bucket without a connection"
      }
    ])
  ) as Branch
