import { expect, test } from 'vitest';
import { clearInspectionRequest, isInspectionRequested, requestInspection } from './requested-inspection.ts';

test('what a person asked for is still asked for when its page is rendered twice, until it is shown', () => {
  requestInspection('https://git.example/one');
  expect(isInspectionRequested('https://git.example/other')).toBe(false);
  expect([isInspectionRequested('https://git.example/one'), isInspectionRequested('https://git.example/one')]).toEqual([
    true,
    true,
  ]);
  clearInspectionRequest();
  expect(isInspectionRequested('https://git.example/one')).toBe(false);
});
