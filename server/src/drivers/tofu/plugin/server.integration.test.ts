import { once } from 'node:events';
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import {
  type Answer,
  answerWith,
  call,
  echo,
  head,
  ok,
  prepareRelays,
  processesAt,
  relayOf,
  relayTo,
  request,
  startProvider,
  statusOf,
} from '../../../../test/relay-harness.ts';
import { frameMessage } from './protocol.ts';
import type { ProviderProcesses } from './server.ts';

prepareRelays();

describe('a relayed call', () => {
  test('carries headers, bytes, status and trailers unchanged', async () => {
    const seen: IncomingHttpHeaders[] = [];
    const { caller } = await relayOf((stream, headers) => {
      seen.push(headers);
      answerWith(stream, Buffer.from([0, 0, 0, 0, 2, 255, 0]), {
        'grpc-status': '5',
        'grpc-message': 'no%20such%20thing',
        'grpc-status-details-bin': 'AAAA',
      });
    });
    const answer = await call(caller, 'ReadResource', Buffer.from('question'));
    expect([...answer.bytes]).toEqual([0, 0, 0, 0, 2, 255, 0]);
    expect(answer.trailers).toMatchObject({
      'grpc-status': '5',
      'grpc-message': 'no%20such%20thing',
      'grpc-status-details-bin': 'AAAA',
    });
    expect(answer.reset).toBe(0);
    expect(seen[0]).toMatchObject({
      ':path': '/tfplugin6.Provider/ReadResource',
      'x-own': 'sent along',
      te: 'trailers',
    });
  });

  test('passes on an answer that is a status alone', async () => {
    const { caller } = await relayOf((stream) =>
      stream.respond({ ...head, 'grpc-status': '13', 'grpc-message': 'broken' }, { endStream: true }),
    );
    const answer = await call(caller, 'ReadResource');
    expect(answer.headers).toMatchObject({ 'grpc-status': '13', 'grpc-message': 'broken' });
    expect([answer.trailers, answer.bytes.length]).toEqual([{}, 0]);
  });

  test('carries many small answers with their trailers, side by side', async () => {
    const { caller } = await relayOf(echo);
    const messages = Array.from({ length: 300 }, (_, index) => Buffer.from(`message ${index}`));
    const answers = await Promise.all(messages.map((message) => call(caller, 'PlanResourceChange', message)));
    expect(answers.map(({ bytes }) => bytes.subarray(5).toString())).toEqual(messages.map(String));
    expect(new Set(answers.map(statusOf))).toEqual(new Set(['0']));
  });

  test('carries large messages in both directions', async () => {
    const { caller } = await relayOf(echo);
    const message = Buffer.alloc(20_000_000, 'large message ');
    const answers = await Promise.all([1, 2].map(() => call(caller, 'ReadResource', message)));
    for (const answer of answers) {
      expect(answer.bytes.equals(frameMessage(message))).toBe(true);
      expect(statusOf(answer)).toBe('0');
    }
  });

  test('stops reading from the provider while its caller does not read', async () => {
    let written = 0;
    let isFull = false;
    const total = 40_000_000;
    const { caller } = await relayOf((stream) => {
      stream.respond(head, { waitForTrailers: true });
      stream.once('wantTrailers', () => stream.sendTrailers(ok));
      const chunk = Buffer.alloc(65_536);
      const write = () => {
        for (isFull = false; written < total && !isFull; written += chunk.length) isFull = !stream.write(chunk);
        if (written >= total) stream.end();
        else stream.once('drain', write);
      };
      write();
    });
    const stream = request(caller, 'ReadResource');
    stream.end();
    await once(stream, 'response');
    // Everything between both ends is full once nothing has moved for some turns of the loop.
    for (let quiet = 0, before = -1; quiet < 200; quiet = written === before ? quiet + 1 : 0) {
      before = written;
      await nextTurn();
    }
    expect(written).toBeLessThan(4_000_000);
    let read = 0;
    stream.on('data', (chunk: Buffer) => (read += chunk.length));
    await once(stream, 'close');
    expect(read).toBe(written);
  });
});

describe('a provider that fails', () => {
  test.each<[string, Answer]>([
    ['dies', (stream) => stream.session?.destroy()],
    ['resets the call', (stream) => stream.close(2)],
    ['refuses the call', (stream) => stream.close(7)],
  ])('and %s before its answer is reported as unavailable', async (_what, answer) => {
    const { caller } = await relayOf(answer);
    expect(statusOf(await call(caller, 'ReadResource'))).toBe('14');
    expect(caller.destroyed).toBe(false);
  });

  test.each<[string, (stream: ServerHttp2Stream) => void]>([
    ['dies', (stream) => stream.session?.destroy()],
    ['resets the call', (stream) => stream.close(2)],
  ])('and %s in the middle of its answer resets the call', async (_what, fail) => {
    const { caller } = await relayOf((stream) => {
      stream.respond(head, { waitForTrailers: true });
      stream.write(frameMessage(Buffer.alloc(9_000)).subarray(0, 100), () => fail(stream));
    });
    const answer = await call(caller, 'ReadResource');
    expect(answer.reset).not.toBe(0);
    expect(statusOf(answer)).toBeUndefined();
  });

  test('and is gone before a call is reported as unavailable, also later', async () => {
    const { caller, sessions } = await relayOf(echo);
    await call(caller, 'ReadResource');
    for (const session of sessions) session.destroy();
    const answers = [await call(caller, 'ReadResource'), await call(caller, 'ReadResource')];
    expect(answers.map(statusOf)).toEqual(['14', '14']);
  });

  test('and says goodbye during a call gets no further ones', async () => {
    const open: ServerHttp2Stream[] = [];
    const { caller, sessions } = await relayOf((stream) => void open.push(stream));
    const first = call(caller, 'ReadResource');
    await expect.poll(() => open.length).toBe(1);
    sessions[0]?.goaway(0);
    let statuses: unknown[] = [];
    for (; !statuses.includes('14'); ) {
      const next = call(caller, 'ReadResource');
      await nextTurn();
      for (const stream of open.splice(1)) answerWith(stream, Buffer.from('x'));
      statuses = [...statuses, statusOf(await next)];
    }
    answerWith(open[0] as ServerHttp2Stream, Buffer.from('first'));
    expect(statusOf(await first)).toBe('0');
  });

  test.each<[string, Answer]>([
    [
      'headers',
      (stream) => {
        stream.respond({ ...head, 'x-many': 'v'.repeat(9_000) });
        stream.end('x');
      },
    ],
    ['a status without content', (stream) => stream.respond({ ':status': 204 }, { endStream: true })],
    [
      'a content after a status without one',
      (stream) => {
        stream.respond({ ':status': 205, 'content-type': 'application/grpc' });
        stream.end();
      },
    ],
  ])('and answers with %s does no harm', async (_what, answer) => {
    const { caller } = await relayOf(answer);
    await call(caller, 'ReadResource');
    expect(statusOf(await call(caller, '/tfplugin6.Provider/GetProviderSchema'))).toBe('0');
  });
});

test('a cancel of the caller reaches the provider', async () => {
  let reset: number | undefined;
  const { caller } = await relayOf((stream) => stream.once('close', () => (reset = stream.rstCode)));
  const stream = request(caller, 'ReadDataSource');
  stream.end(frameMessage(Buffer.from('x')));
  await nextTurn();
  stream.close(8);
  await expect.poll(() => reset).toBe(8);
});

test('the end of a connection reaches the calls of the provider', async () => {
  let isOpen = false;
  let isClosed = false;
  const { caller } = await relayOf((stream) => {
    isOpen = true;
    stream.once('close', () => (isClosed = true));
  });
  request(caller, 'ReadDataSource').end();
  await expect.poll(() => isOpen).toBe(true);
  caller.destroy();
  await expect.poll(() => isClosed).toBe(true);
});

describe('without a process', () => {
  const never: ProviderProcesses = {
    share: () => Promise.reject(new Error('No process starts.')),
    claim: () => Promise.reject(new Error('No process starts.')),
  };

  test.each([5, 6] as const)('the schema of protocol %d and a stop are answered', async (protocol) => {
    const { caller, endpoint } = await relayTo(never, protocol);
    const [schema, stop] = { 5: ['GetSchema', 'Stop'], 6: ['GetProviderSchema', 'StopProvider'] }[protocol];
    const answer = await call(caller, `/tfplugin${protocol}.Provider/${schema}`);
    expect([answer.bytes.subarray(5).toString(), statusOf(answer)]).toEqual(['the schema', '0']);
    expect(endpoint.isAccepted).toBeUndefined();
    const stopped = await call(caller, `/tfplugin${protocol}.Provider/${stop}`);
    expect([stopped.bytes.length, statusOf(stopped)]).toEqual([5, '0']);
    expect(endpoint.isAccepted).toBe(true);
  });

  test('a call is unavailable when none starts, and unimplemented when there are none', async () => {
    const starting = await relayTo(never);
    for (const method of ['ReadResource', 'ConfigureProvider', 'StopProvider'])
      expect(statusOf(await call(starting.caller, method))).toBe('14');
    const showing = await relayTo(undefined);
    expect(statusOf(await call(showing.caller, 'ReadResource'))).toBe('12');
  });

  test('calls of the plugin library are unimplemented', async () => {
    const { caller } = await relayOf(echo);
    for (const method of [
      '/plugin.GRPCController/Shutdown',
      '/grpc.health.v1.Health/Check',
      '/tfplugin5.Provider/Stop',
    ])
      expect(statusOf(await call(caller, method))).toBe('12');
  });
});

test('two callers with a configuration each get a process, which ends with its caller', async () => {
  const provider = await startProvider(echo);
  const processes = await processesAt(provider.socket);
  const { caller, newCaller } = await relayTo(processes);
  const other = newCaller();
  await call(caller, 'ValidateProviderConfig');
  expect([processes.claims, processes.releases]).toEqual([0, 1]);
  await Promise.all([caller, other].map((session) => call(session, 'ConfigureProvider')));
  await call(caller, 'ReadResource');
  await call(caller, 'StopProvider');
  expect([processes.claims, processes.releases]).toEqual([2, 1]);
  caller.destroy();
  await expect.poll(() => processes.releases).toBe(2);
  expect(statusOf(await call(other, 'ReadResource'))).toBe('0');
});
