import fs from 'node:fs';
import { createRequire } from 'node:module';
import type { parse } from '@cdktn/hcl2json';

/** Answers the JSON of one file. `fault` is the text of the parser's diagnostics; `broken` means it ran out of stack. */
export type NativeAnswer = { json: string } | { fault: string } | { broken: true };

type Bridge = { parse: (name: string, text: string, done: (error: unknown, json: string) => void) => void };
type Package = { parse: typeof parse };

const packageName = '@cdktn/hcl2json';
const require = createRequire(import.meta.url);
let loaded: Promise<Bridge> | undefined;

/**
 * The parser's own entry below its `parse`, which would turn numbers into doubles before we see their digits. The
 * package keeps it in a global of this name once its first call has returned.
 */
export function loadNativeParser(): Promise<Bridge> {
  keepTraces();
  loaded ??= (require(packageName) as Package)
    .parse('file', '')
    .then(() => (globalThis as unknown as { __parse_terraform_config_wasm__: Bridge }).__parse_terraform_config_wasm__);
  return loaded;
}

/**
 * The runtime finds its file system in a global, which it sets each time it is loaded anew. By then one that was thrown away
 * may wake up and write, so the global takes nothing else any more.
 */
function keepTraces(): void {
  Object.defineProperty(globalThis, 'fs', { configurable: true, get: () => withoutTraces, set() {} });
}

/**
 * The runtime writes its last words, a trace of some thousand lines that names the stranger's text, straight to the
 * file descriptor of the errors, and fails anew where that is a full pipe. What went wrong is known without them.
 */
const withoutTraces: Pick<typeof fs, 'writeSync'> = {
  ...fs,
  writeSync: (_fd: number, bytes: unknown) => (bytes as Uint8Array).length,
};

/**
 * Parses native syntax. The parser recurses, and a text that exhausts its stack leaves its runtime in a state in which
 * any later file may end the whole thread or never answer; it is thrown away then, and the next file gets a new one.
 */
export async function parseNativeText(text: string): Promise<NativeAnswer> {
  const bridge = await loadNativeParser();
  let answer: NativeAnswer | undefined;
  try {
    // It calls back before it returns, unless its runtime has ended.
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
