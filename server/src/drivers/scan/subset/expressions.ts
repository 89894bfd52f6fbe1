import { accept, acceptKeyword, type Cursor, expect, isDigit, leaveSubset, nested, peek, readName } from './cursor.ts';
import type { Node } from './nodes.ts';
import { readHeredoc, readQuoted } from './templates.ts';

const binary = /==|!=|<=|>=|&&|\|\||[<>+*/%-]/y;

/** Reads an expression. Precedence does not matter here: operators are passed on as text. */
export function readExpression(cursor: Cursor): Node {
  const first = readOperations(cursor);
  if (peek(cursor) !== 63) return first;
  cursor.at += 1;
  return nested(cursor, cursor.lineBreaks, () => readBranches(cursor, first));
}

function readBranches(cursor: Cursor, condition: Node): Node {
  const yes = readExpression(cursor);
  expect(cursor, ':');
  const no = readExpression(cursor);
  return { kind: 'conditional', start: condition.start, end: no.end, condition, yes, no };
}

function readOperations(cursor: Cursor): Node {
  const first = readOperand(cursor);
  let last = first;
  for (;;) {
    peek(cursor);
    binary.lastIndex = cursor.at;
    const [operator] = binary.exec(cursor.text) ?? [];
    if (operator === undefined) break;
    cursor.at += operator.length;
    last = readOperand(cursor);
  }
  return last === first ? first : { kind: 'code', start: first.start, end: last.end };
}

function readOperand(cursor: Cursor): Node {
  return readSteps(cursor, nested(cursor, cursor.lineBreaks, readTerm));
}

/** Reads attributes, indexes and splats after a term. */
function readSteps(cursor: Cursor, term: Node): Node {
  const { start } = term;
  let { end } = term;
  const seen = { index: false, splat: false };
  for (let code = peek(cursor); isStep(cursor, code); code = peek(cursor)) {
    cursor.at += 1;
    if (code === 46) readAttribute(cursor, seen);
    else readIndex(cursor, seen);
    end = cursor.at;
  }
  if (end === term.end) return term;
  if (term.kind !== 'name' || seen.splat) return { kind: 'code', start, end };
  return { kind: seen.index ? 'indexed' : 'name', start, end };
}

type Seen = { index: boolean; splat: boolean };

/** Reports whether a dot or a bracket comes next; three dots are an operator. */
const isStep = ({ text, at }: Cursor, code: number): boolean => code === 91 || (code === 46 && text[at + 1] !== '.');

/** Reads what follows a dot. A second splat of this form would be an error. */
function readAttribute(cursor: Cursor, seen: Seen): void {
  if (!accept(cursor, '*')) {
    if (readName(cursor) === undefined) readLegacyIndex(cursor);
    return;
  }
  if (seen.splat) leaveSubset();
  seen.splat = true;
}

/** Reads what follows a bracket. */
function readIndex(cursor: Cursor, seen: Seen): void {
  seen.index = true;
  if (cursor.text.startsWith('*]', cursor.at)) {
    cursor.at += 2;
    return;
  }
  nested(cursor, false, () => {
    readExpression(cursor);
    expect(cursor, ']');
  });
}

/** Reads `0` of `list.0`. Two in succession would be one number. */
function readLegacyIndex(cursor: Cursor): void {
  if (!/^\d+(?!\w|\.[\deE])/.test(cursor.text.slice(cursor.at, cursor.at + 20))) leaveSubset();
  while (isDigit(cursor.text.charCodeAt(cursor.at))) cursor.at += 1;
}

function readTerm(cursor: Cursor): Node {
  const code = peek(cursor);
  const start = cursor.at;
  if (isDigit(code)) return readNumber(cursor);
  const name = readName(cursor);
  if (name !== undefined) return readReference(cursor, start, name);
  cursor.at += 1;
  switch (code) {
    case 34:
      return { kind: 'template', start, parts: readQuoted(cursor, readExpression), end: cursor.at };
    case 60:
      expect(cursor, '<');
      return {
        kind: 'template',
        start,
        parts: nested(cursor, true, () => readHeredoc(cursor, readExpression)),
        end: cursor.at,
      };
    case 40:
      return nested(cursor, false, () => readParentheses(cursor, start));
    case 91:
      return nested(cursor, false, () => readTuple(cursor, start));
    case 123:
      return readBraces(cursor, start);
    case 33:
    case 45:
      return readUnary(cursor, start, code === 33);
    default:
      return leaveSubset();
  }
}

const number = /(?:0|[1-9]\d*)(?:\.\d*[1-9])?(?![\w.])/y;

/** Reads a number that JavaScript and the other parser write alike. */
function readNumber(cursor: Cursor): Node {
  const start = cursor.at;
  number.lastIndex = start;
  const [digits] = number.exec(cursor.text) ?? leaveSubset();
  if (digits.length > 15) leaveSubset();
  cursor.at += digits.length;
  return { kind: 'literal', start, end: cursor.at, value: Number(digits) };
}

const constants: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);

function readReference(cursor: Cursor, start: number, name: string): Node {
  const end = cursor.at;
  const next = peek(cursor);
  if (next === 40 || (next === 58 && cursor.text[cursor.at + 1] === ':')) return readCall(cursor, start);
  const value = constants.get(name);
  return value === undefined ? { kind: 'name', start, end } : { kind: 'literal', start, end, value };
}

function readCall(cursor: Cursor, start: number): Node {
  while (accept(cursor, '::')) if (readName(cursor) === undefined) leaveSubset();
  expect(cursor, '(');
  return nested(cursor, false, () => {
    while (!accept(cursor, ')')) {
      readExpression(cursor);
      if (accept(cursor, ',')) continue;
      accept(cursor, '...');
      expect(cursor, ')');
      break;
    }
    return { kind: 'code', start, end: cursor.at };
  });
}

function readParentheses(cursor: Cursor, start: number): Node {
  readExpression(cursor);
  expect(cursor, ')');
  return { kind: 'code', start, end: cursor.at };
}

function readUnary(cursor: Cursor, start: number, isNot: boolean): Node {
  const operand = readOperand(cursor);
  const { end } = operand;
  if (operand.kind !== 'literal' || operand.negated) return { kind: 'code', start, end };
  const { value } = operand;
  if (isNot && typeof value === 'boolean') return { kind: 'literal', start, end, value: !value, negated: true };
  if (isNot || typeof value !== 'number' || value === 0) leaveSubset();
  return { kind: 'literal', start, end, value: -value, negated: true };
}

function readTuple(cursor: Cursor, start: number): Node {
  if (acceptKeyword(cursor, 'for')) return readFor(cursor, start, ']');
  const items: Node[] = [];
  while (!accept(cursor, ']')) {
    items.push(readExpression(cursor));
    if (accept(cursor, ',')) continue;
    expect(cursor, ']');
    break;
  }
  return { kind: 'tuple', start, end: cursor.at, items };
}

function readBraces(cursor: Cursor, start: number): Node {
  const isFor = nested(cursor, false, () => {
    const { at } = cursor;
    if (acceptKeyword(cursor, 'for')) return true;
    cursor.at = at;
    return false;
  });
  if (isFor) return nested(cursor, false, () => readFor(cursor, start, '}'));
  return nested(cursor, true, () => readObject(cursor, start));
}

function readObject(cursor: Cursor, start: number): Node {
  const items: [Node, Node][] = [];
  for (;;) {
    if (accept(cursor, '\n')) continue;
    if (accept(cursor, '}')) break;
    const key = readExpression(cursor);
    if (key.kind === 'conditional') leaveSubset();
    if (!accept(cursor, ':')) expect(cursor, '=');
    items.push([key, readExpression(cursor)]);
    if (accept(cursor, '}')) break;
    if (!accept(cursor, ',')) expect(cursor, '\n');
  }
  return { kind: 'object', start, end: cursor.at, items };
}

/** Reads a `for` expression after its keyword. */
function readFor(cursor: Cursor, start: number, close: string): Node {
  if (readName(cursor) === undefined) leaveSubset();
  if (accept(cursor, ',') && readName(cursor) === undefined) leaveSubset();
  if (!acceptKeyword(cursor, 'in')) leaveSubset();
  readExpression(cursor);
  expect(cursor, ':');
  readExpression(cursor);
  if (close === '}') {
    expect(cursor, '=>');
    readExpression(cursor);
    accept(cursor, '...');
  }
  if (acceptKeyword(cursor, 'if')) readExpression(cursor);
  expect(cursor, close);
  return { kind: 'code', start, end: cursor.at };
}
