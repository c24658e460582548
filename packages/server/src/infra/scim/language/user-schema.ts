import { type Attribute, binary, boolean, complex, plural, reference, string } from "./attribute.ts"

/** RFC 7643 §4.1. */
export const userAttributes: ReadonlyArray<Attribute> = [
  string("userName", "The user's name in the directory. Unique in the directory, regardless of case.", {
    required: true,
    uniqueness: "server"
  }),
  complex("name", "The parts of the user's name.", [
    string("formatted", "The full name for display."),
    string("familyName", "Family name."),
    string("givenName", "Given name."),
    string("middleName", "Middle names."),
    string("honorificPrefix", "Title before the name."),
    string("honorificSuffix", "Suffix after the name.")
  ]),
  string("displayName", "The name shown to others."),
  string("nickName", "Informal name."),
  reference("profileUrl", "URL of the user's profile.", ["external"]),
  string("title", "Job title."),
  string("userType", "Relation to the organization, such as Employee or Contractor."),
  string("preferredLanguage", "Preferred languages, as in Accept-Language."),
  string("locale", "Locale for numbers, dates and money."),
  string("timezone", "Time zone, such as America/Los_Angeles."),
  boolean("active", "Whether the user is a member of the organization."),
  string("password", "Accepted, but neither stored nor used: people sign in with their identity provider.", {
    caseExact: true,
    mutability: "writeOnly",
    returned: "never"
  }),
  plural("emails", "Email addresses.", string("value", "The email address."), ["work", "home", "other"]),
  plural("phoneNumbers", "Telephone numbers.", string("value", "The number."), [
    "work",
    "home",
    "mobile",
    "fax",
    "pager",
    "other"
  ]),
  plural("ims", "Instant messaging addresses.", string("value", "The address."), [
    "aim",
    "gtalk",
    "icq",
    "xmpp",
    "msn",
    "skype",
    "qq",
    "yahoo"
  ]),
  plural("photos", "Pictures of the user.", reference("value", "URL of the picture.", ["external"]), [
    "photo",
    "thumbnail"
  ]),
  complex(
    "addresses",
    "Postal addresses.",
    [
      string("formatted", "The full address for display."),
      string("streetAddress", "Street and house number."),
      string("locality", "City."),
      string("region", "State or region."),
      string("postalCode", "Postal code."),
      string("country", "Two-letter country code of ISO 3166-1."),
      string("type", "The kind of address.", { canonicalValues: ["work", "home", "other"] }),
      boolean("primary", "Whether this is the preferred address. At most one address is primary.")
    ],
    { multiValued: true }
  ),
  complex(
    "groups",
    "The groups that the user belongs to. To change them, change the members of the groups.",
    [
      string("value", "The group's ID.", { caseExact: true, mutability: "readOnly" }),
      reference("$ref", "URL of the group.", ["Group"], { mutability: "readOnly" }),
      string("display", "The group's displayName.", { mutability: "readOnly" }),
      string("type", "Always direct: groups contain only users.", {
        canonicalValues: ["direct"],
        mutability: "readOnly"
      })
    ],
    { multiValued: true, mutability: "readOnly" }
  ),
  plural("entitlements", "The user's entitlements.", string("value", "The entitlement.")),
  plural("roles", "Roles in the directory. They have no effect on roles in orgplane.", string("value", "The role.")),
  plural("x509Certificates", "The user's certificates.", binary("value", "DER, as Base64."))
]

/** RFC 7643 §4.3. */
export const enterpriseAttributes: ReadonlyArray<Attribute> = [
  string("employeeNumber", "Employee number or ID in the organization."),
  string("costCenter", "Cost center."),
  string("organization", "Organization."),
  string("division", "Division."),
  string("department", "Department."),
  complex("manager", "The user's manager in the directory.", [
    string("value", "The manager's ID.", { caseExact: true }),
    reference("$ref", "URL of the manager.", ["User"]),
    string("displayName", "The manager's name.")
  ])
]
