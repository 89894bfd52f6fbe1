import { setTimeout as delay } from 'node:timers/promises';
import { makeFolder, writeDurably } from '#server/kernel/disk';
import { openJournal } from '../../server/src/runner/contract/journal.ts';

/* A program that tests start under the shim: it makes one kind of write, and prints the result. */

const [command = '', target = '', ...texts] = process.argv.slice(2);

const attempt = (work: () => void): string => {
  try {
    work();
    return 'done';
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
};

const commands: { [name: string]: () => Promise<string> | string } = {
  durably: () => texts.map((text) => attempt(() => writeDurably(target, text))).join(' '),
  folder: () => attempt(() => makeFolder(target)),
  /** Writes a record that must be durable; the test lets its first fsync fail, and then a second one. */
  async journal() {
    const journal = openJournal(target);
    const first = attempt(() => journal.write({ t: 'state', at: 1, file: 'a', lineage: 'l', serial: 1 }));
    await delay(1);
    const again = attempt(() => journal.sync());
    return `${first} ${again}`;
  },
};

process.stdout.write(`${(await commands[command]?.()) ?? 'unknown'}\n`);
