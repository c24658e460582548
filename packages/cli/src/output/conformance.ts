/** Renders a SCIM conformance report: one line per request, followed by the unexpected parts of its response. */
import type { Outcome, StepResult } from "../scim-conformance/run.ts"
import type { Sequence } from "../scim-conformance/sequence.ts"
import { type Pen, paint } from "./chain.ts"
import { harmless } from "./harmless.ts"

const faint = 2
const bold = 1
const red = 31
const green = 32
const yellow = 33

const marks = {
  ok: { fine: "✓", plain: "ok     ", color: green },
  failed: { fine: "✗", plain: "failed ", color: red },
  skipped: { fine: "-", plain: "skipped", color: yellow }
} as const

/** One tab-separated line per step, for `grep` and `cut`. */
export const conformanceLine = (step: StepResult): string =>
  [
    step.provider,
    step.result,
    step.method,
    step.path === "" ? "-" : step.path,
    step.expected.status.join("|"),
    step.got.status === null ? "-" : String(step.got.status),
    step.title,
    step.faults.length === 0 ? "-" : step.faults.join("; ")
  ]
    .map(harmless)
    .join("\t")

/** Decodes a path for display. */
const readable = (path: string): string => {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

const stepLines = (step: StepResult, pen: Pen): ReadonlyArray<string> => {
  const { color, fine, plain } = marks[step.result]
  const mark = paint(pen, color, pen.unicode ? fine : plain)
  const status = step.got.status === null ? "" : ` ${step.got.status}`
  const request =
    step.path === "" ? "" : paint(pen, faint, `  ${step.method} ${harmless(readable(step.path))}${status}`)
  return [
    `  ${mark} ${step.title}${request}`,
    ...step.faults.map((fault) => paint(pen, step.result === "skipped" ? yellow : red, `      ${harmless(fault)}`))
  ]
}

const count = (steps: ReadonlyArray<StepResult>, result: StepResult["result"]) =>
  steps.filter((step) => step.result === result).length

export const conformanceReport = (
  { leftovers, steps }: Outcome,
  sequences: ReadonlyArray<Sequence>,
  pen: Pen
): string => {
  const [failed, skipped] = [count(steps, "failed"), count(steps, "skipped")]
  const rest = [...(failed === 0 ? [] : [`${failed} failed`]), ...(skipped === 0 ? [] : [`${skipped} skipped`])]
  const sum = `${count(steps, "ok")} of ${steps.length} requests returned the expected response${rest.length === 0 ? "" : `; ${rest.join(", ")}`}.`
  return [
    ...sequences.flatMap(({ provider, title }) => {
      const own = steps.filter((step) => step.provider === provider)
      return own.length === 0 ? [] : [paint(pen, bold, title), ...own.flatMap((step) => stepLines(step, pen)), ""]
    }),
    paint(pen, failed + skipped === 0 ? green : red, sum),
    ...(leftovers.length === 0 ? [] : [`Not removed: ${leftovers.map(harmless).join(", ")}`])
  ].join("\n")
}
