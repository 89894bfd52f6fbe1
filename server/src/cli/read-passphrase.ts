import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { failed } from './exit-codes.ts';

/** Asks for a passphrase at the terminal without showing it; from a pipe, its first line. */
export async function readPassphrase(prompt: string): Promise<string> {
  const { stdin, stderr } = process;
  stderr.write(prompt);
  // The line editor would print what is typed.
  const nowhere = new Writable({ write: (_chunk, _encoding, written) => written() });
  const lines = createInterface({ input: stdin, output: nowhere, terminal: stdin.isTTY === true });
  try {
    for await (const line of lines) return line;
    return '';
  } finally {
    lines.close();
    if (stdin.isTTY) stderr.write('\n');
  }
}

/** Asks for a new passphrase, and at a terminal once more. */
export async function readNewPassphrase(): Promise<string> {
  const first = await readPassphrase('New passphrase: ');
  if (!process.stdin.isTTY || (await readPassphrase('Once more: ')) === first) return first;
  throw failed('passphrase_differs', 'The passphrases do not match, so nothing was changed. Try again.');
}
