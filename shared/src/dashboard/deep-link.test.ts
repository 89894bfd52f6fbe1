import { expect, test } from 'vitest';
import { deepLinkOf, pageOfAddress, pageOfDeepLink } from './deep-link.ts';

const ulid = '01M80WAXV4J3K6YN1ACZ1G96CT';

test.each([
  ['groundctl://install?git=https%3A%2F%2Fexample.com%2Fr', '/new?git=https%3A%2F%2Fexample.com%2Fr'],
  ['groundctl://install', '/new'],
  [`groundctl://runs/plan_${ulid}`, `/runs/plan_${ulid}`],
  ['groundctl://runs/plan_0123456789abcdef', '/runs/plan_0123456789abcdef'],
  [`groundctl://runs/apply_${ulid}`, `/runs/apply_${ulid}`],
  [`groundctl://capsules/cap_${ulid}`, `/capsules/cap_${ulid}`],
])('%s opens %s', (link, page) => {
  expect(pageOfDeepLink(link)).toBe(page);
});

test.each([
  '',
  'groundctl://runs',
  'groundctl://runs/',
  `groundctl://runs/cap_${ulid}`,
  `groundctl://capsules/plan_${ulid}`,
  `groundctl://capsules/cap_${ulid}/settings`,
  `groundctl://capsules/cap_${ulid}?tab=settings`,
  `groundctl://capsules/cap_${ulid}#x`,
  `groundctl://capsules/../cap_${ulid}`,
  `groundctl://user@capsules/cap_${ulid}`,
  `groundctl://capsules:1/cap_${ulid}`,
  `groundctl://sources/src_${ulid}`,
  `groundctl://__proto__/cap_${ulid}`,
  `groundctl://constructor/cap_${ulid}`,
  `groundctl:capsules/cap_${ulid}`,
  `groundctl:///capsules/cap_${ulid}`,
  `GROUNDCTL://capsules/cap_${ulid}`,
  ` groundctl://capsules/cap_${ulid}`,
  `groundctl://capsules/cap_${ulid}\n`,
  `https://ground.example/capsules/cap_${ulid}`,
  'https://ground.example/install?git=x',
])('%j opens nothing', (link) => {
  expect(pageOfDeepLink(link)).toBeUndefined();
});

test('a page of a Run or a Capsule has a link, and no other page', () => {
  expect(deepLinkOf(`/runs/plan_${ulid}`)).toBe(`groundctl://runs/plan_${ulid}`);
  expect(deepLinkOf(`/capsules/cap_${ulid}`)).toBe(`groundctl://capsules/cap_${ulid}`);
  for (const path of ['/', '/runs', `/sources/src_${ulid}`, `/capsules/cap_${ulid}/settings`, '/install', '/new'])
    expect([path, deepLinkOf(path)]).toEqual([path, undefined]);
});

test('an address is encoded as a whole', () => {
  expect(new URLSearchParams(pageOfAddress('/srv/a b?x=1&git=y#z').slice('/new?'.length)).toString()).toBe(
    new URLSearchParams({ url: '/srv/a b?x=1&git=y#z' }).toString(),
  );
});
