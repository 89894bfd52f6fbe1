import { expect, it } from 'vitest';
import type { LifecycleAction } from '#shared/install-configs/lifecycle';
import { actionLines } from './action-text.ts';

const action: LifecycleAction = {
  apiVersion: 'svc.dev/v1alpha1',
  kind: 'command',
  id: 'migrate',
  phase: 'post_apply',
  executor: 'runner',
  command: ['sh', '-c', 'echo "a b"\u001b[2J'],
};

it('shows the exact command, its limits and variables, without control characters', () => {
  const more = { workingDirectory: 'ops', env: { MODE: 'x\ny' }, timeoutSeconds: 9, useProviderCredentials: true };
  const lines = actionLines('After:', [
    { ...action, ...more },
    { ...action, id: 'b', executor: 'operator', cleanupFor: 'a' },
  ]);
  expect(lines).toEqual([
    'After:',
    expect.stringMatching(/^ {2}migrate: sh -c "echo .* \(in "ops"\)$/),
    '    in the sandbox of the apply, at most 9 s, with the credentials of the Connections',
    expect.stringMatching(/^ {4}MODE=x.*y$/),
    expect.stringMatching(/^ {2}b: sh -c /),
    '    by the release activator of the server, at most 30 s, only if a ever took effect',
  ]);
  expect(lines.join('\n')).not.toContain('\u001b');
});

it('is empty without actions', () => expect(actionLines('After:', [])).toEqual([]));
