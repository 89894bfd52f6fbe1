import { expect, it } from 'vitest';
import type { CopyReview } from '#shared/copies/contract';
import { reviewText } from './copy-review-text.ts';

const digest = `sha256:${'a'.repeat(64)}`;
const review: CopyReview = {
  digest,
  packages: [
    {
      kind: 'registry',
      address: 'example/network/aws',
      constraint: '~> 5.0',
      version: '5.1.2',
      url: 'https://modules.example/network.tar.gz',
      digest,
      sizeBytes: 1_200,
      path: 'modules.copied/network',
      licensePath: 'LICENSE',
      programs: [{ type: 'local-exec', path: 'main.tf' }],
    },
    {
      kind: 'git',
      address: 'git::https://git.example/\u001b[31mdns.git',
      url: 'https://git.example/dns.git',
      commit: 'b'.repeat(40),
      digest,
      sizeBytes: 10,
      path: 'modules.copied/dns',
      programs: [],
    },
  ],
  calls: [{ path: 'main.tf', line: 3, name: 'net', address: 'example/network/aws', target: 'modules.copied/network' }],
  leftOut: [{ path: 'prod.tfvars', reason: 'Values files are not copied.' }],
  programs: [{ type: 'local-exec', path: 'modules.copied/network/main.tf' }],
  sizeBytes: 1_500,
  fileCount: 4,
};

it('names every package with its version, digest, size, license file and programs', () => {
  expect(reviewText(review)).toEqual({
    isCut: false,
    lines: [
      'The copy holds 4 files, 1500 bytes, and packages: 2.',
      'A plan or apply can start these programs:',
      '  local-exec  modules.copied/network/main.tf',
      'Packages:',
      '  registry example/network/aws (~> 5.0)',
      `      5.1.2, ${digest}`,
      '      from https://modules.example/network.tar.gz, 1200 bytes, in modules.copied/network',
      '      license file: LICENSE',
      '      starts local-exec in main.tf',
      expect.stringMatching(/^ {2}git git::https:\/\/git\.example\/.*\[31mdns\.git$/),
      `      ${'b'.repeat(40)}, ${digest}`,
      '      from https://git.example/dns.git, 10 bytes, in modules.copied/dns',
      '      license file: none',
      'Calls:',
      '  main.tf:3 net: example/network/aws leads to modules.copied/network',
      'Left out:',
      '  prod.tfvars: Values files are not copied.',
      `Review ${digest}`,
    ],
  });
});

it('prints no control sequence of a package', () => {
  expect(reviewText(review).lines.join('\n')).not.toContain('\u001b');
});

it('names what an update changes first, and cuts long lists with their number', () => {
  const files = Array.from({ length: 203 }, (_, index) => ({ change: 'added' as const, path: `f${index}` }));
  const packages = [{ change: 'changed' as const, address: 'example/network/aws', from: '5.1.2', to: '5.2.0' }];
  const { lines, isCut } = reviewText({ ...review, difference: { packages, files } });
  expect(lines.slice(1, 5)).toEqual([
    'Packages that change:',
    '  ~ example/network/aws 5.1.2 -> 5.2.0',
    'Files that change:',
    '  + f0',
  ]);
  expect(isCut).toBe(true);
  expect(lines).toContain('  … and 3 more lines');
});
