/** Verified domains, single sign-on, SCIM provisioning, desktop policies. */
import * as domains from "./domains/module.ts"

export const layer = domains.layer

export const workers = [...domains.workers]
