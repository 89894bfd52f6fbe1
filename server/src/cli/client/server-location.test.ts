import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CommandError } from '../exit-codes.ts';
import { findServerLocation } from './server-location.ts';

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'groundctl-place-'));
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

const host = (env: Record<string, string> = {}) => ({ env, home: folder, platform: 'linux' as const });
const serve = (dir: string, url: string) => {
  fs.mkdirSync(dir, { recursive: true });
  fs.writeFileSync(path.join(dir, 'runtime.json'), JSON.stringify({ url }));
  fs.writeFileSync(path.join(dir, 'operator-token'), 'op-token\n');
};
const refusal = (work: () => unknown): Pick<CommandError, 'message' | 'exitCode'> => {
  try {
    work();
  } catch (error) {
    if (error instanceof CommandError) return error;
    throw error;
  }
  throw new Error('It was taken.');
};

describe('a server by its folder', () => {
  test('is entered by the operator token, and followed to a new address', () => {
    serve(folder, 'http://127.0.0.1:1');
    const location = findServerLocation({ dataDir: folder }, host());
    expect([location.origin(), location.credential, location.isHere]).toEqual([
      'http://127.0.0.1:1',
      { kind: 'operator', token: 'op-token', origin: expect.any(Function) },
      true,
    ]);
    serve(folder, 'http://127.0.0.1:2');
    expect(location.origin()).toBe('http://127.0.0.1:2');
    fs.rmSync(path.join(folder, 'runtime.json'));
    expect(location.origin()).toBe('http://127.0.0.1:2');
  });

  test('is entered by a token of the environment where there is one', () => {
    serve(folder, 'http://127.0.0.1:1');
    expect(findServerLocation({ dataDir: folder }, host({ GROUNDCTL_TOKEN: 'mine' })).credential).toEqual({
      kind: 'token',
      token: 'mine',
    });
  });

  test('is that of this account where nothing is named', () => {
    serve(path.join(folder, '.local/share/groundctl'), 'http://127.0.0.1:7');
    expect(findServerLocation({}, host()).origin()).toBe('http://127.0.0.1:7');
  });

  test('reports how to start it when it does not run', () => {
    const { message, exitCode } = refusal(() => findServerLocation({ dataDir: folder }, host()));
    expect([message, exitCode]).toEqual([expect.stringContaining('groundctl serve --data-dir'), 1]);
  });

  test('reports a token that cannot be read', () => {
    serve(folder, 'http://127.0.0.1:1');
    fs.rmSync(path.join(folder, 'operator-token'));
    expect(refusal(() => findServerLocation({ dataDir: folder }, host())).message).toContain('cannot be read');
  });
});

describe('a server by its address', () => {
  const env = { GROUNDCTL_TOKEN: 'mine' };

  test('wins over a folder of the environment, and loses to one that is named', () => {
    serve(folder, 'http://127.0.0.1:1');
    const both = { ...env, GROUNDCTL_URL: 'https://ground.example/', GROUNDCTL_DATA_DIR: folder };
    expect(findServerLocation({}, host(both)).origin()).toBe('https://ground.example');
    expect(findServerLocation({ dataDir: folder }, host(both)).origin()).toBe('http://127.0.0.1:1');
  });

  test.each([
    ['not an address', 'takes an origin'],
    ['ftp://host', 'takes an origin'],
    ['https://host/path', 'takes an origin'],
    ['https://user:word@host', 'takes an origin'],
    ['http://ground.example', 'in clear'],
    ['http://127.0.0.1.example', 'in clear'],
  ])('%s is refused', (url, expected) => {
    const { message, exitCode } = refusal(() => findServerLocation({ url }, host(env)));
    expect([message, exitCode]).toEqual([expect.stringContaining(expected), 2]);
  });

  test('needs a token that can be one, and no refusal repeats it', () => {
    expect(refusal(() => findServerLocation({ url: 'https://ground.example' }, host())).message).toContain(
      'GROUNDCTL_TOKEN',
    );
    const { message } = refusal(() =>
      findServerLocation({ url: 'https://ground.example' }, host({ GROUNDCTL_TOKEN: 'a\nb' })),
    );
    expect(message).toBe(
      'GROUNDCTL_TOKEN does not hold a valid token: it has spaces, line breaks or other invalid characters.',
    );
  });

  test('and a folder together are refused', () => {
    expect(refusal(() => findServerLocation({ url: 'https://x.example', dataDir: folder }, host(env))).exitCode).toBe(
      2,
    );
  });
});
