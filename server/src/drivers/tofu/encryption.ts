import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { type Json, type JsonObject, parseStrictJson } from '#shared/kernel/json';
import { TofuError } from './error.ts';
import { hasMoreValuesThan } from './json-size.ts';

/** Names of our key provider and method in `TF_ENCRYPTION`. */
export type EncryptionNames = { keyProvider: string; method: string };

/** Targets that the root module declares under `encryption { remote_state_data_sources }`. */
export type RemoteStateTargets = { default: boolean; targets: readonly string[] };

const nonceBytes = 12;
const tagBytes = 16;
const keyBytes = 32;

/**
 * Returns names derived from a sealing key (base64 of 32 bytes). The tool merges our configuration with the module's by
 * name, so a module must not be able to guess them. A sealed file names its key provider, so the names must be the same
 * for every file sealed with that key: while old files exist, the key that sealed them determines the names.
 */
export function encryptionNames(key: string): EncryptionNames {
  const bytes = keyOf(key);
  const name = (use: string) => createHmac('sha256', bytes).update(`encryption name ${use}`).digest('hex').slice(0, 24);
  return { keyProvider: `k${name('key provider')}`, method: `m${name('method')}` };
}

/**
 * Returns the value of `TF_ENCRYPTION`: the tool itself seals plan and state, with the key that `command` prints (see
 * `keyAnswer`). Fallbacks and the remote state targets that a module declares are overridden too; otherwise the tool
 * would start the module's own key program.
 */
export function encryptionConfig(options: {
  names: EncryptionNames;
  command: readonly string[];
  remoteState?: RemoteStateTargets;
}): string {
  const { keyProvider, method } = options.names;
  const reference = `method.aes_gcm.${method}`;
  const target = { method: reference, fallback: { method: reference } };
  const remote = options.remoteState;
  const remoteBlock = {
    ...(remote?.default ? { default: target } : {}),
    ...(remote?.targets.length
      ? { remote_state_data_source: Object.fromEntries(remote.targets.map((name) => [name, target])) }
      : {}),
  };
  return JSON.stringify({
    key_provider: { external: { [keyProvider]: { command: options.command } } },
    method: { aes_gcm: { [method]: { keys: `key_provider.external.${keyProvider}` } } },
    state: { ...target, enforced: true },
    plan: { ...target, enforced: true },
    ...(Object.keys(remoteBlock).length > 0 ? { remote_state_data_sources: remoteBlock } : {}),
  });
}

/**
 * Returns the output of a key program (external key provider protocol, version 1): a header line, then the keys (base64
 * of 32 bytes). `decryptionKey` is the key of the existing files, `encryptionKey` the newest. The tool has one of each,
 * so plan and state of one command are sealed with the same key.
 */
export function keyAnswer(keys: { encryptionKey: string; decryptionKey: string }): string {
  keyOf(keys.encryptionKey);
  keyOf(keys.decryptionKey);
  const header = { magic: 'OpenTofu-External-Key-Provider', version: 1 };
  const answer = { keys: { encryption_key: keys.encryptionKey, decryption_key: keys.decryptionKey } };
  return `${JSON.stringify(header)}\n${JSON.stringify(answer)}\n`;
}

/** Seals the text of a state as the tool would: only lineage and serial stay readable. */
export function sealState(text: string, key: string, names: EncryptionNames): string {
  const state = objectOf(text);
  const { lineage, serial } = state;
  if (typeof lineage !== 'string' || typeof serial !== 'number')
    throw new TofuError('state_unreadable', 'The text to seal is not a state: it has no lineage or serial.');
  return JSON.stringify({ serial, lineage, ...envelope(Buffer.from(text, 'utf8'), key, names) });
}

/** Seals the bytes of a plan file as the tool would. */
export const sealPlan = (bytes: Uint8Array, key: string, names: EncryptionNames): string =>
  JSON.stringify(envelope(bytes, key, names));

/**
 * Opens content that the tool, `sealState` or `sealPlan` sealed. Throws `seal_broken` for another key or altered bytes.
 */
export function openSealed(bytes: Uint8Array | string, key: string): Buffer {
  const sealed = parseEnvelope(bytes);
  if (sealed === undefined) throw new TofuError('seal_broken', 'The file is not sealed.');
  const data = Buffer.from(sealed.encrypted_data, 'base64');
  if (data.length < nonceBytes + tagBytes) throw new TofuError('seal_broken', 'The sealed file is cut short.');
  const decipher = createDecipheriv('aes-256-gcm', keyOf(key), data.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAuthTag(data.subarray(data.length - tagBytes));
  try {
    return Buffer.concat([decipher.update(data.subarray(nonceBytes, data.length - tagBytes)), decipher.final()]);
  } catch {
    throw new TofuError('seal_broken', 'The sealed file does not open: it was altered or sealed with another key.');
  }
}

/** Reports whether a file is a complete sealed file, with any key. */
export const isSealed = (bytes: Uint8Array | string): boolean => parseEnvelope(bytes) !== undefined;

/**
 * Returns the text of a state without resources, serial 0. It is written before a first apply, because the tool saves
 * the state of a running apply early only when it has a state file to replace.
 */
export function emptyState(lineage: string, toolVersion: string): string {
  const state = {
    version: 4,
    terraform_version: toolVersion,
    serial: 0,
    lineage,
    outputs: {},
    resources: [],
    check_results: null,
  };
  return `${JSON.stringify(state, null, 2)}\n`;
}

/** Returns the tool's envelope: nonce, ciphertext and tag of AES-256-GCM without additional data. */
function envelope(plain: Uint8Array, key: string, names: EncryptionNames) {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', keyOf(key), nonce, { authTagLength: tagBytes });
  const data = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  const meta = Buffer.from('{"external_data":null}', 'utf8').toString('base64');
  return {
    meta: { [`key_provider.external.${names.keyProvider}`]: meta },
    encrypted_data: data.toString('base64'),
    encryption_version: 'v0',
  };
}

/** Maximum number of values in an envelope. A file with more is not one, and parsing it would waste memory. */
const envelopeMaxValues = 1_000;

function parseEnvelope(bytes: Uint8Array | string): { encrypted_data: string } | undefined {
  let value: Json;
  try {
    if (hasMoreValuesThan(envelopeMaxValues, bytes)) return undefined;
    const text =
      typeof bytes === 'string'
        ? bytes
        : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
    if (!text.trimStart().startsWith('{')) return undefined;
    value = JSON.parse(text) as Json;
  } catch {
    // Invalid JSON, or longer than a string can be.
    return undefined;
  }
  const { encryption_version: version, encrypted_data: data } = value as JsonObject;
  return version === 'v0' && typeof data === 'string' ? { encrypted_data: data } : undefined;
}

function keyOf(key: string): Buffer {
  const bytes = Buffer.from(key, 'base64');
  if (bytes.length !== keyBytes) throw new TofuError('seal_broken', 'A sealing key is not 32 bytes long.');
  return bytes;
}

function objectOf(text: string): JsonObject {
  try {
    const value = parseStrictJson(text, { maxDepth: 512, protoKey: 'kept', longNumbers: 'kept' });
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as JsonObject;
  } catch {
    // The message below states the problem; the text itself may hold secrets.
  }
  throw new TofuError('state_unreadable', 'The state is not a JSON object.');
}
