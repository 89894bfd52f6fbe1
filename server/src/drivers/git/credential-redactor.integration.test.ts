import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { startGit } from '../../../test/git-driver.ts';
import { tempDir } from '../../../test/harness.ts';
import { createCredentialRedactor } from './credential-redactor.ts';

const credential = { username: 'ada', password: 'tok/en+0123456789abcdef' };

test('removes a credential from a text in every form, even where the text was cut', () => {
  const redact = createCredentialRedactor(credential);
  const pair = Buffer.from(`ada:${credential.password}`).toString('base64');
  const token = credential.password;
  const hex = Buffer.from(token).toString('hex');
  for (const form of [token, encodeURIComponent(token), pair, Buffer.from(token).toString('base64'), hex])
    expect(redact(`got ${form}, sorry`)).toBe('got [redacted], sorry');
  expect(redact(`you sent ${token.slice(0, 12)}…`)).toBe('you sent [redacted]');
  expect(redact(`you sent ${pair.slice(0, 20)}`)).toBe('you sent [redacted]');
  expect(redact('plain words to.')).toBe('plain words to.');
  expect(createCredentialRedactor(undefined)('as it is')).toBe('as it is');
});

test('reports a server that echoes the credential without the credential', async () => {
  const server = http.createServer(({ headers }, response) => {
    const line = `ERR no ${headers.authorization} ${Buffer.from(headers.authorization?.slice(6) ?? '', 'base64')}`;
    const packet = `${(line.length + 4).toString(16).padStart(4, '0')}${line}`;
    const type = 'application/x-git-upload-pack-advertisement';
    response.writeHead(200, { 'content-type': type }).end(`001e# service=git-upload-pack\n0000${packet}0000`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const git = startGit({ allowLoopback: true, allowLocal: false });
  const dir = tempDir();
  const lines: string[] = [];
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a`;
  const folders = { repositoryDir: `${dir}/git`, archivesDir: `${dir}/archives` };
  const request = { url, ref: 'HEAD', path: '.', credential };
  const failure = await git
    .sync(request, { ...folders, onLine: (line) => void lines.push(line) })
    .catch((error: Error) => error.message);
  await git.close();
  server.close();
  fs.rmSync(dir, { recursive: true });
  expect(failure).toContain('[redacted]');
  for (const secret of [credential.password, Buffer.from(`ada:${credential.password}`).toString('base64')])
    expect([failure, ...lines].join('\n')).not.toContain(secret);
});
