/** The results of the commands that check an installation, as lines or as JSON. */

export type Status = "ok" | "warning" | "failed" | "skipped"

export interface Finding {
  /** The thing that was checked, such as `database`. */
  readonly check: string
  readonly status: Status
  /** One sentence or more, without secrets. */
  readonly message: string
  /** What to do. */
  readonly fix?: string
}

export const finding = (check: string, status: Status, message: string, fix?: string): Finding => ({
  check,
  status,
  message,
  ...(fix === undefined ? {} : { fix })
})

/** The result of all findings: the worst one. */
export const statusOf = (findings: ReadonlyArray<Finding>): "ok" | "warning" | "failed" => {
  const has = (status: Status) => findings.some((finding) => finding.status === status)
  return has("failed") ? "failed" : has("warning") ? "warning" : "ok"
}

/** One line for each finding, with the status, the check, the message and the fix. */
export const reportLines = (findings: ReadonlyArray<Finding>): string => {
  const width = Math.max(...findings.map(({ check }) => check.length))
  const oneLine = (text: string) =>
    text
      .split("\n")
      .map((line) => line.trim())
      .join(" ")
  return findings
    .map(({ check, fix, message, status }) =>
      [status.padEnd("skipped".length), check.padEnd(width), oneLine([message, fix ?? ""].join(" ").trim())].join("  ")
    )
    .join("\n")
}

export const reportOf = (findings: ReadonlyArray<Finding>) => ({ status: statusOf(findings), findings })

export const reportJson = (findings: ReadonlyArray<Finding>): string => JSON.stringify(reportOf(findings), null, 2)
