import { expect, test } from 'vitest';
import { z } from 'zod';
import { limitOf } from './page.ts';

const query = z.object({ limit: limitOf({ max: 200, usual: 50 }) });
const limitIn = (search: object): unknown => query.safeParse(search).data?.limit;

test('a limit is the default, the submitted value, or the maximum', () => {
  expect([{}, { limit: '7' }, { limit: '200' }, { limit: '9'.repeat(400) }].map(limitIn)).toEqual([50, 7, 200, 200]);
});

test('a strict limit above the maximum is refused', () => {
  const strict = z.object({ limit: limitOf({ max: 200, usual: 50, refusesMore: true }) });
  expect(strict.safeParse({ limit: '200' }).data).toEqual({ limit: 200 });
  expect(strict.safeParse({ limit: '201' }).error?.issues[0]?.path).toEqual(['limit']);
});

test('its JSON Schema is an integer with the same bounds', () => {
  const { properties } = z.toJSONSchema(query, { io: 'input' });
  expect(properties?.['limit']).toMatchObject({ type: 'integer', minimum: 1, maximum: 200 });
});
