import { terminalStyle } from './visible-text.ts';

/** A span of text in one style; `className` is empty for plain text. */
type AnsiSegment = { text: string; className: string };

type Style = {
  fore?: number;
  back?: number;
  isBold?: boolean;
  isDim?: boolean;
  isItalic?: boolean;
  isUnderlined?: boolean;
  isStruck?: boolean;
  isInverse?: boolean;
};

export const stripAnsi = (text: string): string => (text.includes('\u001b') ? text.replace(terminalStyle, '') : text);

/** Reads SGR sequences into classes; every other control character stays where it is, for `visibleText`. */
export function readAnsi(text: string): AnsiSegment[] {
  if (!text.includes('\u001b[')) return text === '' ? [] : [{ text, className: '' }];
  const segments: AnsiSegment[] = [];
  let style: Style = {};
  let from = 0;
  const add = (to: number) => {
    if (to > from) segments.push({ text: text.slice(from, to), className: classOf(style) });
  };
  for (const match of text.matchAll(terminalStyle)) {
    add(match.index);
    from = match.index + match[0].length;
    style = applySgr(style, match[0].slice(2, -1));
  }
  add(text.length);
  return segments;
}

const switches: Readonly<Record<number, Partial<Style>>> = {
  1: { isBold: true },
  2: { isDim: true },
  3: { isItalic: true },
  4: { isUnderlined: true },
  7: { isInverse: true },
  9: { isStruck: true },
  21: { isBold: false },
  22: { isBold: false, isDim: false },
  23: { isItalic: false },
  24: { isUnderlined: false },
  27: { isInverse: false },
  29: { isStruck: false },
};

function applySgr(style: Style, parameters: string): Style {
  const codes = parameters.split(/[;:]/).map((code) => Number(code));
  let next = style;
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0;
    if (code === 38 || code === 48) {
      const { colour, length } = extendedColour(codes.slice(at + 1));
      next = { ...next, [code === 38 ? 'fore' : 'back']: colour };
      at += length;
    } else next = code === 0 ? {} : { ...next, ...switches[code], ...basicColour(code) };
  }
  return next;
}

/** The eight colors with their bright variants, and their resets. */
function basicColour(code: number): Style {
  if (code >= 30 && code <= 37) return { fore: code - 30 };
  if (code >= 40 && code <= 47) return { back: code - 40 };
  if (code >= 90 && code <= 97) return { fore: code - 82 };
  if (code >= 100 && code <= 107) return { back: code - 92 };
  if (code === 39) return { fore: -1 };
  return code === 49 ? { back: -1 } : {};
}

/** Colors beyond the sixteen are mapped to the nearest of them, so that they are readable in light and dark. */
function extendedColour([kind, ...rest]: readonly number[]): { colour: number; length: number } {
  const [red = 0, green = 0, blue = 0] = rest;
  if (kind === 2) return { colour: nearest(red, green, blue), length: 4 };
  return { colour: kind === 5 ? paletteColour(red) : -1, length: 2 };
}

function paletteColour(index: number): number {
  if (index < 16) return index;
  if (index >= 232) return index < 244 ? 8 : 7;
  const cube = index - 16;
  return nearest(Math.floor(cube / 36) * 51, (Math.floor(cube / 6) % 6) * 51, (cube % 6) * 51);
}

function nearest(red: number, green: number, blue: number): number {
  const high = Math.max(red, green, blue);
  const low = Math.min(red, green, blue);
  if (high - low < 48) return high < 128 ? 8 : 7;
  const middle = (high + low) / 2;
  return (red > middle ? 1 : 0) + (green > middle ? 2 : 0) + (blue > middle ? 4 : 0);
}

/** Black and white use the text color, because a fixed color is unreadable in one of the themes. */
const foregrounds = ['', 'ansi-red', 'ansi-green', 'ansi-yellow', 'ansi-blue', 'ansi-magenta', 'ansi-cyan', ''];
const backgrounds = [
  'ansi-on-grey',
  'ansi-on-red',
  'ansi-on-green',
  'ansi-on-yellow',
  'ansi-on-blue',
  'ansi-on-magenta',
  'ansi-on-cyan',
  'ansi-on-grey',
];

function classOf(style: Style): string {
  const { fore = -1, back = -1 } = style;
  return [
    fore === 8 || style.isDim ? 'ansi-dim' : foregrounds[fore % 8],
    back >= 0 && backgrounds[back % 8],
    style.isInverse && 'ansi-inverse',
    style.isBold && 'font-semibold',
    style.isItalic && 'italic',
    style.isUnderlined && 'underline',
    style.isStruck && 'line-through',
  ]
    .filter(Boolean)
    .join(' ');
}
