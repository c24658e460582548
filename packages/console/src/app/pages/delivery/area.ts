import type { Area } from "../../area.ts"

export const delivery: Area = {
  title: "Delivery",
  entries: [
    { to: "/assignments", name: "Assignments" },
    { to: "/rollouts", name: "Rollouts" },
    { to: "/rings", name: "Rings" },
    { to: "/fleet", name: "Fleet" },
    { to: "/desktop-policies", name: "Desktop policies" },
    { to: "/access", name: "Access" },
    { to: "/llm-providers", name: "LLM providers" }
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
