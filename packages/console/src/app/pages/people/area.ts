import type { Area } from "../../area.ts"

export const people: Area = {
  title: "People",
  entries: [
    { to: "/members", name: "Members", permission: "members:read" },
    { to: "/invitations", name: "Invitations", permission: "invitations:read" },
    { to: "/teams", name: "Teams", permission: "teams:read" },
    { to: "/roles", name: "Roles", permission: "roles:read" },
    { to: "/api-keys", name: "API keys", permission: "apiKeys:read" },
    { to: "/sso", name: "Single sign-on", permission: "sso:read" },
    { to: "/scim", name: "SCIM directories", permission: "scim:read" },
    { to: "/organization", name: "Organization" },
    { to: "/me", name: "Your account" }
  ],
  pages: {
    "/members": () => import("./members.tsx"),
    "/members/$orgMembershipId": () => import("./member.tsx"),
    "/invitations": () => import("./invitations.tsx"),
    "/invitations/import": () => import("./invite-file.tsx"),
    "/invitations/accept": () => import("./accept.tsx"),
    "/invitations/$invitationId": () => import("./invitation.tsx"),
    "/teams": () => import("./teams.tsx"),
    "/teams/$teamId": () => import("./team.tsx"),
    "/roles": () => import("./roles.tsx"),
    "/roles/matrix": () => import("./role-matrix.tsx"),
    "/roles/$roleId": () => import("./role.tsx"),
    "/api-keys": () => import("./api-keys.tsx"),
    "/api-keys/$apiKeyId": () => import("./api-key.tsx"),
    "/sso": () => import("./sso.tsx"),
    "/scim": () => import("./scim.tsx"),
    "/scim/$scimDirectoryId": () => import("./scim-directory.tsx"),
    "/organization": () => import("./organization.tsx"),
    "/organization/new": () => import("./organization-create.tsx"),
    "/me": () => import("./me.tsx")
  }
}
