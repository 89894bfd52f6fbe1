import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expiriesOfJwt, inspectContent } from './content.ts';
import type { CheckAnswer, CheckTask, Ending, Note, Problem } from './task.ts';

/*
 * Child process that checks the content of a Connection: the variables in its environment, and the files where a Run would find them. It
 * runs no provider, has no network, and prints no content.
 */

const task = JSON.parse(await text(process.stdin)) as CheckTask;
const problems: Problem[] = [];
const notes: Note[] = [];
const expiries: Ending[] = [];

for (const name of task.env) {
  const value = process.env[name] ?? '';
  if (value === '') problems.push({ name, what: 'missing' });
  else if (value.trimStart().startsWith('-----BEGIN ')) take(name, inspectContent(value, 'pem'));
  else expiries.push(...expiriesOfJwt(value).map((at) => ({ name, at })));
}
for (const file of task.files) take(file.path, inspectContent(contentOf(file), file.format));

function take(name: string, { outline, startsProgram, expiries: times }: ReturnType<typeof inspectContent>): void {
  if (outline) problems.push({ name, ...outline });
  if (startsProgram) notes.push({ name, what: 'starts_program' });
  expiries.push(...times.map((at) => ({ name, at })));
}

/** Reads the file as a provider would. */
function contentOf({ path: name, content, mode }: CheckTask['files'][number]): string {
  if (task.folder === undefined) return content;
  const file = path.join(task.folder, name);
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, content, { mode });
  return readFileSync(file, 'utf8');
}

const [ending] = expiries.toSorted((left, right) => left.at - right.at);
const answer: CheckAnswer = { problems, notes, ...(ending && { ending }) };
process.stdout.write(JSON.stringify(answer));
