import { describe, expect, it } from 'vitest';
import { lockDigest, parseLock } from './lock.ts';

const lock = `# This file is maintained automatically by "tofu init".
# Manual edits may be lost in future updates.

provider "registry.opentofu.org/hashicorp/local" {
  version     = "1.4.0"
  constraints = ">= 1.0.0, < 2.0.0" // kept
  hashes = [
    "h1:4jyKGqTLhgwkGQgKALlfa4k0e9oM41xbwbT1qGc/AYQ=",
    "zh:00ff",
  ]
}

/* another */ provider "registry.opentofu.org/hashicorp/time" {
  version = "0.14.2"
  hashes = []
}
`;

describe('the lock file', () => {
  it('returns address, version, constraints and hashes of each provider', () => {
    expect(parseLock(lock)).toEqual([
      {
        address: 'registry.opentofu.org/hashicorp/local',
        version: '1.4.0',
        constraints: '>= 1.0.0, < 2.0.0',
        hashes: ['h1:4jyKGqTLhgwkGQgKALlfa4k0e9oM41xbwbT1qGc/AYQ=', 'zh:00ff'],
      },
      { address: 'registry.opentofu.org/hashicorp/time', version: '0.14.2', hashes: [] },
    ]);
  });

  it('is empty for an empty file or one of comments', () => {
    for (const text of ['', '\n', '# nothing', '/* open']) expect(parseLock(text)).toEqual([]);
  });

  it('refuses text that the tool does not write', () => {
    const one = 'provider "a/b/c" {\n version = "1"\n}\n';
    const wrong = [
      one + one,
      'provider "c" { version = "1" }',
      'provider "a/b/c" {}',
      'provider "a/b/c" { version = "1"',
      'provider "a/b/c" { version = 1 }',
      'module "a" {}',
      'provider "a/b/c" { version = "1" version = "2" }',
      'provider "a/b/c" { version = "1" hashes = "x" }',
      '"',
      '\u0000',
    ];
    for (const text of wrong)
      expect(() => parseLock(text)).toThrow(expect.objectContaining({ code: 'lock_unreadable' }));
  });

  it('reads a hostile file in time proportional to its length', () => {
    const cpuBefore = process.threadCpuUsage();
    for (const text of ['#'.repeat(200_000), ' '.repeat(200_000), '/* '.repeat(70_000), '//#'.repeat(70_000)])
      expect(parseLock(text)).toEqual([]);
    expect(() => parseLock(`${' \t'.repeat(100_000)}!`)).toThrow();
    expect(process.threadCpuUsage(cpuBefore).user).toBeLessThan(2_000_000);
  });

  it('has the digest of its bytes', () => {
    expect(lockDigest('')).toBe('sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(lockDigest(lock)).not.toBe(lockDigest(`${lock} `));
  });
});
