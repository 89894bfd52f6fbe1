import { expect, test } from 'vitest';
import { connectLink, describeReturnUri, isConnectLink } from './return-uri.ts';

const hostUrl = 'https://ground.example';
const details = { hostUrl, runId: 'apply_1', capsuleId: 'cap_1' };

test('the return address has host, product, Run and Capsule in this order, and is otherwise unchanged', () => {
  for (const uri of ['notes://done', 'notes:///done', 'https://app.example', 'https://App.example:443/a/../b/%41'])
    expect(connectLink({ product: 'a.b:c', uri }, details)).toBe(
      `${uri}?host_url=https%3A%2F%2Fground.example&product=a.b%3Ac&run_id=apply_1&capsule_id=cap_1`,
    );
});

test('a person is shown the origin of a page, and the scheme of an app', () => {
  expect(describeReturnUri('https://app.example:8443/done')).toEqual({ kind: 'web', text: 'https://app.example:8443' });
  expect(describeReturnUri('https://xn--r8jz45g.jp')).toEqual({ kind: 'web', text: 'https://xn--r8jz45g.jp' });
  expect(describeReturnUri('com.example.notes://done/here')).toEqual({ kind: 'app', text: 'com.example.notes://' });
});

test('recognizes addresses that this server created, and no similar ones', () => {
  const link = connectLink({ product: 'notes', uri: 'notes://done' }, details);
  expect(isConnectLink(link, hostUrl)).toBe(true);
  for (const other of [
    'notes://done',
    link.replace('notes://', 'javascript://'),
    link.replace('notes://', 'notes://user@'),
    link.replace('product=notes', 'product=No'),
    link.replace('&run_id=apply_1', ''),
    link.replace('product=notes&run_id=apply_1', 'run_id=apply_1&product=notes'),
    link.replace('ground', 'other'),
    `${link}&setup=1`,
    `${link}#x`,
    link.replace('cap_1', '%zz').replace('host_url', '%zz'),
  ])
    expect([other, isConnectLink(other, hostUrl)]).toEqual([other, false]);
});
