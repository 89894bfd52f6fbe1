import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { GitError } from './git-error.ts';
import { createHttpClient } from './http-client.ts';
import { flushPacket, packet } from './pkt-line.ts';
import { discover } from './remote-discovery.ts';
import { listRefs } from './remote-refs.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

const one = '1'.repeat(40);
const two = '2'.repeat(40);
const service = `${packet('# service=git-upload-pack')}${flushPacket}`;
const modern = `${service}${['version 2', 'ls-refs', 'fetch=shallow'].map(packet).join('')}${flushPacket}`;
/** Builds a version 0 advertisement of lines of `<id> <name>`. */
const older = (...lines: string[]) =>
  `${service}${lines.map((line, index) => packet(index === 0 ? `${line}\0shallow symref=HEAD:refs/heads/main` : line)).join('')}${flushPacket}`;

type Answer = (response: http.ServerResponse) => void;
const whole =
  (text: string): Answer =>
  (response) =>
    response.end(text);

/** Starts a server with arbitrary responses: `info/refs` returns one text, `ls-refs` another. */
async function serve(advertisement: Answer, list: Answer = whole(flushPacket)): Promise<string> {
  const server = http.createServer((request, response) => {
    const kind = request.method === 'POST' ? 'result' : 'advertisement';
    response.setHeader('content-type', `application/x-git-upload-pack-${kind}; charset=utf-8`);
    (request.method === 'POST' ? list : advertisement)(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/r`;
}

async function list(advertisement: string | Answer, answer?: string | Answer, prefix = '') {
  const asAnswer = (input: string | Answer) => (typeof input === 'string' ? whole(input) : input);
  const url = await serve(asAnswer(advertisement), answer === undefined ? undefined : asAnswer(answer));
  const access = { allowLoopback: true, allowLocal: false };
  const client = createHttpClient(access, new AbortController().signal);
  cleanups.push(client.close);
  return listRefs(client, await discover(client, { url }, access), prefix);
}
const failure = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'succeeded',
    (error: unknown) => (error instanceof GitError ? error.code : `not a GitError: ${error}`),
  );

describe('a list of refs', () => {
  it('contains ids, peeled tags and targets of symbolic refs, in both protocol versions', async () => {
    const refs = [
      { name: 'HEAD', id: one, symref: 'refs/heads/main' },
      { name: 'refs/heads/main', id: one },
      { name: 'refs/tags/v1', id: two, peeled: one },
    ];
    const lines = [`${one} HEAD symref-target:refs/heads/main`, `${one} refs/heads/main`];
    const listed = `${[...lines, `${two} refs/tags/v1 peeled:${one}`].map(packet).join('')}${flushPacket}`;
    expect(await list(modern, listed)).toEqual(refs);
    const advertised = older(`${one} HEAD`, `${one} refs/heads/main`, `${two} refs/tags/v1`, `${one} refs/tags/v1^{}`);
    expect(await list(advertised)).toEqual(refs);
    expect(await list(advertised, undefined, 'refs/tags/')).toEqual(refs.slice(2));
  });

  it('may omit the service line, as some servers do in version 2', async () => {
    expect(await list(modern.slice(service.length), `${packet(`${one} HEAD`)}${flushPacket}`)).toHaveLength(1);
  });

  it('contains no ref for the history a shallow repository lacks', async () => {
    expect(await list(older(`${one} HEAD`, `shallow ${two}`))).toEqual([
      { name: 'HEAD', id: one, symref: 'refs/heads/main' },
    ]);
  });

  it('is never treated as complete when the response breaks off', async () => {
    const half: Answer = (response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write(packet(`${one} HEAD`), () => response.destroy());
    };
    expect(await failure(list(modern, half))).toBe('source_unreachable');
    expect(await failure(list(half))).toBe('source_unreachable');
    expect(await failure(list(modern, packet(`${one} HEAD`).slice(0, -9)))).toBe('source_unreachable');
  });

  it('is refused when it is longer than a list may be', async () => {
    const endless: Answer = (response) => {
      const chunk = packet(`${one} refs/heads/${'a'.repeat(60_000)}`).repeat(100);
      const more = () => response.write(chunk, (error) => error || setImmediate(more));
      more();
    };
    expect(await failure(list(modern, endless))).toBe('source_too_large');
  });

  it('is refused when it is not in the protocol', async () => {
    for (const wrong of ['zzzz', '0003', '0002', '0004', 'unborn HEAD', 'abc refs/heads/main', `${one}`, `${one} `]) {
      const text = wrong.length === 4 ? wrong : packet(wrong);
      expect(await failure(list(modern, `${text}${flushPacket}`)), wrong).toBe('source_not_git');
    }
    const badlyPeeled = packet(`${one} refs/tags/v1 peeled:${one.slice(1)}`);
    expect(await failure(list(modern, `${badlyPeeled}${flushPacket}`))).toBe('source_not_git');
    for (const wrong of ['', flushPacket, packet('hello'), `${service}${packet('hello')}`, older('hello world')]) {
      expect(await failure(list(wrong)), wrong).toBe('source_not_git');
    }
  });

  it('is empty for a server that names its service and nothing else', async () => {
    expect(await list(service)).toEqual([]);
    for (const zero of ['0'.repeat(40), '0'.repeat(64)])
      expect(await list(older(`${zero} capabilities^{}`))).toEqual([]);
  });

  it('passes on the refusal of a server, made safe to display', async () => {
    const refusal = `${packet('ERR access denied\u001b[2J')}${flushPacket}`;
    const message = 'The Git server ended the request: access denied [2J';
    await expect(list(modern, refusal)).rejects.toThrow(message);
    await expect(list(`${service}${refusal}`)).rejects.toThrow(message);
  });

  it('is refused when a peeled line does not follow its tag', async () => {
    const lists = [
      [`${one} refs/tags/a`, `${one} refs/tags/b`, `${two} refs/tags/a^{}`],
      [`${one} refs/tags/a`, `${one} refs/tags/b`, `${one} refs/tags/a`, `${two} refs/tags/a^{}`],
      [`${one} refs/tags/a`, `${two} refs/tags/a^{}`, `${two} refs/tags/a^{}^{}`],
      [`${one} refs/tags/a^{}b`, `${two} refs/tags/a^{}b^{}`],
    ];
    for (const lines of lists) expect(await failure(list(older(...lines))), lines.join()).toBe('source_not_git');
  });
});
