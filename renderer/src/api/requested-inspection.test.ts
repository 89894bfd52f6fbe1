import { expect, test } from 'vitest';
import { clearInspectionRequest, isInspectionRequested, requestInspection } from './requested-inspection.ts';

test('keeps a requested inspection until its page is shown, even when it is rendered twice', () => {
  requestInspection('https://git.example/one');
  expect(isInspectionRequested('https://git.example/other')).toBe(false);
  expect([isInspectionRequested('https://git.example/one'), isInspectionRequested('https://git.example/one')]).toEqual([
    true,
    true,
  ]);
  clearInspectionRequest();
  expect(isInspectionRequested('https://git.example/one')).toBe(false);
});
