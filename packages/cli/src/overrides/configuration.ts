/** Overrides of the commands for the configuration source and its runs. */
import type { Override } from "../override.ts"

const runs = {
  columns: ["id", "status", "trigger", "revision", "summary", "createdAt"],
  priority: ["id", "status", "revision"]
} satisfies Override

export const configurationOverrides: Readonly<Record<string, Override>> = {
  "configurationSource.set": {
    examples: [
      {
        command: "orgplane configuration-source set --connector-instance-id cin_… --path org --mode apply",
        description: "Apply the files of the folder org after each push"
      }
    ]
  },
  "configurationSource.run": {
    ...runs,
    examples: [{ command: "orgplane configuration-source run", description: "Read the head of the branch again" }]
  },
  "configurationRuns.list": {
    ...runs,
    examples: [
      { command: "orgplane configuration-runs list", description: "List what each commit changed" },
      {
        command: "orgplane configuration-runs list --status held",
        description: "List the runs that are pending approval"
      }
    ]
  },
  "configurationRuns.get": {
    examples: [
      {
        command: "orgplane configuration-runs get cfr_… -o json",
        description: "Show the changes of a run, and its problems with file and line"
      }
    ]
  },
  "configurationRuns.approve": {
    ...runs,
    examples: [
      {
        command: "orgplane configuration-runs approve cfr_… --plan-digest 9a705f2c…",
        description: "Apply the plan that you have reviewed"
      }
    ]
  },
  "configurationRuns.reject": runs
}
