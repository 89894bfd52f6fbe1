import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { nameProgram } from './program-name.ts';

test('the program has the name of its packages', () => {
  const named = (platform: NodeJS.Platform) => {
    const app = { setAppUserModelId: vi.fn(), setDesktopName: vi.fn() };
    nameProgram(app, platform);
    return [app.setAppUserModelId.mock.calls, app.setDesktopName.mock.calls];
  };
  const builder = readFileSync(path.join(import.meta.dirname, '../../../electron-builder.yml'), 'utf8');
  const appId = /^appId: (.+)$/m.exec(builder)?.[1];
  const executable = /^ {2}executableName: (.+)$/m.exec(builder)?.[1] ?? 'groundctl';
  expect(named('win32')).toEqual([[[appId]], []]);
  expect(named('linux')).toEqual([[], [[`${executable}.desktop`]]]);
  expect(named('darwin')).toEqual([[], []]);
});
