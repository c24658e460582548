import {
  type CapabilityChange,
  type CapabilityComparison,
  type CapabilityElement,
  comparedSignalsMax,
  type Signal,
  type SignalRule
} from "@orgplane/schema/plugin-capabilities"
import { type CapabilitySet, elementKey } from "./analyze.ts"
import { show } from "./elements.ts"

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

const namesOf = (hosts: ReadonlyArray<string>) => show([...hosts].sort().join(", "), 300)

/**
 * The signal that a new or changed element names hosts that its earlier form did not name. A new element is compared
 * with all hosts of the earlier version, so that renaming a server or a hook does not hide another host.
 */
const changedHost = (
  { line, path, summary }: CapabilityElement,
  hosts: ReadonlyArray<string>,
  earlier: { readonly hosts: ReadonlyArray<string>; readonly isSameElement: boolean }
): ReadonlyArray<Signal> => {
  const others = hosts.filter((host) => !earlier.hosts.includes(host))
  if (others.length === 0) return []
  const was = !earlier.isSameElement ? "not named" : earlier.hosts.length === 0 ? "none" : namesOf(earlier.hosts)
  const message = `The update names another network host: ${namesOf(others)}. Before: ${was}. Element: ${summary}.`
  return [{ rule: "changed_host", path, line, message }]
}

/**
 * At most `max` items in their order. Every kind keeps its first items, so that many items of one kind cannot hide those
 * of another.
 */
const limited = <A>(items: ReadonlyArray<A>, max: number, kindOf: (item: A) => string): ReadonlyArray<A> => {
  if (items.length <= max) return items
  const counts = new Map<string, number>()
  const places = items.map((item, index) => {
    const place = counts.get(kindOf(item)) ?? 0
    counts.set(kindOf(item), place + 1)
    return { index, place }
  })
  const kept = new Set(
    places
      .sort((a, b) => a.place - b.place || a.index - b.index)
      .slice(0, max)
      .map(({ index }) => index)
  )
  return items.filter((_, index) => kept.has(index))
}

/**
 * How a set differs from an earlier one; undefined if there is no earlier version. Elements with the same digest are
 * equal; of the others, those with the same kind and id are the same element before and after a change.
 */
export const compareCapabilities = (
  before: CapabilitySet | undefined,
  after: CapabilitySet,
  isEnabled: (rule: SignalRule) => boolean = () => true
): CapabilityComparison => {
  const earlier = before?.elements ?? []
  const [beforeKeys, afterKeys] = [new Set(earlier.map(elementKey)), new Set(after.elements.map(elementKey))]
  const removedById = Map.groupBy(
    earlier.filter((element) => !afterKeys.has(elementKey(element))),
    ({ id, kind }) => `${kind}:${id}`
  )
  const allHosts = [...new Set([...(before?.hosts.values() ?? [])].flat())]
  const grew: Array<CapabilityChange> = []
  const changed: Array<CapabilityChange> = []
  const hostSignals: Array<Signal> = []
  for (const element of after.elements) {
    const key = elementKey(element)
    if (beforeKeys.has(key)) continue
    const previous = removedById.get(`${element.kind}:${element.id}`)?.shift()
    if (previous === undefined) grew.push(change("New", element))
    else changed.push(change("Changed", element, previous))
    if (before !== undefined && isEnabled("changed_host")) {
      const earlierHosts = previous === undefined ? allHosts : (before.hosts.get(elementKey(previous)) ?? [])
      hostSignals.push(
        ...changedHost(element, after.hosts.get(key) ?? [], {
          hosts: earlierHosts,
          isSameElement: previous !== undefined
        })
      )
    }
  }
  const shrank = [...removedById.values()].flat().map((element) => change("Removed", element))
  const earlierSignals = new Set(before?.signals.map((signal) => JSON.stringify(signal)))
  const signals = [
    ...hostSignals,
    ...after.signals.filter((signal) => isEnabled(signal.rule) && !earlierSignals.has(JSON.stringify(signal)))
  ]
  return {
    needsReview: grew.length + changed.length > 0,
    grew: limited(grew, changesMax, ({ kind }) => kind),
    changed: limited(changed, changesMax, ({ kind }) => kind),
    shrank: limited(shrank, changesMax, ({ kind }) => kind),
    truncated: [grew, changed, shrank].some(({ length }) => length > changesMax) || signals.length > comparedSignalsMax,
    signals: limited(signals, comparedSignalsMax, ({ rule }) => rule)
  }
}
