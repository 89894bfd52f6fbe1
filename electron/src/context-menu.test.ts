import { expect, test, vi } from 'vitest';
import { contextMenu } from './context-menu.ts';
import { texts } from './texts.ts';

vi.mock('electron', () => ({ app: { getLocale: () => 'en-GB' }, clipboard: {}, Menu: {} }));

const editFlags = { canCut: true, canCopy: true, canPaste: false, canSelectAll: true };
const nothing = { isEditable: false, selectionText: '', linkURL: '', editFlags };
const copy = vi.fn();
const menu = (facts: Partial<typeof nothing>) => contextMenu({ t: texts(), facts: { ...nothing, ...facts }, copy });
const shown = (facts: Partial<typeof nothing>) =>
  menu(facts).map(({ label, type, enabled }) => [label ?? type, enabled]);

test('a right click offers what the text allows', () => {
  expect(shown({})).toEqual([]);
  expect(shown({ selectionText: 'x' })).toEqual([['Copy', true]]);
  expect(shown({ isEditable: true })).toEqual([
    ['Cut', true],
    ['Copy', true],
    ['Paste', false],
    ['separator', undefined],
    ['Select All', true],
  ]);
});

test('a link shows its address, without what deceives, and copies it whole', () => {
  const linkURL = `https://example.com/\u202e&${'x'.repeat(100)}`;
  const items = menu({ linkURL, selectionText: 'x' });
  expect(items.map(({ label, type }) => label ?? type)).toEqual([
    expect.stringMatching(/^https:\/\/example\.com\/\\u\{202e\}&&x+…$/),
    'Copy Link Address',
    'separator',
    'Copy',
  ]);
  expect(items[0]?.enabled).toBe(false);
  items[1]?.click?.({} as never, undefined, {} as never);
  expect(copy.mock.calls).toEqual([[linkURL]]);
});
