import { expect, it } from 'vitest';
import { syncNextStep } from './next-step.ts';

it('names the folder instead of the network for a local repository', () => {
  expect(syncNextStep('source_not_git', 'file:///srv/gone')).toBe('install.sync.folder');
  expect(syncNextStep('source_not_git', 'https://example.com/gone')).toBe('install.sync.notGit');
  expect(syncNextStep(undefined, 'file:///srv/gone')).toBe('install.sync.other');
});
