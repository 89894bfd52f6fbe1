import { describe, expect, it } from 'vitest';
import { isCommitId, isGitRef, parseGitUrl } from './git-address.ts';
import { GitRef } from './git-scalars.ts';

const strict = { allowLoopback: false, allowLocal: false };
const open = { allowLoopback: true, allowLocal: true };
const reason = (text: string, rules = strict) => {
  const parsed = parseGitUrl(text, rules);
  return parsed.ok ? 'accepted' : parsed.reason;
};

describe('a Git URL', () => {
  it('is accepted over https and made canonical', () => {
    expect(parseGitUrl('https://Example.COM:443/a/b.git/', strict)).toEqual({
      ok: true,
      url: 'https://example.com/a/b.git',
      transport: 'https',
    });
    expect(reason('https://10.1.2.3/team/modules')).toBe('accepted');
    expect(reason('https://[fd12::1]/team/modules')).toBe('accepted');
  });

  it('allows a loopback host only when that is enabled', () => {
    for (const host of [
      'localhost',
      'a.localhost',
      'localhost.',
      '127.1.2.3',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '0x7f.1',
    ]) {
      expect(reason(`https://${host}/r`), host).toBe('git_host_not_allowed');
      expect(reason(`http://${host}/r`), host).toBe('git_http_not_allowed');
      expect(reason(`https://${host}/r`, open), host).toBe('accepted');
      expect(reason(`http://${host}:8080/r`, open), host).toBe('accepted');
    }
    expect(reason('http://example.com/r', open)).toBe('git_http_not_allowed');
  });

  it('refuses link-local, metadata, unspecified and multicast addresses', () => {
    const hosts = [
      '169.254.169.254',
      '0.0.0.0',
      '0',
      '224.0.0.1',
      '255.255.255.255',
      '100.100.100.200',
      '168.63.129.16',
      '[::]',
      '[fe80::1]',
      '[ff02::1]',
      '[fd00:ec2::254]',
      '[::ffff:169.254.169.254]',
      '[64:ff9b::a9fe:a9fe]',
      '[2002:a9fe:a9fe::1]',
      '192.0.0.192',
      '[fd20:ce::254]',
      '[::7f00:1]',
      '[64:ff9b:1::7f00:1]',
      '[::ffff:0:7f00:1]',
      'metadata.google.internal',
      '2852039166',
    ];
    for (const host of hosts) expect(reason(`https://${host}/r`, open), host).toBe('git_host_not_allowed');
  });

  it('allows a local repository only when that is enabled', () => {
    expect(reason('file:///srv/modules')).toBe('git_file_not_allowed');
    expect(parseGitUrl('file:///srv/modules/', open)).toEqual({
      ok: true,
      url: 'file:///srv/modules',
      transport: 'file',
    });
    expect(reason('file://host/srv/modules', open)).toBe('git_file_not_allowed');
    expect(reason('file:///', open)).toBe('git_file_not_allowed');
    expect(reason('file:///srv/a%2fb', open)).toBe('git_url_not_plain');
    expect(reason('file:///srv/a%00b', open)).toBe('git_url_not_plain');
  });

  it('is refused over SSH and every other scheme', () => {
    for (const text of ['ssh://git@example.com/r', 'git@example.com:team/r.git', 'gitolite@h:r', 'git+ssh://h/r']) {
      expect(reason(text, open), text).toBe('git_ssh_not_supported');
    }
    for (const text of [
      'git://example.com/r',
      'ftp://example.com/r',
      'ext::sh -c id',
      'javascript:alert(1)',
      'C:/repo',
      'svc-copy:copy_01M7Z83NVFG2M6CEC4RENWJDTJ',
    ]) {
      expect(reason(text, open), text).toBe('git_scheme_not_supported');
    }
  });

  it('refuses credentials', () => {
    for (const text of ['https://u:p@example.com/r', 'https://token@example.com/r', 'https://@example.com/r']) {
      expect(reason(text, open), text).toBe('git_url_credentials');
    }
  });

  it('refuses query, fragment and unusual characters', () => {
    const texts = [
      '',
      'example.com/r',
      '/srv/r',
      '//example.com/r',
      'https:example.com/r',
      'https://',
      ' https://example.com/r',
      'https://example.com/r\n',
      'https://example.com/a b',
      'https://example.com/r?x=1',
      'https://example.com/r?',
      'https://example.com/r#',
      'https://example.com\\r',
      'https://example.com/\u0000',
      'https://exa mple/r',
      `https://example.com/${'a'.repeat(2_048)}`,
      'https://example.com/%0a',
      'https://example.com/\ud800',
    ];
    for (const text of texts) expect(reason(text, open), JSON.stringify(text)).toBe('git_url_not_plain');
  });

  it('never repeats a credential in the refusal', () => {
    const parsed = parseGitUrl('https://user:hunter2hunter2@example.com/r', open);
    expect(JSON.stringify(parsed)).not.toContain('hunter2');
  });
});

describe('a Git ref', () => {
  it('is a branch, a tag, HEAD or a full commit id', () => {
    for (const text of ['main', 'HEAD', 'feature/x-1', 'v1.2.3', '@', 'a@b', 'a'.repeat(255), 'é', 'f'.repeat(40)]) {
      expect(isGitRef(text), text).toBe(true);
      expect(GitRef.safeParse(text).success, text).toBe(true);
    }
  });

  it('follows git check-ref-format and never looks like an option', () => {
    const texts = [
      '',
      '-x',
      '--upload-pack=id',
      '.a',
      'a/.b',
      'a..b',
      'a.lock',
      'a.lock/b',
      'a b',
      'a~1',
      'a^',
      'a:b',
      'a?',
      'a*',
      'a[b',
      'a\\b',
      'a@{1}',
      '/a',
      'a/',
      'a//b',
      'a.',
      'a\u0007',
      'a\u007f',
      'a'.repeat(256),
      'a\ud800',
    ];
    for (const text of texts) expect(isGitRef(text), JSON.stringify(text)).toBe(false);
  });

  it('is a commit id only when whole', () => {
    expect(isCommitId('a'.repeat(40)) && isCommitId('0'.repeat(64))).toBe(true);
    expect(isCommitId('a'.repeat(39)) || isCommitId('g'.repeat(40))).toBe(false);
  });
});
