import fs from 'node:fs';
import { createRequire } from 'node:module';
import type { parse } from '@cdktn/hcl2json';

/**
 * Result for one file: its JSON. `fault` is the text of the parser's diagnostics; `broken` means it ran out of stack.
 */
type NativeAnswer = { json: string } | { fault: string } | { broken: true };

type Bridge = { parse: (name: string, text: string, done: (error: unknown, json: string) => void) => void };
type Package = { parse: typeof parse };

const packageName = '@cdktn/hcl2json';
const require = createRequire(import.meta.url);
let loaded: Promise<Bridge> | undefined;

/**
 * Loads the parser's internal entry below its `parse`, which would convert numbers to doubles and lose digits. The
 * package stores it in a global of this name once its first call has returned.
 */
export function loadNativeParser(): Promise<Bridge> {
  keepTraces();
  loaded ??= (require(packageName) as Package)
    .parse('file', '')
    .then(() => (globalThis as unknown as { __parse_terraform_config_wasm__: Bridge }).__parse_terraform_config_wasm__);
  return loaded;
}

/**
 * Locks the global in which the runtime finds its file system. Each newly loaded runtime sets it. By then a discarded
 * runtime may resume and write, so the global accepts no other value.
 */
function keepTraces(): void {
  Object.defineProperty(globalThis, 'fs', { configurable: true, get: () => withoutTraces, set() {} });
}

/**
 * File system that discards the runtime's crash trace. The trace has some thousand lines, contains untrusted text, is
 * written straight to the file descriptor of stderr, and fails again when that is a full pipe. The error is known
 * without it.
 */
const withoutTraces: Pick<typeof fs, 'writeSync'> = {
  ...fs,
  writeSync: (_fd: number, bytes: unknown) => (bytes as Uint8Array).length,
};

/**
 * Parses native syntax. The parser is recursive. A text that exhausts its stack leaves its runtime in a state in which
 * any later file may end the whole thread or never return. The runtime is then discarded, and the next file gets a new
 * one.
 */
export async function parseNativeText(text: string): Promise<NativeAnswer> {
  const bridge = await loadNativeParser();
  let answer: NativeAnswer | undefined;
  try {
    // The callback is called before the return, unless the runtime has ended.
    bridge.parse('file', text, (error, json) => {
      answer = error ? { fault: String(error) } : { json };
    });
  } catch {
    answer = undefined;
  }
  if (answer === undefined) discard();
  return answer ?? { broken: true };
}

function discard(): void {
  loaded = undefined;
  const own = new RegExp(`[\\\\/]${packageName.replace('/', '[\\\\/]')}[\\\\/]`);
  for (const file of Object.keys(require.cache)) if (own.test(file)) delete require.cache[file];
}
