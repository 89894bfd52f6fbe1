import { z } from 'zod';
import type { ExportedKey } from '#server/domains/keys/index';

/** Members under this path describe the backup, and are not part of the data folder. */
export const aboutFolder = 'backup';
export const keysPath = `${aboutFolder}/master-keys.json`;
export const omittedPath = `${aboutFolder}/omitted.json`;

const Keys = z.strictObject({
  keys: z.array(z.strictObject({ id: z.string(), key: z.base64().length(44) })),
});

export const printKeys = (keys: readonly ExportedKey[]): string => `${JSON.stringify({ keys })}\n`;
/** Throws for a text that `printKeys` did not write. */
export const parseKeys = (text: string): ExportedKey[] => Keys.parse(JSON.parse(text)).keys;

const Omitted = z.strictObject({
  omitted: z.array(
    z.strictObject({
      path: z.string(),
      reason: z.enum(['link', 'name', 'unreadable', 'damaged', 'too_large', 'too_many']),
    }),
  ),
});
/** A file of the data folder that the backup does not contain, and the reason; with `too_many`, a folder in part. */
export type OmittedFile = z.infer<typeof Omitted>['omitted'][number];

export const printOmitted = (omitted: readonly OmittedFile[]): string => `${JSON.stringify({ omitted })}\n`;
export const parseOmitted = (text: string): OmittedFile[] => Omitted.parse(JSON.parse(text)).omitted;
