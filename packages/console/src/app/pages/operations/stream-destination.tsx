/** Where an event stream sends events: the values of the form, and the destination that they are. */
import type { EventStreamDestination, EventStreamTarget } from "@orgplane/client"
import { useState } from "react"
import { SelectField, TextArea } from "../../design/fields.tsx"
import { useFormField } from "../../design/form-version.ts"
import { Field } from "../../design/ui.tsx"

export const destinationText = (destination: EventStreamDestination): string =>
  destination.kind === "s3" ? `${destination.endpoint}/${destination.bucket}/${destination.prefix}` : destination.url

const kinds = {
  https: "HTTPS, a line for each event",
  splunk: "Splunk HTTP Event Collector",
  s3: "S3-compatible object storage",
  otlp: "OpenTelemetry collector (OTLP over HTTP)"
} as const

type Kind = keyof typeof kinds

const isKind = (value: string): value is Kind => value in kinds

export interface DestinationValues {
  readonly kind: Kind
  readonly url: string
  readonly region: string
  readonly bucket: string
  readonly prefix: string
  readonly accessKeyId: string
  /** The token, the secret key, or the headers, one in each line. Empty keeps the secret. */
  readonly secret: string
}

const valuesOf = (destination: EventStreamDestination | undefined): DestinationValues => {
  const empty = { kind: "https" as const, url: "", region: "", bucket: "", prefix: "", accessKeyId: "", secret: "" }
  if (destination === undefined) return empty
  if (destination.kind === "s3") {
    const { accessKeyId, bucket, endpoint, prefix, region } = destination
    return { ...empty, kind: "s3", url: endpoint, region, bucket, prefix, accessKeyId }
  }
  const kind = destination.kind === "otlp" ? "otlp" : destination.format === "splunk_hec" ? "splunk" : "https"
  return { ...empty, kind, url: destination.url }
}

/** Lines such as `Authorization: Bearer …` as headers. */
const headersOf = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line.includes(":"))
      .map((line) => [line.slice(0, line.indexOf(":")).trim(), line.slice(line.indexOf(":") + 1).trim()])
  )

export const targetOf = (values: DestinationValues): EventStreamTarget => {
  const { accessKeyId, bucket, kind, prefix, region, url } = values
  const secret = values.secret.trim()
  switch (kind) {
    case "s3":
      return {
        kind,
        endpoint: url,
        region,
        bucket,
        accessKeyId,
        ...(prefix === "" ? {} : { prefix }),
        ...(secret === "" ? {} : { secretAccessKey: secret })
      }
    case "otlp":
      return { kind, url, ...(secret === "" ? {} : { headers: headersOf(secret) }) }
    default:
      return {
        kind: "https",
        url,
        format: kind === "splunk" ? "splunk_hec" : "ndjson",
        ...(secret === "" ? {} : { token: secret })
      }
  }
}

/** Whether the secret is kept if it is not typed again. */
export const keepsSecret = (before: DestinationValues, after: DestinationValues): boolean =>
  (before.kind === "s3") === (after.kind === "s3") &&
  (before.kind === "otlp") === (after.kind === "otlp") &&
  before.url === after.url &&
  (after.kind !== "s3" || before.bucket === after.bucket)

/** The values of a form, and those that it started with. */
export const useDestination = (destination: EventStreamDestination | undefined) => {
  const current = valuesOf(destination)
  const [before] = useFormField(current)
  const [kind, setKind] = useFormField(current.kind)
  const [url, setUrl] = useFormField(current.url)
  const [region, setRegion] = useFormField(current.region)
  const [bucket, setBucket] = useFormField(current.bucket)
  const [prefix, setPrefix] = useFormField(current.prefix)
  const [accessKeyId, setAccessKeyId] = useFormField(current.accessKeyId)
  const [typed, setTyped] = useState({ secret: "", before })
  // If someone else has changed the destination, it does not get the secret that was typed for the one before.
  const secret = keepsSecret(typed.before, before) ? typed.secret : ""
  const setValues = (next: DestinationValues) => {
    setKind(next.kind)
    setUrl(next.url)
    setRegion(next.region)
    setBucket(next.bucket)
    setPrefix(next.prefix)
    setAccessKeyId(next.accessKeyId)
    setTyped({ secret: next.secret, before })
  }
  return { before, setValues, values: { kind, url, region, bucket, prefix, accessKeyId, secret } }
}

export const DestinationFields = ({
  hasSecret,
  onChange,
  problem,
  values
}: {
  readonly values: DestinationValues
  readonly onChange: (values: DestinationValues) => void
  readonly problem: (field: string) => string | undefined
  /** Whether the stream has a secret that is kept. */
  readonly hasSecret: boolean
}) => {
  const text = (field: keyof DestinationValues) => ({
    value: values[field],
    maxLength: 2048,
    spellCheck: false,
    autoComplete: "off",
    onChange: (event: { readonly target: { readonly value: string } }) =>
      onChange({ ...values, [field]: event.target.value })
  })
  const kept = hasSecret ? { hint: "Leave it empty to keep the current one." } : {}
  return (
    <>
      <SelectField
        label="Destination"
        value={values.kind}
        options={Object.entries(kinds)}
        onChange={({ target }) => isKind(target.value) && onChange({ ...values, kind: target.value })}
      />
      <Field
        label={values.kind === "s3" ? "URL of the S3 API" : "URL"}
        hint="It must use https and a public address."
        type="url"
        required
        problem={problem(values.kind === "s3" ? "endpoint" : "url")}
        {...text("url")}
      />
      {values.kind === "s3" && (
        <>
          <Field label="Region" required problem={problem("region")} {...text("region")} />
          <Field label="Bucket" required problem={problem("bucket")} {...text("bucket")} />
          <Field label="Prefix (optional)" hint="The start of the names of the objects." {...text("prefix")} />
          <Field label="Access key ID" required problem={problem("accessKeyId")} {...text("accessKeyId")} />
          <Field
            label="Secret access key"
            type="password"
            required={!hasSecret}
            problem={problem("secretAccessKey")}
            {...kept}
            {...text("secret")}
          />
        </>
      )}
      {values.kind === "otlp" && (
        <TextArea
          label="Headers (optional)"
          hint={`One per line, such as "Authorization: Bearer …". ${hasSecret ? "Leave it empty to keep the current ones." : ""}`}
          rows={3}
          problem={problem("headers")}
          {...text("secret")}
        />
      )}
      {(values.kind === "https" || values.kind === "splunk") && (
        <Field
          label={values.kind === "splunk" ? "Token" : "Token (optional)"}
          type="password"
          problem={problem("token")}
          {...kept}
          {...text("secret")}
        />
      )}
    </>
  )
}
