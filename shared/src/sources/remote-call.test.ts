import { expect, it } from 'vitest';
import { remoteCallMessage, remoteCallsOf } from './remote-call.ts';

const code = 'remote_module_source' as const;
const finding = (path: string, name: string, address: string) => ({
  code,
  path,
  message: remoteCallMessage(name, address),
});

it('reads file, name and address of each call once', () => {
  const vpc = { path: 'main.tf', name: 'vpc', address: 'terraform-aws-modules/vpc/aws' };
  const git = { path: 'modules/a/main.tf', name: 'a', address: 'git::https://example.com/a.b.git//c' };
  expect(
    remoteCallsOf([
      finding(vpc.path, vpc.name, vpc.address),
      finding(git.path, git.name, git.address),
      finding(vpc.path, vpc.name, vpc.address),
    ]),
  ).toEqual([vpc, git]);
});

it('leaves out other findings and messages of another form', () => {
  const message = remoteCallMessage('vpc', 'a/b/c');
  expect(
    remoteCallsOf([
      { code: 'configuration_invalid', path: 'main.tf', message },
      { code: 'remote_module_source', path: 'main.tf', message: 'The module comes from elsewhere.' },
    ]),
  ).toEqual([]);
});

it('names the folder itself when a finding names no file', () => {
  expect(remoteCallsOf([{ code: 'remote_module_source', message: remoteCallMessage('a', 'b') }])).toEqual([
    { path: '.', name: 'a', address: 'b' },
  ]);
});
