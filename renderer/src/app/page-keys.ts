import { useEffect } from 'react';
import { useOpenPage } from '../components/use-open-page.ts';
import { isPageKey, isSingleKey } from '../ui/keys/key-event.ts';
import { type KeyGroup, showKeySheet } from '../ui/keys/key-help.ts';
import { moveOnPage } from '../ui/keys/row-keys.ts';
import { createSequence } from '../ui/keys/sequence.ts';
import { paletteKeys } from '../ui/platform.ts';

/** Pages behind `g`. */
const pages = [
  { key: 'h', to: '/', text: 'keys.go.home' },
  { key: 'c', to: '/capsules', text: 'keys.go.capsules' },
  { key: 'r', to: '/runs', text: 'keys.go.runs' },
  { key: 's', to: '/sources', text: 'keys.go.sources' },
] as const;
/** Keys that work on every page. */
export const everywhereKeys: KeyGroup = {
  title: 'keys.everywhere',
  lines: [
    { keys: paletteKeys, joint: 'together', text: 'keys.palette' },
    { keys: ['?'], text: 'keys.help' },
    ...pages.map(({ key, text }) => ({ keys: ['g', key], joint: 'then', text }) as const),
  ],
};

const content = (): ParentNode => document.getElementById('content') ?? document;

function focusFilter(): boolean {
  const filter = content().querySelector<HTMLInputElement>('input[aria-keyshortcuts~="/"]');
  filter?.focus();
  filter?.select();
  return filter !== null;
}

/** Opens the row that has the focus. */
function openRow(): boolean {
  const row = document.activeElement;
  if (!(row instanceof HTMLElement) || row.closest('[data-row-list]') === null || row.dataset['row'] === undefined)
    return false;
  row.click();
  return true;
}

function showSheet(): boolean {
  showKeySheet(true);
  return true;
}

const actions = new Map<string, () => boolean>([
  ['?', showSheet],
  ['/', focusFilter],
  ['o', openRow],
  ...['j', 'k', 'ArrowDown', 'ArrowUp'].map((key) => [key, () => moveOnPage(key, content())] as const),
]);

function onKey(event: KeyboardEvent): void {
  const isOurs = event.key.startsWith('Arrow') ? isPageKey(event) : isSingleKey(event);
  if (isOurs && actions.get(event.key)?.()) event.preventDefault();
}

const addresses = new Map<string, string>(pages.map(({ key, to }) => [key, to]));

/** Listens for `g` and the key of a page behind it, which no part of the page gets. */
function listenForSequences(open: (address: string) => void): (event: KeyboardEvent) => void {
  const read = createSequence('g', addresses);
  return (event) => {
    // Modifiers have long names.
    if ([...event.key].length > 1) return;
    const address = read(isSingleKey(event) ? event.key : '', event.timeStamp);
    if (address === undefined) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    open(address);
  };
}

/** The keys of every page. A part of the page that handles a key goes first. */
export function usePageKeys(): void {
  const openPage = useOpenPage();
  useEffect(() => {
    const onSequence = listenForSequences(openPage);
    window.addEventListener('keydown', onSequence, true);
    window.addEventListener('keydown', onKey);
    return () => {
      window.removeEventListener('keydown', onSequence, true);
      window.removeEventListener('keydown', onKey);
    };
  }, [openPage]);
}
