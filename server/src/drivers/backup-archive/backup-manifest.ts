import { z } from 'zod';
import { backupLimits } from '#shared/limits';
import { assertInnerPath } from '../archive/index.ts';
import { BackupError, damaged } from './backup-error.ts';

export const manifestPath = 'manifest.json';
const format = 'groundctl-backup';
const version = 1;

const memberShape = z.strictObject({
  path: z.string().min(1),
  sizeBytes: z.int().min(0),
  digest: z.string().regex(/^sha256:[0-9a-f]{64}$/),
  /** True for a file with execute permission. */
  executable: z.literal(true).optional(),
});
const headShape = z.strictObject({
  kind: z.enum(['installation', 'workspace', 'capsule']),
  installationId: z.string().min(1).max(200),
  /** Present in a backup of one Workspace or Capsule. */
  workspaceId: z.string().min(1).max(200).optional(),
  capsuleId: z.string().min(1).max(200).optional(),
  /** The last outbox event that the backup contains. */
  ledgerSequence: z.int().min(0),
  createdAt: z.iso.datetime(),
});
const manifestShape = z.strictObject({
  format: z.literal(format),
  version: z.literal(version),
  ...headShape.shape,
  members: z.array(memberShape),
});

/** One file of a backup: its path with `/`, size in bytes, and digest. */
export type BackupMember = z.infer<typeof memberShape>;
/** Facts about a backup, without its members. */
export type BackupHead = z.infer<typeof headShape>;
export type BackupManifest = z.infer<typeof manifestShape>;

export type BackupLimits = { members: number; memberBytes: number; totalBytes: number; manifestBytes: number };

export const manifestOf = (head: BackupHead, members: BackupMember[]): BackupManifest =>
  manifestShape.parse({ format, version, ...head, members });

/** Reads the first member. Throws `BackupError` for a malformed or hostile one. */
export function parseManifest(bytes: Uint8Array, limits: BackupLimits): BackupManifest {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw damaged(error);
  }
  requireKnownVersion(value);
  const { data, error } = manifestShape.safeParse(value);
  if (data === undefined) throw damaged(error);
  checkMembers(data.members, limits);
  return data;
}

function requireKnownVersion(value: unknown): void {
  const seen = (value ?? {}) as { format?: unknown; version?: unknown };
  if (seen.format !== format || typeof seen.version !== 'number') throw damaged();
  if (seen.version > version)
    throw new BackupError(
      'backup_version_unknown',
      'A newer version of Ground Control wrote this backup. Update Ground Control, then try again.',
    );
}

/** Throws unless every member stays in its folder, no path is twice or both file and folder, and all limits hold. */
export function checkMembers(members: readonly BackupMember[], limits: BackupLimits): void {
  if (members.length > limits.members) throw tooLarge();
  const files = new Set<string>([manifestPath]);
  const folders = new Set<string>();
  let total = 0;
  for (const { path, sizeBytes } of members) {
    checkPath(path);
    if (files.has(path)) throw twice();
    files.add(path);
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) folders.add(path.slice(0, at));
    total += sizeBytes;
    if (sizeBytes > limits.memberBytes || total > limits.totalBytes) throw tooLarge();
  }
  for (const file of files) if (folders.has(file)) throw twice();
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: such a name would hide what a person sees of it
const controlCharacters = /[\u0000-\u001f\u007f]/;

function checkPath(path: string): void {
  try {
    assertInnerPath(path);
  } catch (error) {
    throw pathRefused(error);
  }
  const isLong = Buffer.byteLength(path) > backupLimits.pathBytes;
  const hasLongPart = path.split('/').some((part) => Buffer.byteLength(part) > backupLimits.nameBytes);
  if (isLong || hasLongPart || controlCharacters.test(path)) throw pathRefused();
}

const pathRefused = (cause?: unknown) =>
  new BackupError(
    'backup_path_refused',
    'The backup holds a path that leaves its folder or cannot be a file name, so nothing of it is used.',
    { cause },
  );
const twice = () =>
  new BackupError(
    'backup_path_refused',
    'A path appears twice in the backup, or is both file and folder, so nothing of it is used.',
  );
export const tooLarge = () =>
  new BackupError('backup_too_large', 'The backup is larger than its limits allow, so nothing of it is used.');
