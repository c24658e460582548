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
  // The subject contains no names, because other people can choose them.
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
        : "An event could not be delivered for three days. Events wait until the endpoint is resumed."
      : "Its URL returned the status 410 (Gone). It receives no events until it is resumed.",
    "",
    "To see the failed deliveries:",
    "",
    `  orgplane webhook-endpoints list-messages ${stopped.id} --state pending`,
    "",
    "To resume it after you have repaired its receiver:",
    "",
    `  orgplane webhook-endpoints resume ${stopped.id}`,
    ""
  ].join("\n")
})
