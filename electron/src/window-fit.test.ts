import { describe, expect, test } from 'vitest';
import { fitBounds, readSavedWindow } from './window-fit.ts';

const left = { x: 0, y: 25, width: 1_920, height: 1_055 };
const right = { x: 1_920, y: 0, width: 2_560, height: 1_400 };
const above = { x: -200, y: -1_080, width: 1_280, height: 1_055 };

describe('a window', () => {
  test.each([
    ['on the second display stays there', { x: 2_500, y: 60, width: 900, height: 700 }, [left, right], true],
    ['above the first display stays there', { x: 10, y: -900, width: 900, height: 700 }, [left, above], true],
    ['with a corner that can be grasped stays', { x: 1_840, y: 900, width: 900, height: 700 }, [left], true],
    ['on a removed display is placed again', { x: 2_500, y: 60, width: 900, height: 700 }, [left], false],
    ['with its title bar above the screen is placed again', { x: 5, y: -60, width: 900, height: 700 }, [left], false],
    ['below the screen is placed again', { x: 5, y: 1_070, width: 900, height: 700 }, [left], false],
  ])('%s', (_name, bounds, areas, stays) => {
    const { width, height } = bounds;
    expect(fitBounds(bounds, areas)).toEqual(stays ? bounds : { width, height });
  });

  test('that is placed again is no larger than the largest display', () => {
    const huge = { x: 9_000, y: 9_000, width: 3_000, height: 3_000 };
    expect(fitBounds(huge, [left, right])).toEqual({ width: 2_560, height: 1_400 });
    expect(fitBounds(huge, [])).toEqual({ width: 3_000, height: 3_000 });
  });
});

test.each([
  [
    '{"x":1,"y":2,"width":300,"height":400,"isMaximized":true,"zoomLevel":-1.5}',
    { isMaximized: true, zoomLevel: -1.5 },
  ],
  ['{"x":1,"y":2,"width":300,"height":400}', { isMaximized: false, zoomLevel: 0 }],
  ['{"x":1,"y":2,"width":300,"height":400,"zoomLevel":40}', { isMaximized: false, zoomLevel: 0 }],
  ['{"x":1,"y":2,"width":300,"height":400,"zoomLevel":"2"}', { isMaximized: false, zoomLevel: 0 }],
])('%s is a saved window', (text, expected) => {
  expect(readSavedWindow(text)).toEqual({ x: 1, y: 2, width: 300, height: 400, ...expected });
});

test.each(['', '{', 'null', '{"x":1.5,"y":2,"width":300,"height":400}', '{"x":1,"y":2,"width":10,"height":400}'])(
  '%j is none',
  (text) => {
    expect(readSavedWindow(text)).toBeUndefined();
  },
);
