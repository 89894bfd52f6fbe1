import type { EventEmitter } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openWindow, showWindow } from './window.ts';

const { seen } = vi.hoisted(() => ({
  seen: { folder: '', packaged: false, options: [] as object[], screen: {} as import('node:events').EventEmitter },
}));

vi.mock('electron', async () => {
  const { EventEmitter } = await import('node:events');
  seen.screen = new EventEmitter().setMaxListeners(0);
  class BrowserWindow extends EventEmitter {
    webContents = Object.assign(new EventEmitter(), {
      setWindowOpenHandler: vi.fn(),
      reload: vi.fn(),
      setZoomLevel: vi.fn(),
      getZoomLevel: () => 1.5,
    });
    loadURL = vi.fn(async () => undefined);
    show = vi.fn();
    focus = vi.fn();
    restore = vi.fn();
    maximize = vi.fn();
    minimize = vi.fn();
    setSize = vi.fn();
    center = vi.fn();
    isFullScreen = () => false;
    isMinimized = () => true;
    isMaximized = () => true;
    isDestroyed = () => false;
    getNormalBounds = () => ({ x: 5, y: 60, width: 900, height: 700 });
    constructor(options: object) {
      super();
      seen.options.push(options);
    }
  }
  const app = {
    getAppPath: () => '/app',
    getPath: () => seen.folder,
    getLocale: () => 'en-GB',
    get isPackaged() {
      return seen.packaged;
    },
  };
  return {
    app,
    BrowserWindow,
    clipboard: {},
    Menu: {},
    nativeTheme: { shouldUseDarkColors: true },
    screen: Object.assign(seen.screen, {
      getAllDisplays: () => [{ workArea: { x: 0, y: 25, width: 1_920, height: 1_000 } }],
    }),
    shell: {},
  };
});

const origin = 'http://127.0.0.1:4600';
const boundsFile = () => path.join(seen.folder, 'window.json');
beforeEach(() => {
  Object.assign(seen, { folder: mkdtempSync(path.join(os.tmpdir(), 'gc-window-')), packaged: false, options: [] });
});
afterEach(() => rmSync(seen.folder, { recursive: true, force: true }));

const open = () =>
  openWindow({ origin, address: `${origin}/sign-in#x` }) as unknown as EventEmitter & Record<string, never>;
const openAndReadBounds = () => {
  open();
  const { x, y, width, height } = seen.options.at(-1) as Record<string, number>;
  return [x, y, width, height];
};

describe('the window', () => {
  test('is locked down, and has no developer tools when installed', () => {
    open();
    seen.packaged = true;
    open();
    const [inCheckout, installed] = seen.options as { webPreferences: object; show: boolean }[];
    const locked = {
      preload: path.join('/app', 'dist/desktop/preload/preload.cjs'),
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
      webSecurity: true,
      allowRunningInsecureContent: false,
      webviewTag: false,
      navigateOnDragDrop: false,
      spellcheck: false,
    };
    expect(inCheckout?.webPreferences).toEqual({ ...locked, devTools: true });
    expect(installed?.webPreferences).toEqual({ ...locked, devTools: false });
    expect(inCheckout).toMatchObject({ show: false, backgroundColor: '#0f1216' });
  });

  test('loads the sign-in link, and is shown once it is painted', () => {
    const window = open();
    expect(window['loadURL']).toHaveBeenCalledWith(`${origin}/sign-in#x`);
    expect(window['show']).not.toHaveBeenCalled();
    window.emit('ready-to-show');
    expect(window['show']).toHaveBeenCalledOnce();
    expect(window['maximize']).not.toHaveBeenCalled();
  });

  test('is restored before it comes to the front', () => {
    const window = open();
    showWindow(window as never);
    for (const method of ['restore', 'show', 'focus']) expect(window[method]).toHaveBeenCalledOnce();
  });

  test('opens with the position and size it was closed with', () => {
    expect(openAndReadBounds()).toEqual([undefined, undefined, 1_280, 800]);
    open().emit('close');
    expect(JSON.parse(readFileSync(boundsFile(), 'utf8'))).toEqual({
      x: 5,
      y: 60,
      width: 900,
      height: 700,
      isMaximized: true,
      zoomLevel: 1.5,
    });
    expect(openAndReadBounds()).toEqual([5, 60, 900, 700]);
    const window = open();
    window.emit('ready-to-show');
    expect(window['maximize']).toHaveBeenCalledOnce();
  });

  test.each([
    ['its screen is gone', '{"x":2500,"y":60,"width":900,"height":700}', [undefined, undefined, 900, 700]],
    [
      'its title bar is above every screen',
      '{"x":5,"y":-60,"width":900,"height":700}',
      [undefined, undefined, 900, 700],
    ],
    ['the file is torn', '{"x":5,"y":', [undefined, undefined, 1_280, 800]],
    ['the file holds something else', '{"x":"5","y":60,"width":900,"height":700}', [undefined, undefined, 1_280, 800]],
    ['it was too small to be seen', '{"x":5,"y":60,"width":0,"height":-4}', [undefined, undefined, 1_280, 800]],
  ])('opens in a place that can be seen when %s', (_why, text, expected) => {
    writeFileSync(boundsFile(), text);
    expect(openAndReadBounds()).toEqual(expected);
  });

  test('reloads a crashed page, but not repeatedly', () => {
    const { webContents } = open() as unknown as { webContents: EventEmitter & { reload: ReturnType<typeof vi.fn> } };
    webContents.emit('render-process-gone', {}, { reason: 'clean-exit' });
    expect(webContents.reload).not.toHaveBeenCalled();
    webContents.emit('render-process-gone', {}, { reason: 'crashed' });
    webContents.emit('render-process-gone', {}, { reason: 'oom' });
    expect(webContents.reload).toHaveBeenCalledOnce();
  });
});
