import { createHash } from 'node:crypto';
import { limits } from '#shared/limits';
import type { ManifestProblem } from '#shared/manifest/contract';
import { modulePaths } from './module-rules.ts';
import { parseManifest } from './parse.ts';

/**
 * Judged repository manifest. `digest` covers the exact bytes and is absent when they were not read whole. `text` is
 * the document, `modulePaths` are the modules it has entries for, and `problems` are the mistakes of an
 * `invalid_document`.
 */
export type ManifestFinding =
  | { status: 'absent' }
  | { status: 'present'; digest: string; text: string; modulePaths: string[] }
  | { status: 'invalid'; reason: 'not_regular_file' | 'too_large' }
  | { status: 'invalid'; reason: 'invalid_utf8'; digest: string }
  | { status: 'invalid'; reason: 'invalid_document'; digest: string; problems: ManifestProblem[] };

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Judges the bytes of a manifest; never throws. */
export function judgeManifest(bytes: Uint8Array): ManifestFinding {
  if (bytes.byteLength > limits.manifestBytes) return { status: 'invalid', reason: 'too_large' };
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    return { status: 'invalid', reason: 'invalid_utf8', digest };
  }
  const { document, problems } = parseManifest(text);
  if (!document) return { status: 'invalid', reason: 'invalid_document', digest, problems };
  return { status: 'present', digest, text, modulePaths: modulePaths(document) };
}
