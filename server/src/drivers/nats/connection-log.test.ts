import { expect, test } from 'vitest';
import { createConnectionLog } from './connection-log.ts';

test('a state is logged once for any number of attempts, and again after another one; each delay is', () => {
  const lines: [string, string][] = [];
  const write = (level: string) => (_: object, text: string) => void lines.push([level, text]);
  const note = createConnectionLog({ info: write('info'), warn: write('warn'), error: write('error') });
  const states = ['unreachable', 'unreachable', 'connected', 'connected', 'slow', 'slow', 'unreachable'] as const;
  for (const state of [...states, 'tls_refused', 'tls_refused', 'unreachable'] as const) note(state);
  expect(lines).toEqual([
    ['warn', 'NATS cannot be reached and is tried again'],
    ['info', 'connected to NATS'],
    ['warn', 'messages of NATS arrive faster than they are read'],
    ['warn', 'messages of NATS arrive faster than they are read'],
    ['warn', 'NATS cannot be reached and is tried again'],
    ['warn', expect.stringMatching(/certificate was refused.*GROUNDCTL_CA_FILE.*--authority/)],
    ['warn', 'NATS cannot be reached and is tried again'],
  ]);
});
