import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repositoryRoot } from '#server/kernel/entry';
import { type Harness, startHarness } from './fixtures/harness.ts';

/* Clients that other generators print from the OpenAPI document compile without a warning, and work with a server. */

const fixtures = path.join(repositoryRoot, 'e2e/fixtures/clients');
const withoutPython = 'SKIPPED: the Python client is not compiled, because Python with venv or PyPI is missing.';
const refused = { code: 'not_found', hasId: true, change: 'not_found' };

/** Runs a command to its end, with any exit code; one that cannot be started has none. */
const run = (command: string, argv: readonly string[], options: { cwd: string; env?: Record<string, string> }) =>
  new Promise<{ code: unknown; output: string; stdout: string }>((resolve) => {
    execFile(command, argv, { maxBuffer: 2 ** 26, ...options }, (error, stdout, stderr) =>
      resolve({ code: error ? (error.code ?? 'killed') : 0, output: stdout + stderr, stdout }),
    );
  });

/** The example of the guide in a language. */
function guideIn(language: 'ts' | 'python'): string {
  const guide = readFileSync(path.join(repositoryRoot, 'docs/api.md'), 'utf8');
  const [, section = ''] = guide.split('\n## A client in another language\n');
  const [, example] = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(section) ?? [];
  return example ?? expect.unreachable(`the guide has no example in ${language}`);
}

let api: Harness;
let folder: string;
let tools: string;
let env: Record<string, string>;
let names: string;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'groundctl-generated-'));
  const installed = await run('sh', [path.join(fixtures, 'install.sh')], { cwd: folder });
  expect(installed).toMatchObject({ code: 0 });
  tools = installed.stdout.trim();
  api = await startHarness();
  const { url, token } = api.server;
  env = { BASE: url, TOKEN: token };
  const { body } = await api.http.get<{ workspaces: { displayName: string }[] }>('/api/v1/workspaces');
  names = body.workspaces.map(({ displayName }) => `${displayName}\n`).join('');
  writeFileSync(path.join(folder, 'openapi.json'), await (await fetch(`${url}/openapi.json`)).text());
}, 180_000);
afterAll(async () => {
  await api?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('a client generated from the OpenAPI document', () => {
  it('in TypeScript', { timeout: 120_000 }, async () => {
    const cwd = path.join(folder, 'typescript');
    cpSync(path.join(fixtures, 'typescript'), cwd, { recursive: true });
    writeFileSync(path.join(cwd, 'guide.ts'), guideIn('ts'));
    symlinkSync(path.join(tools, 'typescript/node_modules'), path.join(cwd, 'node_modules'));
    const node = (script: string, ...argv: string[]) =>
      run(process.execPath, [path.join(cwd, script), ...argv], { cwd, env });
    const generated = await node('node_modules/openapi-typescript/bin/cli.js', '../openapi.json', '-o', 'schema.d.ts');
    expect(generated).toMatchObject({ code: 0, output: expect.not.stringMatching(/warn|error/i) });
    expect(await node('node_modules/typescript/bin/tsc', '-p', cwd)).toMatchObject({ code: 0, output: '' });
    expect(await node('out/guide.js')).toMatchObject({ code: 0, output: names });
    const { stdout, ...ended } = await node('out/program.js');
    expect(ended).toMatchObject({ code: 0 });
    expect(JSON.parse(stdout)).toEqual(refused);
  });

  it('in Python', { timeout: 180_000 }, async ({ skip }) => {
    if (!existsSync(path.join(tools, 'python/.complete'))) {
      // A reason alone is shown only by reporters that list every test.
      console.warn(withoutPython);
      return skip(withoutPython);
    }
    writeFileSync(path.join(folder, 'guide.py'), guideIn('python'));
    cpSync(path.join(fixtures, 'python/program.py'), path.join(folder, 'program.py'));
    const settings = { cwd: folder, env: { ...env, PYTHONPATH: path.join(folder, 'python') } };
    const python = (...argv: string[]) => run(path.join(tools, 'python/bin/python'), argv, settings);
    const config = path.join(fixtures, 'python/config.yaml');
    const from = ['--path', 'openapi.json', '--output-path', 'python', '--config', config, '--fail-on-warning'];
    const generated = await python('-m', 'openapi_python_client', 'generate', ...from);
    expect(generated).toMatchObject({ code: 0, output: expect.not.stringMatching(/warning|error|skipping/i) });
    expect(await python('-m', 'compileall', '-q', 'python')).toMatchObject({ code: 0, output: '' });
    // Its cache is kept: a file whose content is the same is not checked again, which takes most of the time.
    const cache = `--cache-dir=${path.join(repositoryRoot, '.cache/mypy')}`;
    const checked = await python('-m', 'mypy', cache, 'python', 'guide.py', 'program.py');
    expect(checked).toMatchObject({ code: 0, output: expect.stringContaining('no issues found') });
    expect(await python('guide.py')).toMatchObject({ code: 0, output: names });
    const { stdout, ...ended } = await python('program.py');
    expect(ended).toMatchObject({ code: 0 });
    expect(JSON.parse(stdout)).toEqual(refused);
  });
});
