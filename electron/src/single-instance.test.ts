import { beforeEach, expect, test, vi } from 'vitest';
import { claimSingleInstance } from './single-instance.ts';

const { app } = vi.hoisted(() => ({ app: { requestSingleInstanceLock: vi.fn(), quit: vi.fn(), on: vi.fn() } }));
vi.mock('electron', () => ({ app }));
beforeEach(() => vi.clearAllMocks());

test('notifies the first desktop of every later one', () => {
  app.requestSingleInstanceLock.mockReturnValue(true);
  const onSecond = vi.fn();
  expect(claimSingleInstance(onSecond)).toBe(true);
  expect(app.on.mock.calls).toEqual([['second-instance', onSecond]]);
  expect(app.quit).not.toHaveBeenCalled();
});

test('a later desktop exits before it changes anything', () => {
  app.requestSingleInstanceLock.mockReturnValue(false);
  expect(claimSingleInstance(vi.fn())).toBe(false);
  expect(app.on).not.toHaveBeenCalled();
  expect(app.quit).toHaveBeenCalledOnce();
});
