import { describe, expect, it } from 'vitest';
import { followLookup } from './lookup.ts';

const follow = (page: string) => {
  const url = new URL('https://modules.example/x');
  const body = (async function* () {
    yield Buffer.from(page);
  })();
  const http = { get: async () => ({ url, status: 200, headers: {}, body }), close: () => undefined };
  return followLookup(http, { kind: 'lookup', url: url.href, sub: '.' });
};

describe('a page that is looked up', () => {
  it.each([
    `<head><META content="https://a.example/x.zip" name='terraform-get'>`,
    '<meta charset=utf-8><meta data-name="x" name=terraform-get content=https://a.example/x.zip>',
  ])('names an address in %s', async (page) => {
    expect(await follow(page)).toMatchObject({ kind: 'archive', url: 'https://a.example/x.zip' });
  });

  it.each(['a', '-', 'a ', 'a=', 'a="'])('is read in one pass when an element is 1 MiB of %j', async (part) => {
    const page = `<meta ${part.repeat((1 << 20) / part.length)}>`;
    await expect(follow(page)).rejects.toMatchObject({ code: 'package_not_found' });
  });
});
