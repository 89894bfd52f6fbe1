import { type Concern, type Support, type System, systems } from '../../server/src/kernel/platform-concern.ts';
import { concerns } from '../../server/src/kernel/platform-table.ts';
import { findRunRefusal, nameOfSystem } from '../../server/src/kernel/platforms.ts';

const all: readonly Concern[] = Object.values(concerns);
const capitalized = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
const anchorOf = (title: string): string => title.toLowerCase().replaceAll(' ', '-');

const head = `# Platforms

Ground Control is developed and tested on Linux. Nothing of it has run on macOS or Windows. This page lists every assumption about the
operating system, and what holds on each one. It is generated from \`server/src/kernel/platform-table.ts\`, which the code reads:
\`npx vitest run .ci/checks/platforms.test.ts -u\` writes it.

- **tried**: implemented, and run by the tests.
- **never run**: implemented from documentation, and tested only on recorded behavior.
- **weaker**: not implemented. Less holds, and the text names where you read that before anything runs.
- **missing**: not implemented. What needs it is refused.
`;

const runsOn = (system: System): string =>
  `- **${nameOfSystem(system)}**: ${findRunRefusal(system) ?? 'Runs start.'}${
    concerns.sandbox[system].state === 'weaker' ? ' There is no sandbox.' : ''
  }`;

const row = (concern: Concern): string =>
  `| [${capitalized(concern.title)}](#${anchorOf(concern.title)}) | ${concern.stopsRuns ? 'yes' : 'no'} | ${systems
    .map((system) => concern[system].state)
    .join(' | ')} |`;

const supportText = (support: Support): string =>
  `**${support.state}**. ${support.text}${support.state === 'weaker' ? ` Said: ${support.said}` : ''}`;

const section = (concern: Concern): string =>
  [
    `### ${capitalized(concern.title)}`,
    '',
    concern.needs,
    '',
    ...systems.map((system) => `- ${nameOfSystem(system)}: ${supportText(concern[system])}`),
    `- Files: ${concern.files.map((file) => `\`${file}\``).join(', ')}`,
    '',
  ].join('\n');

/** Returns the text of docs/platforms.md. */
export const platformsPage = (): string =>
  [
    head,
    '## Runs',
    '',
    ...systems.map(runsOn),
    '',
    '## Overview',
    '',
    '| Concern | Required for Runs | Linux | macOS | Windows |',
    '| --- | --- | --- | --- | --- |',
    ...all.map(row),
    '',
    '## Concerns',
    '',
    `${all.map(section).join('\n').trimEnd()}\n`,
  ].join('\n');
