import type { Mail } from "../../infra/ports/mailer.ts"

/** A name that a user chose, on one line. */
const oneLine = (text: string) => text.replace(/[\p{C}\p{Z}\s]+/gu, " ").trim()

/** The email about an endpoint that receives no more events. */
export const stoppedEmail = (stopped: {
  readonly to: string
  readonly organizationName: string
  readonly endpointName: string
  readonly id: string
  readonly state: "paused" | "disabled"
  readonly isSecretLost: boolean
}): Mail => ({
  to: stopped.to,
  // A subject without names: other people can choose the names.
  subject:
    stopped.state === "paused"
      ? "A webhook endpoint on orgplane was paused"
      : "A webhook endpoint on orgplane was disabled",
  text: [
    "Hello,",
    "",
    `The webhook endpoint ${oneLine(stopped.endpointName)} of ${oneLine(stopped.organizationName)} was ${stopped.state}.`,
    stopped.state === "paused"
      ? stopped.isSecretLost
        ? "The server can no longer decrypt its secret. Rotate the secret. Events wait until the endpoint is resumed."
        : "Every delivery to it failed for three days. Events wait until it is resumed."
      : "Its URL returned the status 410 (Gone). It receives no events until it is resumed.",
    "",
    "To see the failed deliveries:",
    "",
    `  orgplane webhook-endpoints list-messages ${stopped.id} --state pending`,
    "",
    "To resume it after its receiver was repaired:",
    "",
    `  orgplane webhook-endpoints resume ${stopped.id}`,
    ""
  ].join("\n")
})
