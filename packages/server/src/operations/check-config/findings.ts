/** The findings of the checks of one service. */
import { finding, type Finding } from "../report.ts"

export const ok = (check: string, message: string): Finding => finding(check, "ok", message)
export const warned = (check: string, message: string, fix: string): Finding => finding(check, "warning", message, fix)
export const failed = (check: string, message: string, fix?: string): Finding => finding(check, "failed", message, fix)
export const unset = (check: string, message: string): Finding => finding(check, "skipped", message)
