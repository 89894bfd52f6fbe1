import { expect, it } from 'vitest';
import { hostnameOf, isClaimable, resourceUriOf } from './resource-uri.ts';

it.for([
  ['HTTPS://Notes.Example.COM:443/A/b?x=1#y', 'https://notes.example.com/A/b'],
  ['https://notes.example.com', 'https://notes.example.com/'],
  ['https://notes.example.com:8443/', 'https://notes.example.com:8443/'],
  ['http://notes.example.com:80/a', 'http://notes.example.com/a'],
  ['https://notes.example.com/a/../b', 'https://notes.example.com/b'],
  ['https://NÖTES.example.com/', 'https://xn--ntes-5qa.example.com/'],
  ['https://[2001:DB8::1]/', 'https://[2001:db8::1]/'],
] as const)('the canonical form of %s is %s', ([uri, canonical]) => {
  expect(resourceUriOf(uri)).toBe(canonical);
  expect(resourceUriOf(canonical)).toBe(canonical);
});

it.for(['https://ada@a.example', 'https://ada:pw@a.example', 'ws://a.example', '//a.example', 'https:/a.example', 7])(
  'no resource URI is %j',
  (value) => {
    expect(resourceUriOf(value)).toBeUndefined();
  },
);

it('only an HTTPS resource can be claimed', () => {
  expect(isClaimable('https://a.example/')).toBe(true);
  expect(isClaimable('http://a.example/')).toBe(false);
  expect(isClaimable(undefined)).toBe(false);
});

it('the hostname of a resource has no port', () => {
  expect(hostnameOf('https://a.example:8443/x')).toBe('a.example');
});
