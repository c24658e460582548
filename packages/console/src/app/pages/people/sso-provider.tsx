/** The settings of the identity provider: OpenID Connect, or SAML 2.0 by metadata or by values. */
import type { SsoConnection } from "@orgplane/client"
import { type FormEvent, useState } from "react"
import { client } from "../../api/client.ts"
import { problemOf, reload } from "../../design/action.tsx"
import { Facts } from "../../design/facts.tsx"
import { Checkbox, SelectField, TextArea } from "../../design/fields.tsx"
import { useFormField, useFormVersion } from "../../design/form-version.ts"
import { notify } from "../../design/toast.tsx"
import { Badge, Button, Field, Notice, Time } from "../../design/ui.tsx"
import { useUnsaved } from "../../design/unsaved.ts"
import { roleOptions, useCustomRoles } from "./choices.tsx"
import { ProviderFailure } from "./sso-test.tsx"

interface Jit {
  readonly enabled: boolean
  readonly role: string
}

const JitFields = ({ jit, onChange }: { readonly jit: Jit; readonly onChange: (jit: Jit) => void }) => {
  const roles = useCustomRoles()
  return (
    <fieldset className="stack">
      <legend>People who are not members yet</legend>
      <Checkbox
        label="Let them join when they sign in"
        hint="Everyone to whom the provider assigns the application, with an address at a verified domain. Otherwise they need an invitation, or SCIM."
        isChecked={jit.enabled}
        onChange={(enabled) => onChange({ ...jit, enabled })}
      />
      {jit.enabled && (
        <SelectField
          label="Their role"
          options={roleOptions(roles, false)}
          value={jit.role}
          onChange={({ target }) => onChange({ ...jit, role: target.value })}
        />
      )}
    </fieldset>
  )
}

/** Sends the settings, and shows what the server or the provider rejected. */
const useSave = (onSaved: () => void) => {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const [hasInput, setHasInput] = useState(false)
  useUnsaved(hasInput, false)
  const save = async (event: FormEvent, work: () => Promise<unknown>) => {
    event.preventDefault()
    setBusy(true)
    setError(undefined)
    try {
      await work()
      notify("The identity provider was connected.")
      await reload(["sso"])
      onSaved()
    } catch (cause) {
      setError(cause)
    }
    setBusy(false)
  }
  return { error, isBusy, onInput: () => setHasInput(true), save }
}

const fields = ["issuer", "clientId", "clientSecret", "scopes", "metadata", "idpEntityId", "ssoUrl", "certificates"]

/** Whether a field of the form shows the problem. */
const isOwn = (error: unknown) => fields.some((field) => problemOf(error, field) !== undefined)

interface CurrentSettings {
  readonly connection: SsoConnection | null
  /** Undefined if there is no connection. */
  readonly version: string | undefined
}

interface FormProps extends CurrentSettings {
  readonly onSaved: () => void
}

const OidcForm = ({ connection, onSaved, version }: FormProps) => {
  const ifMatch = useFormVersion(version)
  const current = connection?.oidc ?? null
  const [issuer, setIssuer] = useFormField(current?.issuer ?? "")
  const [clientId, setClientId] = useFormField(current?.clientId ?? "")
  const [clientSecret, setClientSecret] = useState("")
  const [scopes, setScopes] = useFormField((current?.scopes ?? ["openid", "email", "profile"]).join(" "))
  const [jit, setJit] = useFormField<Jit>(connection?.jit ?? { enabled: false, role: "member" })
  const { error, isBusy, onInput, save } = useSave(onSaved)
  const work = () =>
    client.sso.putOidc(
      {
        issuer: issuer.trim(),
        clientId: clientId.trim(),
        ...(clientSecret === "" ? {} : { clientSecret }),
        scopes: scopes.split(/[\s,]+/).filter((each) => each !== ""),
        jit
      },
      { ifMatch }
    )
  return (
    <form className="stack people-form" onInput={onInput} onSubmit={(event) => void save(event, work)}>
      <Field
        label="Issuer"
        hint="The server reads its discovery document and keys at once."
        type="url"
        required
        minLength={8}
        maxLength={1024}
        placeholder="https://login.acme.com"
        value={issuer}
        problem={problemOf(error, "issuer")}
        onChange={({ target }) => setIssuer(target.value)}
      />
      <Field
        label="Client ID"
        required
        maxLength={512}
        autoComplete="off"
        value={clientId}
        problem={problemOf(error, "clientId")}
        onChange={({ target }) => setClientId(target.value)}
      />
      <Field
        label={current?.hasClientSecret === true ? "New client secret (optional)" : "Client secret (optional)"}
        hint={
          current?.hasClientSecret === true
            ? "The stored secret is kept if this is empty, as long as the issuer and the client stay the same."
            : "It is encrypted and never shown again. Without it, orgplane is a public client."
        }
        type="password"
        maxLength={2048}
        autoComplete="new-password"
        value={clientSecret}
        problem={problemOf(error, "clientSecret")}
        onChange={({ target }) => setClientSecret(target.value)}
      />
      <Field
        label="Scopes"
        required
        maxLength={1000}
        value={scopes}
        problem={problemOf(error, "scopes")}
        onChange={({ target }) => setScopes(target.value)}
      />
      <JitFields jit={jit} onChange={setJit} />
      {error !== undefined && !isOwn(error) && <ProviderFailure error={error} />}
      <div className="row">
        <Button permission="sso:write" kind="primary" type="submit" disabled={isBusy}>
          {isBusy ? "Contacting the provider…" : "Connect with OpenID Connect"}
        </Button>
      </div>
    </form>
  )
}

/** The limit of the API. */
const metadataLengthMax = 262_144

const certificatesOf = (text: string): ReadonlyArray<string> => {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g)
  return (
    blocks ??
    text
      .split(/\n\s*\n/)
      .map((each) => each.trim())
      .filter((each) => each !== "")
  )
}

const SamlForm = ({ connection, onSaved, version }: FormProps) => {
  const ifMatch = useFormVersion(version)
  const current = connection?.saml ?? null
  const [isMetadata, setIsMetadata] = useState(true)
  const [metadata, setMetadata] = useState("")
  const [idpEntityId, setEntityId] = useFormField(current?.idpEntityId ?? "")
  const [ssoUrl, setSsoUrl] = useFormField(current?.ssoUrl ?? "")
  const [certificates, setCertificates] = useState("")
  const [email, setEmail] = useFormField(current?.attributes.email ?? "")
  const [name, setName] = useFormField(current?.attributes.name ?? "")
  const [jit, setJit] = useFormField<Jit>(connection?.jit ?? { enabled: false, role: "member" })
  const { error, isBusy, onInput, save } = useSave(onSaved)
  const attributes = {
    ...(email.trim() === "" ? {} : { email: email.trim() }),
    ...(name.trim() === "" ? {} : { name: name.trim() })
  }
  const work = () =>
    client.sso.putSaml(
      {
        ...(isMetadata
          ? { metadata }
          : { idpEntityId: idpEntityId.trim(), ssoUrl: ssoUrl.trim(), certificates: certificatesOf(certificates) }),
        ...(Object.keys(attributes).length === 0 ? {} : { attributes }),
        jit
      },
      { ifMatch }
    )
  return (
    <form className="stack people-form" onInput={onInput} onSubmit={(event) => void save(event, work)}>
      <SelectField
        label="Settings of the provider"
        options={[
          ["metadata", "From its metadata file"],
          ["values", "Entered one by one"]
        ]}
        value={isMetadata ? "metadata" : "values"}
        onChange={({ target }) => setIsMetadata(target.value === "metadata")}
      />
      {isMetadata ? (
        <>
          <TextArea
            label="Metadata (XML)"
            hint="Paste it, or choose the file below. Its signature is not verified, so download it from a source that you trust."
            required
            rows={8}
            maxLength={metadataLengthMax}
            spellCheck={false}
            value={metadata}
            problem={problemOf(error, "metadata")}
            onChange={({ target }) => setMetadata(target.value)}
          />
          <Field
            label="Metadata file"
            type="file"
            accept=".xml,text/xml,application/xml,application/samlmetadata+xml"
            onChange={({ target }) => {
              const file = target.files?.item(0)
              if (file && file.size <= metadataLengthMax) void file.text().then(setMetadata)
              else if (file) notify("The file is larger than 256 KiB.", "warn")
            }}
          />
        </>
      ) : (
        <>
          <Field
            label="Entity ID of the provider"
            required
            maxLength={1024}
            value={idpEntityId}
            problem={problemOf(error, "idpEntityId")}
            onChange={({ target }) => setEntityId(target.value)}
          />
          <Field
            label="Sign-in URL"
            hint="For the HTTP-Redirect binding."
            type="url"
            required
            minLength={8}
            maxLength={2048}
            value={ssoUrl}
            problem={problemOf(error, "ssoUrl")}
            onChange={({ target }) => setSsoUrl(target.value)}
          />
          <TextArea
            label="Signing certificates"
            hint="PEM, or its base64 content with an empty line between certificates. Enter the old and the new one to rotate without interrupting sign-ins."
            required
            rows={6}
            maxLength={140_000}
            spellCheck={false}
            value={certificates}
            problem={problemOf(error, "certificates")}
            onChange={({ target }) => setCertificates(target.value)}
          />
        </>
      )}
      <details>
        <summary>Names of attributes</summary>
        <div className="people-columns">
          <Field
            label="Email address (optional)"
            hint="Default: common names, such as email and mail."
            maxLength={255}
            value={email}
            problem={problemOf(error, "email")}
            onChange={({ target }) => setEmail(target.value)}
          />
          <Field
            label="Name (optional)"
            hint="Default: common names, such as displayName."
            maxLength={255}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        </div>
      </details>
      <JitFields jit={jit} onChange={setJit} />
      {error !== undefined && !isOwn(error) && <ProviderFailure error={error} />}
      <div className="row">
        <Button permission="sso:write" kind="primary" type="submit" disabled={isBusy}>
          Connect with SAML
        </Button>
      </div>
    </form>
  )
}

const Current = ({ connection }: { readonly connection: SsoConnection }) => {
  const { jit, oidc, saml } = connection
  return (
    <Facts
      rows={[
        ...(oidc === null
          ? []
          : ([
              ["Issuer", oidc.issuer],
              ["Client ID", oidc.clientId],
              ["Client secret", oidc.hasClientSecret ? "stored" : "none (public client)"],
              ["Scopes", oidc.scopes.join(" ")]
            ] as const)),
        ...(saml === null
          ? []
          : ([
              ["Entity ID", saml.idpEntityId],
              ["Sign-in URL", saml.ssoUrl],
              [
                "Certificates",
                <ul className="facts" key="certificates">
                  {saml.certificates.map(({ notAfter, sha256, subject }) => (
                    <li key={sha256}>
                      {subject}, {Date.parse(notAfter) < Date.now() ? <Badge tone="warn">expired</Badge> : "expires"}{" "}
                      <Time at={notAfter} />
                      <br />
                      <code className="muted">{sha256}</code>
                    </li>
                  ))}
                </ul>
              ]
            ] as const)),
        ["Joining", jit.enabled ? "people join at their first sign-in" : "people need an invitation or SCIM"]
      ]}
    />
  )
}

export const ProviderSettings = ({ connection, version }: CurrentSettings) => {
  // The form for a first connection stays open if someone else adds one.
  const [isEditing, setEditing] = useState(connection === null)
  const [protocol, setProtocol] = useState<"oidc" | "saml">(connection?.protocol ?? "oidc")
  if (connection !== null && !isEditing) {
    return (
      <>
        <Current connection={connection} />
        <div className="row">
          <Button permission="sso:write" onClick={() => setEditing(true)}>
            Change the settings
          </Button>
        </div>
      </>
    )
  }
  const close = () => setEditing(false)
  return (
    <>
      {connection !== null && (
        <Notice tone="warn" title="What a change interrupts">
          <span>
            Another issuer, client, entity ID or sign-in URL makes a new connection: it is disabled until it is tested
            and enabled again, and people who signed in through the old one are signed out. Changes of the secret,
            scopes, certificates, attributes and joining interrupt nothing.
          </span>
        </Notice>
      )}
      <div className="people-form">
        <SelectField
          label="Protocol"
          options={[
            ["oidc", "OpenID Connect"],
            ["saml", "SAML 2.0"]
          ]}
          value={protocol}
          onChange={({ target }) => setProtocol(target.value === "saml" ? "saml" : "oidc")}
        />
      </div>
      {protocol === "oidc" ? (
        <OidcForm connection={connection} version={version} onSaved={close} />
      ) : (
        <SamlForm connection={connection} version={version} onSaved={close} />
      )}
      {connection !== null && (
        <div className="row">
          <Button kind="quiet" onClick={close}>
            Keep the current settings
          </Button>
        </div>
      )}
    </>
  )
}
