import { parseBytes } from "../storage/bytes.ts"

export const storageQuotaDefaults: Readonly<Record<string, number | "unlimited">> = {
  unclaimed: 50_000_000,
  default: 20_000_000_000
}

const plansMax = 100

/** Reads `free=1GB` and `enterprise=unlimited`; undefined if an entry is malformed. */
export const parseStorageQuotas = (
  entries: ReadonlyArray<string>
): Readonly<Record<string, number | "unlimited">> | undefined => {
  const quotas: Record<string, number | "unlimited"> = {}
  for (const entry of entries) {
    const [plan = "", quota = "", ...others] = entry.split("=").map((part) => part.trim())
    const bytes = quota === "unlimited" ? quota : parseBytes(quota)
    if (plan === "" || others.length > 0 || bytes === undefined || Object.hasOwn(quotas, plan)) return undefined
    quotas[plan] = bytes
  }
  return Object.keys(quotas).length > plansMax ? undefined : quotas
}

/** Throws an error that names the first malformed quota. */
export const checkStorageQuotas = (quotas: unknown): void => {
  if (quotas === undefined) return
  if (typeof quotas !== "object" || quotas === null || Array.isArray(quotas)) {
    throw new TypeError("The option storageQuotas must be an object with a number of bytes for each plan.")
  }
  for (const [plan, quota] of Object.entries(quotas)) {
    if (quota !== "unlimited" && !(Number.isSafeInteger(quota) && Number(quota) >= 0)) {
      throw new TypeError(`The option storageQuotas.${plan} must be a whole number of bytes, or "unlimited".`)
    }
  }
}
