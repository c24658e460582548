import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as SqlClient from "effect/sql/SqlClient"
import { layerPglite } from "./pglite.ts"
import { PgliteSession } from "./pglite-session.ts"
const w = (PgliteSession.prototype as any)._write
;(PgliteSession.prototype as any)._write = function(c: Buffer, e: any, d: any) { console.log("write", this.processId, c.length, JSON.stringify(c.toString("latin1")).slice(0,120)); return w.call(this, c, e, d) }
const dl = (PgliteSession.prototype as any).deliver
;(PgliteSession.prototype as any).deliver = function(c: Buffer) { console.log("deliver", this.processId, c.toString("latin1",0,1), c.length, this.destroyed); return dl.call(this, c) }
const rt = ManagedRuntime.make(layerPglite({ dataDir: "memory" }))
for (const v of [1, [1, 2**31], 2, 3, 4] as any[])
console.log(v, (await rt.runPromise(Effect.exit(Effect.timeout(Effect.gen(function*(){ const sql = yield* SqlClient.SqlClient
 return yield* sql`SELECT ${v}::text AS v` }), 2000)))).toString().slice(0,150))
await rt.dispose(); 
