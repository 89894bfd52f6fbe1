import type { Problem } from './task.ts';

/** What one look at a text found: the place where it stops to read, if any. */
export type Outline = Pick<Problem, 'what' | 'line'> | undefined;

const bad = (at: number): Outline => ({ what: 'unreadable', line: at + 1 });
const lines = (text: string): string[] => text.split(/\r?\n/);

/** `[section]`, `name = value`, comments, and indented lines that go on with the value above. */
export function outlineIni(text: string): Outline {
  let isInside = false;
  let hasSection = false;
  for (const [at, line] of lines(text).entries()) {
    if (/^\s*(?:[#;].*)?$/.test(line)) continue;
    const isHead = /^\[[^[\]]+\]\s*(?:[#;].*)?$/.test(line);
    const isGoingOn = isInside && /^\s+\S/.test(line);
    const isPair = hasSection && /^[^\s=[\]][^=]*=/.test(line);
    if (!isHead && !isGoingOn && !isPair) return bad(at);
    hasSection ||= isHead;
    isInside = !isHead;
  }
  return hasSection ? undefined : { what: 'not_whole' };
}

/**
 * Whether the lines of a YAML document stand as they can: no tab in an indent, keys and list items only, text blocks
 * left alone. What the values mean is not looked at.
 */
export function outlineYaml(text: string): Outline {
  let blockIndent: number | undefined;
  for (const [at, line] of lines(text).entries()) {
    if (/^\s*(?:#.*)?$/.test(line)) continue;
    const indent = /^[ ]*/.exec(line)?.[0].length ?? 0;
    if (blockIndent !== undefined && indent > blockIndent) continue;
    blockIndent = undefined;
    if (line[indent] === '\t' || !isYamlLine(line.slice(indent), indent)) return bad(at);
    if (/[|>][+-]?\d?\s*(?:#.*)?$/.test(line)) blockIndent = indent;
  }
  return undefined;
}

const isYamlLine = (line: string, indent: number): boolean =>
  /^(?:---|\.\.\.)(?:\s|$)/.test(line) ||
  /^-(?:\s|$)/.test(line) ||
  /^(?:"[^"]*"|'[^']*'|[^\s"'[\]{},#&*!|>%@`-][^:#]*)\s*:(?:\s|$)/.test(line) ||
  // A value may go on below its key.
  indent > 0;

/** The keys that stand at the left edge of a YAML mapping. */
export const topKeys = (text: string): Set<string> =>
  new Set([...text.matchAll(/^["']?([A-Za-z][\w-]*)["']?\s*:(?:\s|$)/gm)].map(([, key = '']) => key));
