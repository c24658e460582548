/** The definition of an attribute (RFC 7643 §7). */
export interface Attribute {
  readonly name: string
  readonly type: "string" | "boolean" | "reference" | "binary" | "dateTime" | "complex"
  readonly multiValued: boolean
  readonly description: string
  readonly required: boolean
  readonly caseExact: boolean
  readonly mutability: "readOnly" | "readWrite" | "immutable" | "writeOnly"
  readonly returned: "always" | "never" | "default" | "request"
  readonly uniqueness: "none" | "server" | "global"
  readonly canonicalValues?: ReadonlyArray<string>
  readonly referenceTypes?: ReadonlyArray<string>
  readonly subAttributes?: ReadonlyArray<Attribute>
}

type Traits = Partial<Omit<Attribute, "name" | "description" | "type" | "subAttributes">>

const attribute = (
  type: Attribute["type"],
  caseExact: boolean,
  name: string,
  description: string,
  traits: Traits
): Attribute => ({
  name,
  type,
  multiValued: false,
  description,
  required: false,
  caseExact,
  mutability: "readWrite",
  returned: "default",
  uniqueness: "none",
  ...traits
})

export const string = (name: string, description: string, traits: Traits = {}): Attribute =>
  attribute("string", false, name, description, traits)

export const boolean = (name: string, description: string, traits: Traits = {}): Attribute =>
  attribute("boolean", false, name, description, traits)

export const dateTime = (name: string, description: string, traits: Traits = {}): Attribute =>
  attribute("dateTime", false, name, description, traits)

export const binary = (name: string, description: string, traits: Traits = {}): Attribute =>
  attribute("binary", true, name, description, traits)

export const reference = (
  name: string,
  description: string,
  referenceTypes: ReadonlyArray<string>,
  traits: Traits = {}
): Attribute => attribute("reference", true, name, description, { referenceTypes, ...traits })

export const complex = (
  name: string,
  description: string,
  subAttributes: ReadonlyArray<Attribute>,
  traits: Traits = {}
): Attribute => ({ ...attribute("complex", false, name, description, traits), subAttributes })

/** A multi-valued attribute with the usual sub-attributes: value, display, type and primary. */
export const plural = (
  name: string,
  description: string,
  value: Attribute,
  canonicalTypes: ReadonlyArray<string> = []
): Attribute =>
  complex(
    name,
    description,
    [
      value,
      string("display", "A human-readable name."),
      string("type", "The kind of value.", canonicalTypes.length === 0 ? {} : { canonicalValues: canonicalTypes }),
      boolean("primary", "Whether this is the preferred value. At most one value is primary.")
    ],
    { multiValued: true }
  )
