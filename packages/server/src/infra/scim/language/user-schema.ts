import { type Attribute, binary, boolean, complex, plural, reference, string } from "./attribute.ts"

/** RFC 7643 §4.1. */
export const userAttributes: ReadonlyArray<Attribute> = [
  string("userName", "What the directory knows the user by; unique in the directory, whatever its case.", {
    required: true,
    uniqueness: "server"
  }),
  complex("name", "The parts of the user's name.", [
    string("formatted", "The whole name, as it is shown."),
    string("familyName", "Family name."),
    string("givenName", "Given name."),
    string("middleName", "Middle names."),
    string("honorificPrefix", "Title before the name."),
    string("honorificSuffix", "What follows the name.")
  ]),
  string("displayName", "The name that others see."),
  string("nickName", "What the user is called informally."),
  reference("profileUrl", "Where the user's profile is.", ["external"]),
  string("title", "Job title."),
  string("userType", "Relation to the organization, such as Employee or Contractor."),
  string("preferredLanguage", "Language tags in the user's order, as in Accept-Language."),
  string("locale", "Locale for numbers, dates and money."),
  string("timezone", "Time zone, as in America/Los_Angeles."),
  boolean("active", "Whether the user is a member of the organization."),
  string("password", "Taken, and neither kept nor used: people sign in with their identity provider.", {
    caseExact: true,
    mutability: "writeOnly",
    returned: "never"
  }),
  plural("emails", "Addresses for mail.", string("value", "The address."), ["work", "home", "other"]),
  plural("phoneNumbers", "Telephone numbers.", string("value", "The number."), [
    "work",
    "home",
    "mobile",
    "fax",
    "pager",
    "other"
  ]),
  plural("ims", "Addresses for instant messages.", string("value", "The address."), [
    "aim",
    "gtalk",
    "icq",
    "xmpp",
    "msn",
    "skype",
    "qq",
    "yahoo"
  ]),
  plural("photos", "Where pictures of the user are.", reference("value", "The picture's address.", ["external"]), [
    "photo",
    "thumbnail"
  ]),
  complex(
    "addresses",
    "Postal addresses.",
    [
      string("formatted", "The whole address, as it is shown."),
      string("streetAddress", "Street, house, and what is below them."),
      string("locality", "City."),
      string("region", "State or region."),
      string("postalCode", "Postal code."),
      string("country", "Country, two letters of ISO 3166-1."),
      string("type", "What sort of address this is.", { canonicalValues: ["work", "home", "other"] }),
      boolean("primary", "Whether this is the preferred one of the addresses; at most one is.")
    ],
    { multiValued: true }
  ),
  complex(
    "groups",
    "The groups that the user is in; changed through the groups.",
    [
      string("value", "The group's id.", { caseExact: true, mutability: "readOnly" }),
      reference("$ref", "Where the group is.", ["Group"], { mutability: "readOnly" }),
      string("display", "The group's displayName.", { mutability: "readOnly" }),
      string("type", "Always direct: groups hold users alone.", { canonicalValues: ["direct"], mutability: "readOnly" })
    ],
    { multiValued: true, mutability: "readOnly" }
  ),
  plural("entitlements", "What the user is entitled to.", string("value", "The entitlement.")),
  plural("roles", "Roles as the directory names them; they give no role here.", string("value", "The role.")),
  plural("x509Certificates", "Certificates of the user.", binary("value", "DER, in Base64."))
]

/** RFC 7643 §4.3. */
export const enterpriseAttributes: ReadonlyArray<Attribute> = [
  string("employeeNumber", "Number or name by which the organization knows the user."),
  string("costCenter", "Cost center."),
  string("organization", "Organization."),
  string("division", "Division."),
  string("department", "Department."),
  complex("manager", "The user's manager, as the directory says.", [
    string("value", "The manager's id.", { caseExact: true }),
    reference("$ref", "Where the manager's record is.", ["User"]),
    string("displayName", "The manager's name.")
  ])
]
