import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { SendMail } from '#server/drivers/mail/index';
import type { Db } from '#server/kernel/db';
import { createLog } from '#server/kernel/log';
import { removeTree } from '#server/kernel/remove-tree';
import { openGate } from '#server/kernel/work-gate';
import { openTestLedger } from '../../../test/empty-ledger.ts';
import { heldClock, tempDir } from '../../../test/harness.ts';
import { createMailQueue, type WrittenMail } from './mail-queue.ts';
import { createNotificationsStore, type MailRow } from './store.ts';

const clock = heldClock(Date.now());
let folder: string;
let db: Db;
let stop: () => Promise<void>;

beforeEach(() => {
  folder = tempDir();
  db = openTestLedger(folder);
});
afterEach(async () => {
  await stop();
  db.close();
  removeTree(folder);
});

const written = ({ email }: MailRow): WrittenMail => ({ to: email ?? '', subject: 'Subject', text: 'Text' });

/** Starts a queue that has found nothing to do yet. */
async function start(parts: { send?: SendMail; write?: (row: MailRow) => WrittenMail | undefined }) {
  const store = createNotificationsStore(db);
  const log = createLog('silent');
  const queue = createMailQueue({
    workGate: openGate,
    ...{ db, clock, log, store, findHost: () => 'ground.example' },
    send: parts.send ?? (() => Promise.resolve(undefined)),
    write: parts.write ?? written,
  });
  stop = queue.stop;
  queue.start();
  await setImmediate();
  return { queue, store };
}

it('writes no mail while its request is answered, so that the time of the answer tells nothing', async () => {
  const write = vi.fn(written);
  const { queue } = await start({ write });
  queue.pushReset('ada@example.com');
  expect(write).not.toHaveBeenCalled();
  await vi.waitFor(() => expect(write).toHaveBeenCalledOnce());
});

it('sends the other mails when one cannot be written, and tries that one again', async () => {
  const sent: string[] = [];
  const { queue, store } = await start({
    send: ({ to }) => Promise.resolve(void sent.push(to)),
    write: (row) => {
      if (row.email === 'broken@example.com') throw new Error('The Run of this mail cannot be read.');
      return written(row);
    },
  });
  queue.pushReset('broken@example.com');
  queue.pushReset('ada@example.com');
  await vi.waitFor(() => expect(sent).toEqual(['ada@example.com']));
  expect(store.findNextDue()).toBe(clock.now() + 60_000);
});

it('ends a mail that hangs when it is stopped, withdraws its link and keeps it for the next start', async () => {
  const undo = vi.fn();
  let begin = () => {};
  const began = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const { queue, store } = await start({
    write: (row) => ({ ...written(row), undo }),
    send: (_mail, signal) =>
      new Promise((resolve) => {
        begin();
        signal?.addEventListener('abort', () => resolve({ reason: 'timeout', isPermanent: false }));
      }),
  });
  queue.pushReset('ada@example.com');
  await began;
  await queue.stop();
  expect([undo.mock.calls.length, store.findDueMail(clock.now())?.attempts]).toEqual([1, 0]);
});
