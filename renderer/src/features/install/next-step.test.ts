import { expect, it } from 'vitest';
import { syncNextStep } from './next-step.ts';

it('speaks of the folder, not of a browser or the network, where the repository is a local folder', () => {
  expect(syncNextStep('source_not_git', 'file:///srv/gone')).toBe('install.sync.folder');
  expect(syncNextStep('source_not_git', 'https://example.com/gone')).toBe('install.sync.notGit');
  expect(syncNextStep(undefined, 'file:///srv/gone')).toBe('install.sync.other');
});
