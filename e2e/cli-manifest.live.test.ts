import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { manifestPath } from '#shared/vendor';
import { groundctl } from './fixtures/groundctl.ts';
import { type Harness, startHarness } from './fixtures/harness.ts';

const module = `variable "title" { type = string }
variable "slug" { type = string }
variable "session_key" { type = string }
output "leak" { value = "key \${var.session_key}" }
output "page" { value = "\${var.title} \${var.slug} \${length(var.session_key)} \${file("\${path.module}/made.txt")}" }
`;
const text = (en: string) => ({ en, ja: `${en} (ja)` });
const manifestOf = (inputs: object[]) =>
  JSON.stringify({
    apiVersion: 'svc/v2.3',
    kind: 'Repository',
    install: {
      modules: {
        '.': {
          inputs,
          requires: [
            { kind: 'secret.generated', bytes: 16, encoding: 'hex', deliver: { variables: { value: 'session_key' } } },
          ],
          sourceBuild: { commands: [{ argv: ['cp', 'plain.txt', 'made.txt'] }], outputs: ['made.txt'] },
        },
      },
    },
  });
const title = { name: 'title', source: { kind: 'user' }, label: text('Title of the wiki') };
const slug = { name: 'slug', source: { kind: 'capsule_name' }, label: text('Name of the service') };
const files = { 'main.tf': module, 'plain.txt': 'plain' };

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness?.stop());
const install = (url: string, ...more: string[]) =>
  groundctl(['install', url, '--data-dir', harness.server.dataDir, ...more]);

describe('install of a repository with a manifest', () => {
  test("asks with the manifest's labels, shows the build commands, and uses values that the server generates", async () => {
    const { url } = harness.repository('wiki', { ...files, [manifestPath]: manifestOf([title, slug]) });
    const missing = await install(url);
    expect(missing.code).toBe(2);
    expect(missing.err).toContain('  --var title=VALUE   string: Title of the wiki\n');
    expect(missing.err).not.toContain('session_key');
    const refused = await install(url, '--var', 'title=x', '--var', 'slug=mine');
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('"slug"') });
    const { code, out, err } = await install(url, '--var', 'title=Notes', '--name', 'Wiki', '--auto-approve');
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(err.match(/"?cp"? "?plain\.txt"? "?made\.txt"?/g)).toHaveLength(1);
    expect(out).toContain('page = Notes Wiki 32 plain');
    expect(out + err).not.toMatch(/key [0-9a-f]{32}/);
  });

  test('stops at a manifest that does not fit the module, and continues without one that is invalid', async () => {
    const strange = harness.repository('strange', {
      ...files,
      [manifestPath]: manifestOf([title, slug, { ...title, name: 'nothing_of_it' }]),
    });
    const refused = await install(strange.url, '--var', 'title=x', '--json');
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.out || refused.err)).toMatchObject({
      error: { code: 'repository_install_ux_variable_missing', message: expect.stringContaining('nothing_of_it') },
    });
    const broken = harness.repository('broken', { 'main.tf': 'output "one" { value = 1 }\n', [manifestPath]: '{}' });
    const done = await install(broken.url, '--auto-approve');
    expect(done).toMatchObject({ code: 0, err: expect.stringContaining('it is not used') });
  });
});
