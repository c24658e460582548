/** Renders a SCIM conformance report: one line per request, followed by the unexpected parts of its response. */
import type { Outcome, StepResult } from "../scim-conformance/run.ts"
import type { Sequence } from "../scim-conformance/sequence.ts"
import { paint, type TextStyle } from "./access-explanation.ts"
import { escapeControls } from "./escape.ts"

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
    .map(escapeControls)
    .join("\t")

/** Decodes a path for display. */
const readable = (path: string): string => {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

const stepLines = (step: StepResult, style: TextStyle): ReadonlyArray<string> => {
  const { color, fine, plain } = marks[step.result]
  const mark = paint(style, color, style.unicode ? fine : plain)
  const status = step.got.status === null ? "" : ` ${step.got.status}`
  const request =
    step.path === "" ? "" : paint(style, faint, `  ${step.method} ${escapeControls(readable(step.path))}${status}`)
  return [
    `  ${mark} ${step.title}${request}`,
    ...step.faults.map((fault) =>
      paint(style, step.result === "skipped" ? yellow : red, `      ${escapeControls(fault)}`)
    )
  ]
}

const count = (steps: ReadonlyArray<StepResult>, result: StepResult["result"]) =>
  steps.filter((step) => step.result === result).length

export const conformanceReport = (
  { leftovers, steps }: Outcome,
  sequences: ReadonlyArray<Sequence>,
  style: TextStyle
): string => {
  const [failed, skipped] = [count(steps, "failed"), count(steps, "skipped")]
  const rest = [...(failed === 0 ? [] : [`${failed} failed`]), ...(skipped === 0 ? [] : [`${skipped} skipped`])]
  const summary = `${count(steps, "ok")} of ${steps.length} requests returned the expected response${rest.length === 0 ? "" : `; ${rest.join(", ")}`}.`
  return [
    ...sequences.flatMap(({ provider, title }) => {
      const providerSteps = steps.filter((step) => step.provider === provider)
      return providerSteps.length === 0
        ? []
        : [paint(style, bold, title), ...providerSteps.flatMap((step) => stepLines(step, style)), ""]
    }),
    paint(style, failed + skipped === 0 ? green : red, summary),
    ...(leftovers.length === 0 ? [] : [`Not removed: ${leftovers.map(escapeControls).join(", ")}`])
  ].join("\n")
}
