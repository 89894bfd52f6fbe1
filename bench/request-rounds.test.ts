import { expect, it } from 'vitest';
import { compareRequests } from './request-rounds.ts';

it('sends the requests of both sides in turn, in every round', async () => {
  const sent: string[] = [];
  const side = (name: string) => async (index: number) => sent.push(`${name}${index}`);
  const result = await compareRequests('page', { samples: 2, goal: 1.2 }, { measured: side('a'), baseline: side('b') });
  expect(result).toMatchObject({ case: 'page', goal: 1.2, samples: 2 });
  expect(sent.slice(0, 4)).toEqual(['a0', 'b0', 'a1', 'b1']);
  expect(sent).toHaveLength(160);
});
