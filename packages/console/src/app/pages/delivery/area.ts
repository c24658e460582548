import type { Area } from "../../area.ts"

export const delivery: Area = {
  title: "Delivery",
  entries: [
    { to: "/assignments", name: "Assignments", permission: "assignments:read" },
    { to: "/rollouts", name: "Rollouts", permission: "rollouts:read" },
    { to: "/rings", name: "Rings", permission: "rollouts:read" },
    { to: "/fleet", name: "Fleet", permission: "delivery:read" },
    { to: "/desktop-policies", name: "Desktop policies", permission: "desktopPolicies:read" },
    { to: "/access", name: "Access" },
    { to: "/llm-providers", name: "LLM providers", also: "/models", permission: "llmProviders:read" }
  ],
  pages: {
    "/assignments": () => import("./assignments.tsx"),
    "/assignments/$assignmentId": () => import("./assignment.tsx"),
    "/rollouts": () => import("./rollouts.tsx"),
    "/rollouts/$rolloutId": () => import("./rollout.tsx"),
    "/rings": () => import("./rings.tsx"),
    "/fleet": () => import("./fleet.tsx"),
    "/fleet/members/$orgMembershipId": () => import("./person.tsx"),
    "/fleet/devices/$orgMembershipId/$deviceId": () => import("./device.tsx"),
    "/desktop-policies": () => import("./desktop-policies.tsx"),
    "/desktop-policies/$desktopPolicyId": () => import("./desktop-policy.tsx"),
    "/llm-providers": () => import("./llm-providers.tsx"),
    "/llm-providers/$llmProviderId": () => import("./llm-provider.tsx"),
    "/models": () => import("./models.tsx"),
    "/access": () => import("./access.tsx")
  }
}
