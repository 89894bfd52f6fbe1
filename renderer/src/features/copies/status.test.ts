import { expect, it } from 'vitest';
import { copyUnchanged } from '#shared/copies/contract';
import { isUnchanged, revisionStatusText } from './status.ts';

it('shows an update that found nothing new as no failure', () => {
  const revision = { status: 'failed', error: { code: copyUnchanged, message: '' } } as const;
  expect(isUnchanged(revision)).toBe(true);
  expect(revisionStatusText(revision)).toEqual({ text: 'copy.status.unchanged', tone: 'neutral' });
});

it('shows every other failure as one', () => {
  const revision = { status: 'failed', error: { code: 'copy_failed', message: '' } } as const;
  expect(isUnchanged(revision)).toBe(false);
  expect(revisionStatusText(revision)).toEqual({ text: 'copy.status.failed', tone: 'bad' });
});
