const units = ["bytes", "kB", "MB", "GB", "TB"] as const

/** `999 bytes`, `12.5 MB` or `20 GB`, in decimal units. */
export const showBytes = (bytes: number): string => {
  let value = Math.max(0, bytes)
  let index = 0
  while (value >= 999.5 && index < units.length - 1) {
    value /= 1000
    index += 1
  }
  const digits = index === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2
  return `${Number(value.toFixed(digits))} ${units[index]}`
}

const factors: Readonly<Record<string, number>> = { "": 1, B: 1, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 }

/** The bytes of a text such as `50MB`, `1.5 GB` or `1000000`; undefined if it is malformed. */
export const parseBytes = (text: string): number | undefined => {
  const [, digits, unit = ""] = /^(\d{1,15}(?:\.\d{1,3})?) ?([kMGT]?B)?$/.exec(text) ?? []
  const factor = factors[unit]
  if (digits === undefined || factor === undefined) return undefined
  const bytes = Math.round(Number(digits) * factor)
  return Number.isSafeInteger(bytes) ? bytes : undefined
}
