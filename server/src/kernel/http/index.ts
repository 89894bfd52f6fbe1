export { accepted, created, found, noContent, ok, seeOther, unavailable } from './answers.ts';
export { actorOf, type Bearer, boundTo, type Caller, mayWrite, type Principal } from './caller.ts';
export { installGate } from './gate.ts';
export { createMount, type Mount } from './mount.ts';
export type { GatePorts } from './ports.ts';
export { createReceipts, type Receipts } from './receipts.ts';
export { createHttp, installNotFound } from './server.ts';
export { installStaticFiles } from './static-files.ts';
export { endStreams, placeOf, type Streamed, sseEvent } from './stream.ts';
