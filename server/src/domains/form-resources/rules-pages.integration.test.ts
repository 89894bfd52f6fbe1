import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formHostPath } from '#shared/vendor';
import { type FormHostFixture, startFormHost } from '../../../test/form-host.ts';
import { formPackage } from '../../../test/form-package.ts';
import { refusalOf } from '../../../test/form-rules.ts';
import { addWorkspace } from '../../../test/second-workspace.ts';

const versions = ['1.0.0', '2.0.0', '3.0.0', '4.0.0', '5.0.0'];
let f: FormHostFixture;
beforeAll(async () => {
  const formRef = formPackage().formRef;
  f = await startFormHost({
    packages: versions.map((definitionVersion) => formPackage({ formRef: { ...formRef, definitionVersion } })),
  });
  for (const name of ['a', 'b', 'c', 'd', 'e']) await f.apply({ name });
});
afterAll(() => f.server.close());

type Page = { forms?: object[]; resources?: object[]; nextCursor?: string };
const page = async (address: string, query: Record<string, string>) =>
  f.send('GET', `${address}?${new URLSearchParams({ space: f.server.workspaceId, ...query })}`);
const lists = [`${formHostPath}/forms`, `${formHostPath}/resources`, '/v1/resources'];

describe.each(lists)('the list %s', (address) => {
  it('comes in pages that hold everything once, in one order', async () => {
    const whole = (await page(address, {})).json as Page;
    expect(whole.nextCursor).toBeUndefined();
    const parts: object[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const { forms, resources, nextCursor } = (
        await page(address, { limit: '2', ...(cursor !== undefined && { cursor }) })
      ).json as Page;
      parts.push(...(forms ?? resources ?? []));
      cursor = nextCursor;
      pages += 1;
    } while (cursor !== undefined && pages < 9);
    expect([pages, parts]).toEqual([3, whole.forms ?? whole.resources]);
  });

  it.each(['0', '-1', '1.5', 'x', '', '1e2'])('refuses the limit "%s"', async (limit) => {
    expect(refusalOf(await page(address, { limit }))).toEqual([400, 'invalid_argument', 'invalid_request', false]);
  });

  it('clamps a limit that is too large', async () => {
    expect((await page(address, { limit: '100000' })).status).toBe(200);
  });

  it('refuses a cursor of another list, of another space, and of no list', async () => {
    const other = f.server.ledger((db) => addWorkspace(db, [f.server.subject]));
    const cursorOf = async (list: string) => ((await page(list, { limit: '1' })).json as Page).nextCursor ?? '';
    const foreign =
      lists.find((list) => list !== address && list.endsWith('forms') !== address.endsWith('forms')) ?? '';
    const cases: Record<string, string>[] = [
      { cursor: await cursorOf(foreign) },
      { cursor: await cursorOf(address), space: other },
      { cursor: '' },
      { cursor: 'x' },
      { cursor: 'x'.repeat(513) },
    ];
    for (const query of cases)
      expect(refusalOf(await page(address, query))).toEqual([400, 'invalid_argument', 'invalid_request', false]);
  });
});
