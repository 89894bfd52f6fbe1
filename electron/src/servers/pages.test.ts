import { expect, test, vi } from 'vitest';
import { escapeHtml } from './html.ts';
import { choosePageAddress, managePageAddress } from './manage-page.ts';
import { serverMenu } from './server-menu.ts';
import { pageBounds, serverTitle, stripAddress } from './strip.ts';
import { serverTexts } from './texts.ts';

const { locale } = vi.hoisted(() => ({ locale: { is: 'en-GB' } }));
vi.mock('electron', () => ({ app: { getLocale: () => locale.is } }));

const htmlOf = (address: string) => Buffer.from(address.replace(/^data:[^,]*,/, ''), 'base64').toString('utf8');
const server = { id: '1', name: '<b>"Team" & \u2066x', origin: 'https://team.example' };

test('texts are escaped, and characters that deceive are shown', () => {
  expect(escapeHtml(`<a href="x" b='y'>&\u202e`)).toBe('&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;\\u{202e}');
});

test('the strip names the server, its address and what is wrong, and runs no script', () => {
  const html = htmlOf(stripAddress({ ...server, message: '<i>', language: 'en' }));
  expect(html).toContain('&lt;b&gt;&quot;Team&quot; &amp; \\u{2066}x');
  expect(html).toContain('https://team.example');
  expect(html).toContain('<p role="alert">&lt;i&gt;</p>');
  expect(html).toContain(`default-src 'none'`);
  expect(html).not.toMatch(/<script|<i>|<b>"/);
});

test('the strip stays above the page, however small the window is', () => {
  expect(pageBounds({ width: 900, height: 600 })).toEqual({ x: 0, y: 40, width: 900, height: 560 });
  expect(pageBounds({ width: 900, height: 20 })).toEqual({ x: 0, y: 40, width: 900, height: 0 });
  expect(serverTitle({ name: 'Team', origin: 'https://team.example:8443' })).toBe(
    'Team – team.example:8443 – Ground Control',
  );
});

test('the pages of the desktop list servers with what can be done, and name the target of a link', () => {
  const page = { t: serverTexts(), language: 'en', servers: [server] };
  const manage = htmlOf(managePageAddress(page));
  for (const part of ['data-kind="open" data-id="1"', 'data-kind="remove" data-id="1"', 'data-kind="add"'])
    expect(manage).toContain(part);
  expect(manage).toContain('aria-label="Remove: ');
  expect(manage).toContain('data-kind="close">Close<');
  expect(htmlOf(managePageAddress({ ...page, servers: [] }))).toContain('No saved servers');
  const link = { ...page, localOrigin: 'http://127.0.0.1:4600', target: 'https://example.com/<r>' };
  const choose = htmlOf(choosePageAddress(link));
  expect(choose).toContain('https://example.com/&lt;r&gt;');
  expect(choose.match(/data-kind="take"/g)).toHaveLength(2);
  const nonces = (html: string) => new Set(html.match(/nonce[=-]"?[\w+/=]+/g)?.map((text) => text.slice(7)));
  expect(nonces(manage)).not.toEqual(nonces(choose));
});

test('the menu switches between this machine and saved servers', () => {
  const actions = { showLocal: vi.fn(), show: vi.fn(), manage: vi.fn() };
  const servers = [
    { ...server, name: 'R&D' },
    { ...server, id: '2', name: 'Lab' },
  ];
  const menu = serverMenu({ t: serverTexts(), servers, isCurrent: (id) => id === '2', ...actions });
  const items = menu.submenu as { label?: string; checked?: boolean; click?: () => void }[];
  expect(items.map(({ label, checked }) => [label, checked])).toEqual([
    ['This machine', false],
    ['R&&D', false],
    ['Lab', true],
    [undefined, undefined],
    ['Manage Servers…', undefined],
  ]);
  for (const { click } of items) click?.();
  expect(actions.show.mock.calls).toEqual([['1'], ['2']]);
  expect([actions.showLocal.mock.calls.length, actions.manage.mock.calls.length]).toEqual([1, 1]);
});

test('texts are in the language of the system', () => {
  locale.is = 'ja';
  expect(serverTexts().local).toBe('このマシン');
  locale.is = 'de';
  expect(serverTexts().local).toBe('This machine');
});
