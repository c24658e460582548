import * as Context from "effect/Context"

/** The option of each environment variable that a message of a start names. */
const optionNames: Readonly<Record<string, string>> = {
  ORGPLANE_DATABASE_URL: "database",
  ORGPLANE_DATA_DIR: "database.dataDir",
  ORGPLANE_SECRET_KEYS: "secretKeys",
  ORGPLANE_SIGNING_KEYS: "signingKeys",
  ORGPLANE_OUTBOUND_PROXY: "outbound.proxy",
  ORGPLANE_OUTBOUND_CA: "outbound.ca"
}

/** How settings are set: by the environment variables of the program, or by the options of a host application. */
export const SettingNames = Context.Reference<"variables" | "options">("@orgplane/server/config/SettingNames", {
  defaultValue: () => "options"
})

/** The message for a host application, which sets options instead of environment variables. */
export const namingOptions = (message: string): string =>
  message.replace(/(?<!orgplane-server: )ORGPLANE_[A-Z_]+/g, (name) =>
    Object.hasOwn(optionNames, name) ? `the option ${optionNames[name]}` : name
  )
