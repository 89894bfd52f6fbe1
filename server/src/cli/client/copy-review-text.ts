import type { ChangedFile, ChangedPackage, CopiedPackage, CopyReview } from '#shared/copies/contract';
import { oneLine } from './text.ts';

const most = 200;
const marks: Readonly<Record<ChangedFile['change'], string>> = { added: '+', changed: '~', removed: '-' };

/** Lines of a review. Long lists are cut, with the number of lines that are missing; the whole review is on its page. */
export function reviewText(review: CopyReview): { lines: string[]; isCut: boolean } {
  const { packages, programs, calls, leftOut, difference, sizeBytes, fileCount, digest } = review;
  const sections: [string, string[]][] = [
    ['Packages that change:', (difference?.packages ?? []).map(changedPackage)],
    ['Files that change:', (difference?.files ?? []).map(({ change, path }) => `  ${marks[change]} ${oneLine(path)}`)],
    [
      'A plan or apply can start these programs:',
      programs.map(({ type, path }) => `  ${oneLine(type)}  ${oneLine(path)}`),
    ],
    ['Packages:', packages.flatMap(packageLines)],
    [
      'Calls:',
      calls.map(
        ({ path, line, name, address, target }) =>
          `  ${oneLine(path)}${line === undefined ? '' : `:${line}`} ${oneLine(name)}: ${oneLine(address)} leads to ${oneLine(target)}`,
      ),
    ],
    ['Left out:', leftOut.map(({ path, reason }) => `  ${oneLine(path)}: ${oneLine(reason)}`)],
  ];
  const shown = sections.filter(([, lines]) => lines.length > 0);
  return {
    lines: [
      `The copy holds ${fileCount} files, ${sizeBytes} bytes, and packages: ${packages.length}.`,
      ...shown.flatMap(([title, lines]) => [
        title,
        ...lines.slice(0, most),
        ...(lines.length > most ? [`  … and ${lines.length - most} more lines`] : []),
      ]),
      `Review ${digest}`,
    ],
    isCut: shown.some(([, lines]) => lines.length > most),
  };
}

function changedPackage({ change, address, from, to }: ChangedPackage): string {
  const versions = [from, to].filter((one) => one !== undefined).map(oneLine);
  return `  ${marks[change]} ${oneLine(address)} ${versions.join(' -> ')}`;
}

function packageLines(copied: CopiedPackage): string[] {
  const { kind, address, constraint, version, url, commit, digest, sizeBytes, path, licensePath, programs } = copied;
  const resolved = [version, commit].filter((one) => one !== undefined).map(oneLine);
  return [
    `  ${kind} ${oneLine(address)}${constraint === undefined ? '' : ` (${oneLine(constraint)})`}`,
    `      ${[...resolved, oneLine(digest)].join(', ')}`,
    `      from ${oneLine(url)}, ${sizeBytes} bytes, in ${oneLine(path)}`,
    `      license file: ${licensePath === undefined ? 'none' : oneLine(licensePath)}`,
    ...programs.map(({ type, path: file }) => `      starts ${oneLine(type)} in ${oneLine(file)}`),
  ];
}
