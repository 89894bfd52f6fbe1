import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repositoryRoot } from '#server/kernel/entry';
import { type Ground, startGround } from './fixtures/ground.ts';

/* Clients that other generators print from the OpenAPI document compile without a warning, and work with a server. */

const run = promisify(execFile);
const fixtures = path.join(repositoryRoot, 'e2e/fixtures/clients');
const expected = { name: expect.any(String), code: 'not_found', hasId: true };

let api: Ground;
let folder: string;
let tools: string;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'groundctl-generated-'));
  tools = (await run('sh', [path.join(fixtures, 'install.sh')], { cwd: folder })).stdout.trim();
  api = await startGround();
  const document = await (await fetch(`${api.server.url}/openapi.json`)).text();
  writeFileSync(path.join(folder, 'openapi.json'), document);
}, 120_000);
afterAll(async () => {
  await api?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('a client generated from the OpenAPI document', () => {
  it('in TypeScript', { timeout: 60_000 }, async () => {
    const cwd = path.join(folder, 'typescript');
    cpSync(path.join(fixtures, 'typescript'), cwd, { recursive: true });
    symlinkSync(path.join(tools, 'typescript/node_modules'), path.join(cwd, 'node_modules'));
    const dependency = (name: string) => path.join(cwd, 'node_modules', name);
    const generator = [dependency('openapi-typescript/bin/cli.js'), '../openapi.json', '-o', 'schema.d.ts'];
    const generated = await run(process.execPath, generator, { cwd });
    expect(generated.stderr).not.toMatch(/warn|error/i);
    const compiled = await run(process.execPath, [dependency('typescript/bin/tsc'), '-p', cwd]).catch((error) => error);
    expect(compiled.stdout).toBe('');
    const { server } = api;
    const { stdout } = await run(process.execPath, [path.join(cwd, 'out/program.js'), server.url, server.token]);
    expect(JSON.parse(stdout)).toEqual(expected);
  });

  it('in Python', { timeout: 120_000 }, async ({ skip }) => {
    const python = path.join(tools, 'python/bin/python');
    if (!existsSync(path.join(tools, 'python/.complete')))
      return skip('SKIPPED: Python with venv and PyPI is missing, so the Python client is not compiled');
    const config = path.join(fixtures, 'python/config.yaml');
    const generator = ['generate', '--path', 'openapi.json', '--output-path', 'python', '--config', config];
    const generated = await run(python, ['-m', 'openapi_python_client', ...generator], { cwd: folder });
    expect(generated.stdout + generated.stderr).not.toMatch(/warning|error|skipping/i);
    const compiled = await run(python, ['-m', 'compileall', '-q', 'python'], { cwd: folder }).catch((error) => error);
    expect(compiled.stdout).toBe('');
    const program = path.join(fixtures, 'python/program.py');
    const env = { PYTHONPATH: path.join(folder, 'python') };
    const { stdout } = await run(python, [program, api.server.url, api.server.token], { env });
    expect(JSON.parse(stdout)).toEqual(expected);
  });
});
