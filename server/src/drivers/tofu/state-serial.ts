import { TofuError } from './error.ts';

/** A string, a bracket, a comma or a colon of JSON; everything else between them is skipped. */
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]/gs;

/**
 * Returns the text of a state with another serial. Every other byte stays as it is, because a number that passes through
 * a parser can lose digits. Throws `state_unreadable` for a text without a serial.
 */
export function withSerial(text: string, serial: number): string {
  let depth = 0;
  let isKey = true;
  for (const { 0: token, index } of text.matchAll(tokens)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    if (depth === 1 && isKey && token === '"serial"') return replaceNumber(text, index + token.length, serial);
    isKey = token === ',' || token === '{';
  }
  throw noSerial();
}

function replaceNumber(text: string, afterKey: number, serial: number): string {
  const number = /\s*:\s*([0-9]+)(?=[\s,}])/y;
  number.lastIndex = afterKey;
  const match = number.exec(text);
  if (match?.[1] === undefined) throw noSerial();
  const end = number.lastIndex;
  return `${text.slice(0, end - match[1].length)}${serial}${text.slice(end)}`;
}

const noSerial = () => new TofuError('state_unreadable', 'The state has no serial. Use another state.');
