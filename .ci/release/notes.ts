// Prints the notes of a release from its Conventional Commits: `node .ci/release/notes.ts [TAG]`. Without a tag of an
// earlier release it uses all commits.
import { execFileSync } from 'node:child_process';
import { repositoryRoot } from '../../server/src/kernel/entry.ts';

/** Headings of the types that users notice, in their order. Other types are counted only. */
const headings: readonly (readonly [type: string, heading: string])[] = [
  ['feat', 'Added'],
  ['fix', 'Fixed'],
  ['perf', 'Faster'],
];
const subjectPattern = /^(?<type>[a-z]+)(?:\((?<scope>[^)]+)\))?(?<breaking>!)?: (?<text>.+)$/;

type Entry = { type: string; scope: string; text: string; isBreaking: boolean };

/** Parts of a commit message, or undefined when it does not follow Conventional Commits. */
function parseMessage(message: string): Entry | undefined {
  const [subject = ''] = message.split('\n');
  const parts = subjectPattern.exec(subject)?.groups;
  if (!parts) return undefined;
  const { type = '', scope = '', breaking, text = '' } = parts;
  return { type, scope, text, isBreaking: breaking !== undefined || /^BREAKING[ -]CHANGE: /m.test(message) };
}

const line = ({ scope, text }: Entry): string => `- ${scope === '' ? '' : `**${scope}:** `}${text}`;
const section = (heading: string, entries: Entry[]): string[] =>
  entries.length === 0 ? [] : [`## ${heading}`, ...entries.map(line).sort()];

/** Returns the notes in Markdown. Changes that break something come first, whatever their type. */
export function releaseNotes(messages: readonly string[]): string {
  const entries = messages.flatMap((message) => parseMessage(message) ?? []);
  const breaking = entries.filter(({ isBreaking }) => isBreaking);
  const others = entries.filter(({ isBreaking }) => !isBreaking);
  const shown = headings.flatMap(([type, heading]) =>
    section(
      heading,
      others.filter((entry) => entry.type === type),
    ),
  );
  const rest = others.filter((entry) => headings.every(([type]) => type !== entry.type)).length;
  const last = rest === 0 ? [] : [`${rest} other commits change tests, documents and the build.`];
  return `${[...section('Breaking changes', breaking), ...shown, ...last].join('\n')}\n`;
}

/** Messages of the commits after the last tag of a version, or after none; newest first. */
function messagesSinceLastTag(tag: string | undefined): string[] {
  const git = (...argv: string[]) =>
    execFileSync('git', argv, { cwd: repositoryRoot, encoding: 'utf8', maxBuffer: 64 * 1_048_576 });
  const tags = git('tag', '--list', 'v*', '--merged', 'HEAD', '--sort=-v:refname').split('\n');
  const previous = tags.find((name) => name !== '' && name !== tag);
  const range = previous === undefined ? 'HEAD' : `${previous}..HEAD`;
  return git('log', '--no-merges', '--format=%B%x00', range)
    .split('\0')
    .map((text) => text.trim())
    .filter((text) => text !== '');
}

if (import.meta.main) process.stdout.write(releaseNotes(messagesSinceLastTag(process.argv[2])));
