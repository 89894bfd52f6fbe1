import { isContainer, type Json } from '#shared/kernel/json';
import { isSensitiveMark, isUnknownMark } from '#shared/plans/marks';
import { visibleText } from '#shared/visible-text';
import type { Paint } from './terminal.ts';

/** Formats untrusted text on one line, safe to print. */
export const oneLine = (text: string): string => visibleText(text.replace(/\s*[\r\n\t]+\s*/g, ' ').trim());

export const cut = (text: string, max: number): string => (text.length <= max ? text : `${text.slice(0, max - 1)}…`);

export const shortCommit = (commit: string | undefined): string => commit?.slice(0, 12) ?? '';

/** Formats a time as `2026-01-31 12:00:05Z`: sortable, and the same on every machine. */
export const timeText = (timestamp: string | undefined): string =>
  timestamp === undefined ? '' : `${timestamp.slice(0, 10)} ${timestamp.slice(11, 19)}Z`;

export const durationText = (ms: number): string => {
  if (ms < 1_000) return `${ms} ms`;
  const seconds = ms / 1_000;
  return seconds < 60 ? `${seconds.toFixed(1)} s` : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
};

/** Renders rows below headings, each column as wide as its widest cell. The last column is not padded. */
export function tableText(headings: readonly string[], rows: readonly (readonly string[])[], paint: Paint): string[] {
  const cells = rows.map((row) => row.map(oneLine));
  const widths = headings.map((heading, at) => Math.max(heading.length, ...cells.map((row) => (row[at] ?? '').length)));
  const lineOf = (row: readonly string[]) =>
    row
      .map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0)))
      .join('  ')
      .trimEnd();
  return [paint('dim', lineOf(headings)), ...cells.map(lineOf)];
}

/** Formats a value as JSON on one line, with placeholders for sensitive and unknown values. */
export const valueText = (value: Json | undefined, unknown?: Json): string => visibleText(render(value, unknown));

function render(value: Json | undefined, unknown: Json | undefined): string {
  if (isSensitiveMark(value)) return value['comparable'] === false ? '(sensitive, not comparable)' : '(sensitive)';
  if (unknown === true || isUnknownMark(value)) return '(known after apply)';
  if (Array.isArray(value) || Array.isArray(unknown)) return `[${membersOf(value, unknown).join(',')}]`;
  if (!isContainer(value ?? unknown)) return JSON.stringify(value ?? null);
  return `{${membersOf(value, unknown).join(',')}}`;
}

function membersOf(value: Json | undefined, unknown: Json | undefined): string[] {
  const known = (value ?? {}) as { readonly [key: string]: Json };
  const open = (isContainer(unknown) ? unknown : {}) as { readonly [key: string]: Json };
  const keys = [...new Set([...Object.keys(known), ...Object.keys(open)])];
  const isList = Array.isArray(value) || Array.isArray(unknown);
  return keys.map((key) => `${isList ? '' : `${JSON.stringify(key)}:`}${render(known[key], open[key])}`);
}
