/** The commands of `orgplane configuration`, with their flags. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Branch, text, toggle } from "../flags.ts"
import { globals } from "../global-flags.ts"
import type { ConfigurationInvocation, OnInvocation } from "../invocation.ts"

const filesFlag = Flag.String("file").pipe(
  Flag.withAlias("f"),
  Flag.withMetavar("file|directory|-"),
  Flag.withDescription(
    "Document as YAML or JSON, or a directory with *.yaml, *.yml and *.json files. Several are merged. Repeatable. Required"
  ),
  Flag.atLeast(0)
)

const variablesFlag = Flag.String("env").pipe(
  Flag.withMetavar("name"),
  Flag.withDescription("Environment variable that documents may use, as ${env:NAME} in text. Repeatable"),
  Flag.atLeast(0)
)

const command = <const Name extends string, const Config extends Command.Command.Config>(
  name: Name,
  config: Config,
  invocation: (flags: Command.Command.Config.Infer<Config>) => ConfigurationInvocation["action"],
  onInvocation: OnInvocation
) =>
  Command.make(name, config, (flags) =>
    Effect.map(globals, (globals) => onInvocation(globals, { kind: "configuration", action: invocation(flags) }))
  )

export const configurationCommands = (onInvocation: OnInvocation): ReadonlyArray<Branch> => [
  command(
    "export",
    {
      kinds: text("kinds", "kinds", "Only these kinds, separated by commas, such as organization,teams. Default: all")
    },
    ({ kinds }) => ({ verb: "export", kinds: Option.getOrUndefined(kinds) }),
    onInvocation
  ).pipe(
    Command.withDescription(
      "Export the configuration of the organization as YAML, or as JSON with `-o json`.\n  The order of the output is stable, so that exports can be compared in version control. Objects without a key appear with a key derived from their name, which `apply` and `adopt` store. Secrets are never exported."
    ),
    Command.withShortDescription("Export the configuration of the organization."),
    Command.withExamples([
      { command: "orgplane configuration export > org.yaml", description: "Write all kinds to a file" },
      {
        command: "orgplane configuration export --kinds roles,teams > people.yaml",
        description: "Write only some kinds"
      }
    ])
  ) as Branch,
  command(
    "plan",
    {
      files: filesFlag,
      variables: variablesFlag,
      detailedExitcode: toggle("detailed-exitcode", "Exit with 0 without changes, 2 with changes, and 1 after an error")
    },
    (flags) => ({ verb: "plan", ...flags }),
    onInvocation
  ).pipe(
    Command.withDescription(
      "Preview the changes an apply would make.\n  Prints each change field by field, the problems with their locations in the files, and the command that applies exactly this plan. Changes nothing. Exits with 1 if the document cannot be applied."
    ),
    Command.withShortDescription("Preview the changes an apply would make."),
    Command.withExamples([
      { command: "orgplane configuration plan -f org.yaml", description: "Compare a file with the organization" },
      {
        command: "orgplane configuration plan -f org/ --detailed-exitcode",
        description: "Detect drift in a script: exits with 2 if the organization differs"
      }
    ])
  ) as Branch,
  command(
    "apply",
    {
      files: filesFlag,
      variables: variablesFlag,
      planDigest: text("plan-digest", "sha256", "Apply only the plan with this digest, without a prompt")
    },
    ({ planDigest, ...flags }) => ({ verb: "apply", ...flags, planDigest: Option.getOrUndefined(planDigest) }),
    onInvocation
  ).pipe(
    Command.withDescription(
      "Apply a configuration document.\n  Shows the plan, asks for confirmation, and then makes exactly these changes in one transaction. If the organization changes in the meantime, nothing is applied. Without a terminal, --yes or --plan-digest is required."
    ),
    Command.withShortDescription("Apply a configuration document."),
    Command.withExamples([
      { command: "orgplane configuration apply -f org.yaml", description: "Review the plan, and apply it" },
      {
        command: "orgplane configuration apply -f org/ --env REGION --yes",
        description: "Apply several files that use an environment variable, in a script"
      },
      {
        command: "orgplane configuration apply -f org.yaml --plan-digest 5d2f…",
        description: "Apply only the reviewed plan"
      }
    ])
  ) as Branch,
  command(
    "format",
    { files: filesFlag, check: toggle("check", "Change nothing. Exits with 1 if a file is not formatted") },
    (flags) => ({ verb: "format", ...flags }),
    onInvocation
  ).pipe(
    Command.withDescription(
      "Format configuration files.\n  Normalizes indentation and spaces, and keeps comments, order and values. Prints the names of the changed files. For standard input (`-f -`), prints the formatted document. Does not connect to the server."
    ),
    Command.withShortDescription("Format configuration files."),
    Command.withExamples([
      { command: "orgplane configuration format -f org/", description: "Format all files of a directory" },
      { command: "orgplane configuration format -f org/ --check", description: "Check the format in CI" }
    ])
  ) as Branch,
  command(
    "adopt",
    {
      adoptions: Argument.String("kind/id=key").pipe(
        Argument.withDescription("Object and its key. Repeatable. Default: all objects without a key"),
        Argument.atLeast(0)
      )
    },
    ({ adoptions }) => ({ verb: "adopt", adoptions }),
    onInvocation
  ).pipe(
    Command.withDescription(
      "Assign keys to existing objects.\n  Without arguments, each object without a key gets the key that `export` shows. An object keeps its key, even if it is renamed. Objects that already have a key are skipped."
    ),
    Command.withShortDescription("Assign keys to existing objects."),
    Command.withExamples([
      { command: "orgplane configuration adopt", description: "Store the keys that an export shows" },
      { command: "orgplane configuration adopt teams/tem_…=platform", description: "Choose the key of a team" }
    ])
  ) as Branch,
  command("schema", {}, () => ({ verb: "schema" }), onInvocation).pipe(
    Command.withDescription(
      "Print the JSON Schema of configuration documents.\n  Editors use it to check and complete documents. The schema matches the version of the server. Does not require signing in."
    ),
    Command.withShortDescription("Print the JSON Schema of configuration documents."),
    Command.withExamples([
      {
        command: "orgplane configuration schema > orgplane.schema.json",
        description: "Write the schema to a file, for editors without access to the server"
      }
    ])
  ) as Branch
]
