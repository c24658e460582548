/** Templates and their parts for tests. */
import type { TestResponse, Person } from "../harness.ts"

let count = 0
export const someTemplate = (): string => `Template ${(count += 1)}`

export const variable = (name: string, more: object = {}) => ({ name, label: name, format: "text", ...more })

/** A content with a skill and a settings file, with three variables. */
export const reviewer = {
  plugin: { name: "{{ team }} reviewer", description: "Reviews what {{ team }} writes" },
  objects: [
    {
      type: "skill",
      rawSourceText:
        "---\nname: {{ slug }}\ndescription: Reviews code of {{ team }}\n---\n\n# Review\n\nAsk {{ contact }}, not ${{{{ env }}.\n",
      metadata: { relativePath: "skills/{{ slug }}/SKILL.md" }
    },
    {
      type: "mcp",
      rawSourceText:
        '{"mcpServers":{"board":{"url":"https://{{ slug }}.example/mcp","headers":{"x-team":"{{ team }}"}}}}',
      metadata: { fileName: ".mcp.json" }
    },
    { type: "context", normalizedPayloadJson: { team: "{{team}}", list: ["{{ contact }}", 1, null] } }
  ],
  variables: [
    { name: "team", label: "Team", required: true },
    { name: "slug", label: "Name of the skill", format: "slug", required: true },
    { name: "contact", label: "Whom to ask", default: "the lead" }
  ]
}

export const createTemplate = (person: Person, content: object, name = someTemplate()): Promise<TestResponse> =>
  person.call("POST", "/v1/templates", { name, content })

/** The template's id; a rejected request fails the test. */
export const makeTemplate = async (
  person: Person,
  content: object = reviewer
): Promise<{ id: string; versionId: string }> => {
  const response = await createTemplate(person, content)
  if (response.status !== 201) throw new Error(`${response.status} ${response.text}`)
  return { id: response.body.template.id, versionId: response.body.version.id }
}
