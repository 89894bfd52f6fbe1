import { z } from 'zod';

/** Name of the object below the prefix. */
export const fenceObject = 'groundctl-fence.json';
/** More bytes than the object ever has. */
export const mostFenceBytes = 4_096;

/** Content of the object. `nonce` is new in each write, so that an old copy of the object is never taken for a new one. */
const FenceRecord = z.strictObject({
  format: z.literal('groundctl-fence'),
  version: z.literal(1),
  installationId: z.string().min(1).max(128),
  serverId: z.string().min(1).max(128),
  term: z.int().min(1),
  takenAt: z.int().min(0),
  nonce: z.string().min(16).max(64),
});
export type FenceRecord = z.infer<typeof FenceRecord>;

export const writeRecord = (record: FenceRecord): Uint8Array => Buffer.from(`${JSON.stringify(record)}\n`);

/** Returns undefined for anything else than a record of a fence. */
export function readRecord(bytes: Uint8Array): FenceRecord | undefined {
  try {
    return FenceRecord.safeParse(JSON.parse(Buffer.from(bytes).toString('utf8'))).data;
  } catch {
    return undefined;
  }
}
