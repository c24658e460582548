import { describe, expect, it } from "vitest"
import { canonicalJson } from "../../infra/canonical-json.ts"
import { lineOf } from "./feed-lines.ts"

const event = {
  id: "aud_01kf0x5me8e6razepq180mhf01",
  organization_id: "org_01kf0x5me8e6razepq180mhf01",
  action: "plugin.add_object",
  actor_kind: "session",
  actor_id: "om_01kf0x5me8e6razepq180mhf01",
  credential_id: "ses_01kf0x5me8e6razepq180mhf01",
  target_id: "plg_01kf0x5me8e6razepq180mhf01",
  request_id: 'a "quoted" \u2028 request',
  address: "192.0.2.1",
  user_agent: null,
  before_text: null,
  after_text: '{"z": 1.50, "a": {"b": [null, "ü", {"d": 1, "c": 2}]}, "é": true, "10": 1, "9": 2}',
  payload_digest: null,
  created_micros: "1768469400123456",
  txid: "1"
}

describe("the line of an event", () => {
  it("is canonical JSON with the content of the event", () => {
    const link = { sequence: 7, previous: "0".repeat(64) }
    const { text: line } = lineOf(event, link, "a seal")
    expect(line).toBe(canonicalJson(JSON.parse(line)))
    expect(JSON.parse(line)).toEqual({
      version: 2,
      kind: "event",
      organizationId: event.organization_id,
      sequence: 7,
      previous: link.previous,
      id: event.id,
      type: "plugin.object.add",
      actor: { kind: "session", id: event.actor_id },
      objectId: event.target_id,
      requestId: event.request_id,
      before: null,
      after: { z: 1.5, a: { b: [null, "ü", { d: 1, c: 2 }] }, é: true, "10": 1, "9": 2 },
      createdAt: "2026-01-15T09:30:00.123Z"
    })
    const bare = { ...event, actor_id: null, target_id: null, request_id: null, after_text: null }
    const { text: first } = lineOf(bare, { sequence: 1, previous: null }, "a seal")
    expect(first).toBe(canonicalJson(JSON.parse(first)))
    expect(JSON.parse(first)).toMatchObject({ actor: { id: null }, objectId: null, previous: null, requestId: null })
  })
})
