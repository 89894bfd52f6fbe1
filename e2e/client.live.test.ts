import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { repositoryRoot } from '#server/kernel/entry';
import { writeNpmPackage } from '../.ci/release/npm-package.ts';
import { startHarness } from './fixtures/harness.ts';

const run = promisify(execFile);

/** A program written from the documentation alone. */
const program = `import { ApiError, createClient, type Source } from 'groundctl/client';

declare const process: { env: Record<string, string>; };
const { BASE_URL = '', TOKEN = '', REPOSITORY = '' } = process.env;
const client = createClient({ baseUrl: BASE_URL, token: TOKEN });

const { body: { workspaces } } = await client.listWorkspaces();
const workspaceId = workspaces[0]!.id;
const create = (name: string) =>
  client.createSource({ body: { workspaceId, name, url: REPOSITORY } }, { idempotencyKey: 'source ' + name });
const { body: { source } } = await create('one');
const again = await create('one');
await create('two');

const names: string[] = [];
for await (const each of client.items('listSources', { query: { workspaceId, limit: 1 } })) {
  const typed: Source = each;
  names.push(typed.name);
}

const { body: { run } } = await client.syncSource({ params: { sourceId: source.id }, body: { intent: 'observe' } });
const received: string[] = [];
for await (const event of client.runEvents(run.id)) received.push(event.name);
const { body: { run: ended } } = await client.getRun({ params: { runId: run.id } });

let refusal = {};
try {
  await client.getCapsule({ params: { capsuleId: 'cap_unknown' } });
} catch (error) {
  if (!(error instanceof ApiError)) throw error;
  refusal = { status: error.status, code: error.code, hasId: error.requestId !== undefined };
}
// @ts-expect-error a route takes nothing that its schema does not know
const wrong = () => client.getCapsule({ params: { capsule: 'x' } });
// @ts-expect-error only lists have pages
const none = () => client.pages('getRun', { params: { runId: 'x' } });
console.log(JSON.stringify({ replayed: again.body.source.id === source.id, names, last: received.at(-1), status: ended.status, refusal, wrong: typeof wrong, none: typeof none }));
`;

const settings = {
  compilerOptions: {
    strict: true,
    target: 'ES2022',
    module: 'NodeNext',
    moduleResolution: 'NodeNext',
    lib: ['ES2024', 'DOM'],
    types: [],
    outDir: 'out',
  },
  files: ['program.ts'],
};

test('a program that uses only the packed client compiles and works with a server', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'groundctl-client-'));
  const harness = await startHarness();
  try {
    const installed = path.join(folder, 'node_modules/groundctl');
    writeNpmPackage(installed);
    // The client contains the parser of its event streams, whose license must be in every copy.
    const notices = readFileSync(path.join(installed, 'dist/third-party/notices.txt'), 'utf8');
    expect(notices).toMatch(/^eventsource-parser .* \(MIT\)$/m);
    writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(settings));
    writeFileSync(path.join(folder, 'program.ts'), program);
    const compiler = path.join(repositoryRoot, 'node_modules/typescript/bin/tsc');
    const compiled = await run(process.execPath, [compiler, '-p', folder]).catch((error) => error);
    expect(compiled.stdout).toBe('');
    const { url } = harness.repository('one', { 'main.tf': 'output "a" {\n  value = 1\n}\n' });
    const env = { BASE_URL: harness.server.url, TOKEN: harness.server.token, REPOSITORY: url };
    const { stdout } = await run(process.execPath, [path.join(folder, 'out/program.js')], { env });
    expect(JSON.parse(stdout)).toEqual({
      replayed: true,
      names: ['one', 'two'],
      last: 'end',
      status: 'succeeded',
      refusal: { status: 404, code: 'not_found', hasId: true },
      wrong: 'function',
      none: 'function',
    });
  } finally {
    await harness.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
