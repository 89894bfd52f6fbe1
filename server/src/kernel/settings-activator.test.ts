import { describe, expect, it } from 'vitest';
import { readSettings, SettingError } from './settings.ts';

const token = 'canary-token-of-activator';
const read = (env: Record<string, string>) => readSettings({ GROUNDCTL_DATA_DIR: '/data', ...env });
const readPair = (url: string, more: Record<string, string> = {}) =>
  read({ SVC_RELEASE_ACTIVATOR_URL: url, SVC_RELEASE_ACTIVATOR_TOKEN: token, ...more }).releaseActivator;
/** A server behind a proxy, which is a public one. */
const published = { GROUNDCTL_PUBLIC_URL: 'https://gc.example.org', GROUNDCTL_TRUST_PROXY: '127.0.0.1' };

describe('the settings of the release activator', () => {
  it('are absent by default', () => expect(read({}).releaseActivator).toBeUndefined());

  it('accept https everywhere and http on a local server', () => {
    expect(readPair('https://hooks.example.org/activate')).toEqual({
      url: 'https://hooks.example.org/activate',
      token,
    });
    expect(readPair('https://hooks.example.org/', published)).toMatchObject({ token });
    expect(readPair('http://127.0.0.1:9000/')).toMatchObject({ url: 'http://127.0.0.1:9000/' });
    expect(() => readPair('http://127.0.0.1:9000/', published)).toThrow(/must be an https address/);
  });

  it.each([
    [{ SVC_RELEASE_ACTIVATOR_URL: 'https://hooks.example.org/' }, /together/],
    [{ SVC_RELEASE_ACTIVATOR_TOKEN: token }, /together/],
    [{ SVC_RELEASE_ACTIVATOR_URL: 'hooks', SVC_RELEASE_ACTIVATOR_TOKEN: token }, /https address/],
    [{ SVC_RELEASE_ACTIVATOR_URL: 'file:///etc', SVC_RELEASE_ACTIVATOR_TOKEN: token }, /https address/],
    [{ SVC_RELEASE_ACTIVATOR_URL: 'https://a:b@c.example/', SVC_RELEASE_ACTIVATOR_TOKEN: token }, /credentials/],
    [{ SVC_RELEASE_ACTIVATOR_URL: 'https://c.example/#x', SVC_RELEASE_ACTIVATOR_TOKEN: token }, /fragment/],
    [{ SVC_RELEASE_ACTIVATOR_URL: 'https://c.example/', SVC_RELEASE_ACTIVATOR_TOKEN: `${token}\n x` }, /printable/],
  ])('refuse %j without quoting a value', (env, message) => {
    expect(() => read(env)).toThrow(SettingError);
    expect(() => read(env)).toThrow(message);
    expect(() => read(env)).not.toThrow(/canary|example/);
  });
});
