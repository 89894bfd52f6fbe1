import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  type EncryptionNames,
  emptyState,
  hasMoreValuesThan,
  isSealed,
  openSealed,
  parseState,
  type State,
  sealState,
  stateMaxValues,
  stateOf,
} from '#server/drivers/tofu/index';
import { removeTree } from '#server/kernel/remove-tree';
import type { JsonObject } from '#shared/kernel/json';
import { readPlainFile, writeDurably } from '../../os/durable-file.ts';
import type { ExecutionSpec } from './execution-spec.ts';
import { isSealing, type Layout } from './layout.ts';

/** The parts of a Run that are needed to read and write its states. */
type StateContext = { spec: ExecutionSpec; layout: Layout; names: EncryptionNames };

/** Larger files are not read as states. */
const stateMaxBytes = 536_870_912;

export type OpenState = {
  text: string;
  state: State;
  lineage: string;
  serial: number;
  /** Digest of the plain text: `sha256:` and hex. */
  digest: string;
  /** Digest of the content: a tool may write the same resources and Outputs under a new serial. */
  content: string;
  /** State sealed with the newest key. */
  sealed: string | Buffer;
};

export const digestOf = (content: string | Uint8Array): string =>
  `sha256:${createHash('sha256').update(content).digest('hex')}`;

/** Reads a state once, for its members and the digests of its text and content. Throws `state_unreadable`. */
function interpret(text: string): Baseline & { state: State } {
  const parsed = parseState(text);
  const state = stateOf(parsed);
  const { lineage, serial } = state;
  return { state, lineage, serial, digest: digestOf(text), content: contentOf(parsed) };
}

/** Returns the digest of the resources and Outputs of a state. */
const contentOf = ({ resources, outputs }: JsonObject): string =>
  digestOf(JSON.stringify([resources ?? [], outputs ?? {}]));

/** Returns the bytes of a state file that a tool may have written; undefined when it is missing, empty or too large. */
export function readStateFile(file: string): Buffer | undefined {
  const bytes = readPlainFile(file, stateMaxBytes);
  return bytes === undefined || bytes.length === 0 ? undefined : bytes;
}

function openState(context: StateContext, file: string): OpenState | undefined {
  const bytes = readStateFile(file);
  return bytes && openStateBytes(context, bytes);
}

/** Opens a state; undefined unless it is complete. A file that is being written does not open and is read again later. */
export function openStateBytes(context: StateContext, bytes: Buffer): OpenState | undefined {
  const { encryptionKey, decryptionKey, formerKey } = context.spec.sealing;
  try {
    // Copies in the folder of a Run are sealed for every tool.
    const isEncrypted = isSealing(context.spec) || isSealed(bytes);
    const newest = isEncrypted ? tryOpen(bytes, encryptionKey) : undefined;
    const older = () => (formerKey && tryOpen(bytes, formerKey)) || openSealed(bytes, decryptionKey);
    const clear = isEncrypted ? (newest ?? older()) : bytes;
    const text = clear.toString('utf8');
    const facts = interpret(text);
    const sealed = newest === undefined ? sealState(text, encryptionKey, context.names) : bytes;
    return { text, ...facts, sealed };
  } catch {
    return undefined;
  }
}

function tryOpen(bytes: Buffer, key: string): Buffer | undefined {
  try {
    return openSealed(bytes, key);
  } catch {
    return undefined;
  }
}

export type Baseline = { lineage: string; serial: number; digest: string; content: string };

/**
 * Writes the state a command starts from into an otherwise empty state folder. `newLineage` writes an empty state when
 * there is none: a tool saves the state of a running apply early only when it has a file to replace. Returns undefined
 * when nothing was written.
 */
export function writeBaselineState(context: StateContext, newLineage?: string): Baseline | undefined {
  const { spec, layout } = context;
  const text = spec.state?.text ?? (newLineage === undefined ? undefined : emptyState(newLineage, spec.tool.version));
  const baseline = text === undefined ? undefined : baselineOf(text);
  keepNewer(context, baseline?.serial ?? 0);
  removeTree(layout.host.state);
  // Not recursive, because Node's recursive mode mistakes a failing disk for a missing folder.
  mkdirSync(layout.host.state, { mode: 0o700 });
  if (text === undefined) return undefined;
  // The tool opens this file with the key that the plan was sealed with.
  const content = isSealing(spec) ? sealState(text, spec.sealing.decryptionKey, context.names) : text;
  writeFileSync(layout.stateFile, content, { mode: 0o600, flag: 'wx' });
  return baseline;
}

/** Keeps a state that the ledger never received, sealed, in the folder of the Run. */
function keepNewer(context: StateContext, serial: number): void {
  if (serialOf(context.layout.stateFile) <= serial) return;
  const existing = openState(context, context.layout.stateFile);
  if (existing !== undefined) writeDurably(path.join(context.spec.runDir, 'found.tfstate'), existing.sealed);
}

function baselineOf(text: string): Baseline {
  const { state: _, ...baseline } = interpret(text);
  return baseline;
}

/** Opens a state file in the Run's folder; undefined when it is not complete. */
export const openStoredState = (context: StateContext, file: string): OpenState | undefined =>
  openState(context, path.join(context.spec.runDir, file));

/** Returns the serial, which is unencrypted in a sealed state too; -1 when it cannot be read. */
function serialOf(file: string): number {
  try {
    const bytes = readPlainFile(file, stateMaxBytes);
    if (bytes === undefined || hasMoreValuesThan(stateMaxValues, bytes)) return -1;
    const { serial } = JSON.parse(bytes.toString('utf8')) as { serial?: unknown };
    return typeof serial === 'number' ? serial : -1;
  } catch {
    return -1;
  }
}
