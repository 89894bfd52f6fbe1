import { describe, expect, test, vi } from 'vitest';
import { noWork } from '#shared/dashboard/owner-work';
import { decideClosing } from './closing.ts';
import { jumpList } from './jump-list.ts';
import { isShown, wordNotice } from './notice.ts';
import { settingItems } from './setting-items.ts';
import { createSleepBlocker } from './sleep-blocker.ts';
import { backgroundTexts } from './texts.ts';
import { hasTray } from './tray-host.ts';
import { menuName, trayMenu, trayTooltip } from './tray-menu.ts';
import { drawMark, markOf } from './tray-picture.ts';

const { locale } = vi.hoisted(() => ({ locale: { current: 'en-GB' } }));
vi.mock('electron', () => ({ app: { getLocale: () => locale.current } }));

const t = backgroundTexts();
const id = `cap_${'0'.repeat(26)}`;
const busy = {
  ...noWork,
  running: 2,
  applying: 1,
  waiting: 1,
  failed: 3,
  recentCapsules: [{ id, name: 'Shop & more' }],
};

describe('the tray', () => {
  const actions = { open: vi.fn(), quit: vi.fn() };
  const labels = (work = noWork, settings: { label: string }[] = []) =>
    trayMenu({ t, work, settings, actions }).map(({ label, type }) => label ?? type);

  test('shows what runs, waits and failed, the recent Capsules and the settings', () => {
    expect(labels(busy, [{ label: 'Start at Login' }])).toEqual([
      'Open Ground Control',
      'separator',
      '1 plan waits for you',
      '3 Capsules failed',
      '2 Runs are going on',
      'separator',
      'Recent Capsules',
      'Install a module…',
      'separator',
      'Start at Login',
      'separator',
      'Quit',
    ]);
    expect(labels()).toContain('Nothing needs your attention');
    expect(labels({ ...busy, isSealed: true })).toContain('The vault is sealed');
    expect(labels({ ...busy, isSealed: true })).not.toContain('3 Capsules failed');
  });

  test('opens the page of each line', () => {
    const menu = trayMenu({ t, work: busy, settings: [], actions });
    const items = menu.flatMap((item) => [item, ...((item.submenu as typeof menu | undefined) ?? [])]);
    for (const { click } of items) click?.({} as never, undefined, {} as never);
    expect(actions.open.mock.calls).toEqual([
      [],
      ['/'],
      ['/'],
      ['/runs?status=running'],
      [`/capsules/${id}`],
      ['/new'],
    ]);
    expect(actions.quit).toHaveBeenCalledOnce();
  });

  test('names it in its tooltip, and a mark shows the most urgent', () => {
    expect(trayTooltip(t, busy)).toBe('Ground Control\n1 plan waits for you\n3 Capsules failed\n2 Runs are going on');
    expect(markOf(busy)).toBe('failed');
    expect(markOf({ ...busy, failed: 0 })).toBe('waiting');
    expect(markOf({ ...busy, failed: 0, waiting: 0 })).toBe('running');
    expect(markOf(noWork)).toBeUndefined();
    expect(markOf({ ...noWork, isSealed: true })).toBe('failed');
  });

  test('draws the mark into the corner of the picture and changes nothing else', () => {
    const plain = new Uint8Array(32 * 32 * 4).fill(7);
    const drawn = drawMark(plain, 32, 'failed');
    const pixel = (x: number, y: number) => [...drawn.subarray((y * 32 + x) * 4, (y * 32 + x) * 4 + 4)];
    expect([pixel(23, 23), pixel(0, 0), pixel(31, 31)]).toEqual([
      [38, 38, 220, 255],
      Array(4).fill(7),
      Array(4).fill(7),
    ]);
    expect(plain.every((byte) => byte === 7)).toBe(true);
    expect([...drawMark(plain, 32, undefined)]).toEqual([...plain]);
  });

  test('shows names without what deceives, and short', () => {
    expect(menuName('a & b\u202e')).toBe('a && b\\u{202e}');
    expect(menuName('x'.repeat(200))).toHaveLength(60);
  });

  test.each([
    ['darwin', {}, true],
    ['win32', {}, true],
    ['linux', {}, false],
    ['linux', { XDG_CURRENT_DESKTOP: 'GNOME' }, false],
    ['linux', { XDG_CURRENT_DESKTOP: 'ubuntu:GNOME' }, true],
    ['linux', { XDG_CURRENT_DESKTOP: 'KDE' }, true],
    ['linux', { XDG_CURRENT_DESKTOP: 'KDE', GROUNDCTL_TRAY: 'off' }, false],
    ['linux', { XDG_CURRENT_DESKTOP: 'GNOME', GROUNDCTL_TRAY: 'on' }, true],
  ] as const)('on %s with %j it is seen: %s', (platform, env, isSeen) => {
    expect(hasTray({ platform, env })).toBe(isSeen);
  });
});

describe('closing the window', () => {
  const base = { hasTray: true, keepsRunning: true, isQuitting: false, platform: 'linux' as const, running: 0 };
  test.each([
    ['stays in the tray', {}, 'stay'],
    ['stays in the tray with Runs', { running: 2 }, 'stay'],
    ['quits where the person chose that', { keepsRunning: false }, 'quit'],
    ['quits where the person chose that, with Runs', { keepsRunning: false, running: 2 }, 'quit'],
    ['quits without a tray', { hasTray: false }, 'quit'],
    ['asks without a tray while Runs are going on', { hasTray: false, running: 1 }, 'ask'],
    ['does not ask while the application quits', { hasTray: false, running: 1, isQuitting: true }, 'quit'],
    ['stays in the Dock of macOS', { platform: 'darwin', hasTray: false, keepsRunning: false }, 'stay'],
  ] as const)('%s', (_name, change, decision) => {
    expect(decideClosing({ ...base, ...change })).toBe(decision);
  });
});

describe('a notification', () => {
  test('is worded by the desktop, and leads to the Run', () => {
    const notice = { event: 'run.failed', runId: 'plan_1', workspaceName: 'Main', capsuleName: 'Shop\u202e' } as const;
    expect(wordNotice(t, notice)).toEqual({
      title: 'Your Run failed',
      body: 'Shop\\u{202e} · Main',
      page: '/runs/plan_1',
    });
    locale.current = 'ja-JP';
    const { capsuleName: _, ...unnamed } = notice;
    expect(wordNotice(backgroundTexts(), unnamed)).toMatchObject({ title: 'Run が失敗しました', body: 'Main' });
    locale.current = 'en-GB';
  });

  test('is left out while its page is in front', () => {
    const address = 'http://127.0.0.1:4600/runs/plan_1?line=4';
    expect(isShown('/runs/plan_1', { isFocused: true, address })).toBe(true);
    expect(isShown('/runs/plan_1', { isFocused: false, address })).toBe(false);
    expect(isShown('/runs/plan_2', { isFocused: true, address })).toBe(false);
    expect(isShown('/runs/plan_1', { isFocused: true, address: '' })).toBe(false);
    expect(isShown('/runs/plan_1', undefined)).toBe(false);
  });
});

test('the system stays awake while an apply runs, with one blocker, which is released', () => {
  const active = new Set<number>();
  let started = 0;
  const blocker = createSleepBlocker({
    start(type) {
      expect(type).toBe('prevent-app-suspension');
      started += 1;
      active.add(started);
      return started;
    },
    stop: (id) => active.delete(id),
  });
  const update = (applying: number) => {
    blocker.update({ applying });
    return active.size;
  };
  expect([0, 1, 2, 1, 0, 0, 1].map(update)).toEqual([0, 1, 1, 1, 0, 0, 1]);
  blocker.release();
  blocker.release();
  expect([active.size, started]).toEqual([0, 2]);
});

test('the jump list of Windows starts the program with a link of each Capsule', () => {
  const capsules = [...busy.recentCapsules, { id: 'cap_x" --evil', name: 'forged' }];
  expect(jumpList(t, { recentCapsules: capsules }, 'C:\\gc.exe')).toEqual([
    {
      type: 'custom',
      name: 'Recent Capsules',
      items: [
        expect.objectContaining({ title: 'Shop & more', program: 'C:\\gc.exe', args: `groundctl://capsules/${id}` }),
      ],
    },
  ]);
  expect(jumpList(t, noWork, 'C:\\gc.exe')).toEqual([]);
});

test('the settings are items of a menu, where they have an effect', () => {
  const save = vi.fn();
  const loginItem = { isOn: () => true, set: vi.fn() };
  const change = (work: () => void) => work();
  const settings = { keepsRunning: true, hasExplained: false, checksForUpdates: false };
  const itemsOn = (hasTray: boolean, platform: NodeJS.Platform, item?: typeof loginItem, isUpdatable = false) =>
    settingItems({ t, hasTray, platform, settings, change, save, loginItem: item, isUpdatable });
  const items = itemsOn(true, 'linux', loginItem, true);
  expect(items.map(({ label, checked }) => [label, checked])).toEqual([
    ['Keep Running When the Window Is Closed', true],
    ['Start at Login', true],
    ['Look for Updates When It Starts', false],
  ]);
  for (const { click } of items) click?.({} as never, undefined, {} as never);
  expect(save.mock.calls).toEqual([[{ ...settings, keepsRunning: false }], [{ ...settings, checksForUpdates: true }]]);
  expect(loginItem.set.mock.calls).toEqual([[false]]);
  expect([itemsOn(false, 'linux'), itemsOn(true, 'darwin')]).toEqual([[], []]);
});
