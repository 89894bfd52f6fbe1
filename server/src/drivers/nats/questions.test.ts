import { generateKeyPairSync } from 'node:crypto';
import type { Msg } from '@nats-io/transport-node';
import { expect, test, vi } from 'vitest';
import { newId } from '#server/kernel/ids';
import { reportedFacts } from '../../../test/runner-machines.ts';
import type { Connection } from './connection.ts';
import { subjectOf } from './protocol.ts';
import { answerQuestions, type QuestionHandlers } from './questions.ts';

/** Answers questions on a connection to which messages are given by hand. */
function open() {
  const callbacks: ((error: Error | null, message: Msg) => void)[] = [];
  const connection = {
    subscribe: (_subject: string, { callback }: { callback: (typeof callbacks)[number] }) => {
      callbacks.push(callback);
      return { unsubscribe: () => {} };
    },
  } as unknown as Connection;
  const renew = vi.fn<QuestionHandlers['renew']>(async () => ({ jwt: 'jwt' }));
  const beat = vi.fn<QuestionHandlers['beat']>(async () => ({ runs: [], isDraining: false }));
  const onRefused = vi.fn();
  const { privateKey: signWith } = generateKeyPairSync('ed25519');
  const handlers = { beat, renew } as unknown as QuestionHandlers;
  answerQuestions({ connection, signWith, handlers, onFault: () => {}, onRefused });
  const send = async (subject: string, body: unknown) => {
    const respond = vi.fn(() => true);
    const data = Buffer.from(JSON.stringify({ version: 1, nonce: 'a'.repeat(32), body }));
    callbacks[0]?.(null, { subject, data, respond } as unknown as Msg);
    await new Promise(setImmediate);
    return respond.mock.calls.length;
  };
  return { send, beat, renew, onRefused };
}

test('a runner that floods the server is answered a few times, and another one every time', async () => {
  const { send, beat, onRefused } = open();
  const [hostile, honest] = [newId('runnerMachine'), newId('runnerMachine')];
  const body = {
    facts: reportedFacts({}),
    freeSlots: 0,
    isDraining: false,
    runs: [],
  };
  for (let count = 0; count < 2_000; count += 1) await send(subjectOf('beat', hostile), body);
  const refused = onRefused.mock.calls.length;
  expect(refused).toBeGreaterThan(1_000);
  expect(onRefused).toHaveBeenLastCalledWith(hostile);
  expect(beat.mock.calls.length + refused).toBe(2_000);
  expect(await send(subjectOf('beat', honest), body)).toBe(1);
});

test('malformed questions count as well, before they are parsed', async () => {
  const { send, renew, onRefused } = open();
  const runner = newId('runnerMachine');
  expect(await send(`gc.ask.${runner}.unknown`, {})).toBe(0);
  expect(await send(subjectOf('renew', runner), { more: true })).toBe(0);
  expect(await send('gc.ask', {})).toBe(0);
  expect(onRefused.mock.calls).toEqual([[runner], [runner], [undefined]]);
  expect(await send(subjectOf('renew', runner), {})).toBe(1);
  expect(renew).toHaveBeenCalledOnce();
});
