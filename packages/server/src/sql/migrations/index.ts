import m0001 from "./0001_identity.ts"
import m0002 from "./0002_records.ts"
import m0003 from "./0003_content.ts"
import m0004 from "./0004_connectors.ts"
import m0005 from "./0005_row_security.ts"
import m0006 from "./0006_signing_keys.ts"
import m0007 from "./0007_sign_in.ts"
import m0008 from "./0008_keys_and_roles.ts"
import m0009 from "./0009_audit_chain.ts"

/** Every migration there was, in order: one that has run somewhere is never changed again. */
export const migrations = {
  "0001_identity": m0001,
  "0002_records": m0002,
  "0003_content": m0003,
  "0004_connectors": m0004,
  "0005_row_security": m0005,
  "0006_signing_keys": m0006,
  "0007_sign_in": m0007,
  "0008_keys_and_roles": m0008,
  "0009_audit_chain": m0009
}
