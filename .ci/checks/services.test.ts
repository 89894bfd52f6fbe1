import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { repositoryRoot } from '#server/kernel/entry';
import { readCommandLine } from '../../server/src/cli/options.ts';

const started = /^ExecStart=\/usr\/bin\/node \/opt\/groundctl\/dist\/server\/groundctl\.js (.+)$/m;
const read = (file: string): string => readFileSync(path.join(repositoryRoot, file), 'utf8');
const services = globSync('resources/*/groundctl*.service', { cwd: repositoryRoot }).filter((file) =>
  started.test(read(file)),
);

test('each systemd service of the command starts one that exists, with its options', () => {
  const commands = services.map((file) => started.exec(read(file))?.[1]?.split(' ') ?? []);
  expect(commands.map(([name]) => name).sort()).toEqual(['runner', 'serve']);
  for (const argv of commands) expect(() => readCommandLine(argv)).not.toThrow();
});

test('a machine is enrolled by its service with the file that the page names', () => {
  const [argv = []] = services
    .map((file) => started.exec(read(file))?.[1]?.split(' ') ?? [])
    .filter(([name]) => name === 'runner');
  const { options } = readCommandLine([...argv]);
  expect(options.enrol).toBe(`${options['data-dir']}/enrolment`);
  expect(read('docs/runners.md')).toContain(`office.enrol ${options.enrol}\n`);
});
