import { expect, test } from 'vitest';
import { emptyState } from '#server/drivers/tofu/index';
import { arrivalItem } from './arrival-item.ts';

const state = { text: emptyState('00000000-0000-0000-0000-000000000000', '1.12.6'), generation: 4 };

test('a lost apply says when its last state arrived, or that none did', () => {
  const messageOf = (at: number | undefined) => arrivalItem(0, at, state).payload['message'];
  expect(messageOf(1_000)).toBe(
    'The last state that arrived is of 1970-01-01T00:00:01.000Z, with 0 resources. It is generation 4 now.',
  );
  expect(messageOf(undefined)).toBe(
    'No state of this apply arrived. The state from before it, with 0 resources, is generation 4 now.',
  );
});
