/** Reads the Prometheus text format. */

export interface Sample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** The samples of each metric by its name, such as `orgplane_workers`. */
export type Samples = ReadonlyMap<string, ReadonlyArray<Sample>>

const line = /^([A-Za-z_:][A-Za-z0-9_:]*)(?:\{([^}]*)\})? (\S+)/u
const label = /([A-Za-z_]\w*)="((?:[^"\\]|\\.)*)"/gu

export const parseMetrics = (text: string): Samples => {
  const samples = new Map<string, Array<Sample>>()
  for (const row of text.split("\n")) {
    const [, name, labels = "", value = ""] = line.exec(row) ?? []
    if (name === undefined) continue
    const sample = {
      labels: Object.fromEntries([...labels.matchAll(label)].map(([, key = "", content = ""]) => [key, content])),
      value: Number(value)
    }
    const existing = samples.get(name)
    if (existing === undefined) samples.set(name, [sample])
    else existing.push(sample)
  }
  return samples
}

type Selector = Readonly<Record<string, string>>

const matches = ({ labels }: Sample, selector: Selector): boolean =>
  Object.entries(selector).every(([name, value]) => labels[name] === value)

/** The sum of the samples with these labels; 0 if there are none. */
export const sumOf = (samples: Samples, name: string, selector: Selector = {}): number =>
  (samples.get(name) ?? []).reduce((sum, sample) => (matches(sample, selector) ? sum + sample.value : sum), 0)

/** The values of a label. */
export const valuesOf = (samples: Samples, name: string, label: string): ReadonlyArray<string> => [
  ...new Set((samples.get(name) ?? []).map(({ labels }) => labels[label] ?? ""))
]

/** The first sample's value of a label. */
export const labelOf = (samples: Samples, name: string, label: string): string | undefined =>
  samples.get(name)?.[0]?.labels[label]
