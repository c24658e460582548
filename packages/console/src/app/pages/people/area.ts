import type { Area } from "../../area.ts"

export const people: Area = {
  title: "People",
  entries: [
    { to: "/members", name: "Members" },
    { to: "/invitations", name: "Invitations" },
    { to: "/teams", name: "Teams" },
    { to: "/roles", name: "Roles" },
    { to: "/api-keys", name: "API keys" },
    { to: "/sso", name: "Single sign-on" },
    { to: "/scim", name: "SCIM directories" },
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
