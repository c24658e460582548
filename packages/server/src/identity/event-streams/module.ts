import { EventStreamSender } from "./sender.ts"

export const layer = EventStreamSender.layer

export const workers = [EventStreamSender.use(({ worker }) => worker)]
