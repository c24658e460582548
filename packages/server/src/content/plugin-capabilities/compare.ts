import type { CapabilityChange, CapabilityComparison, CapabilityElement } from "@orgplane/schema/plugin-capabilities"
import type { CapabilitySet } from "./analyze.ts"

const changesMax = 200

const labels: Readonly<Record<CapabilityElement["kind"], string>> = {
  component: "component",
  executable: "executable",
  hook: "hook",
  inline_command: "inline command",
  link: "link",
  network_host: "network host",
  server: "server",
  setting: "setting",
  tool: "tool",
  unknown: "unknown part",
  unparsable: "unreadable file"
}

const change = (
  verb: string,
  { id, kind, line, path, summary }: CapabilityElement,
  before?: CapabilityElement
): CapabilityChange => {
  const was = before === undefined || before.summary === summary ? "" : ` Before: ${before.summary}.`
  return { kind, id, sentence: `${verb} ${labels[kind]}: ${summary}.${was}`, path, line }
}

/**
 * How a set differs from an earlier one. Elements with the same digest are equal; of the others, those with the same
 * kind and id are the same element before and after a change.
 */
export const compareCapabilities = (
  before: Pick<CapabilitySet, "elements">,
  after: Pick<CapabilitySet, "elements">
): CapabilityComparison => {
  const keyOf = ({ digest, kind }: CapabilityElement) => `${kind}:${digest}`
  const [beforeKeys, afterKeys] = [new Set(before.elements.map(keyOf)), new Set(after.elements.map(keyOf))]
  const removedById = Map.groupBy(
    before.elements.filter((element) => !afterKeys.has(keyOf(element))),
    ({ id, kind }) => `${kind}:${id}`
  )
  const grew: Array<CapabilityChange> = []
  const changed: Array<CapabilityChange> = []
  for (const element of after.elements) {
    if (beforeKeys.has(keyOf(element))) continue
    const previous = removedById.get(`${element.kind}:${element.id}`)?.shift()
    if (previous === undefined) grew.push(change("New", element))
    else changed.push(change("Changed", element, previous))
  }
  const shrank = [...removedById.values()].flat().map((element) => change("Removed", element))
  return {
    needsReview: grew.length + changed.length > 0,
    grew: grew.slice(0, changesMax),
    changed: changed.slice(0, changesMax),
    shrank: shrank.slice(0, changesMax),
    truncated: [grew, changed, shrank].some(({ length }) => length > changesMax)
  }
}
