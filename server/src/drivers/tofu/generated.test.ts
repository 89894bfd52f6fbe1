import { describe, expect, it } from 'vitest';
import { type GenerateRequest, generateFiles } from './generated.ts';
import { configExtensions } from './tree-names.ts';
import type { RootView } from './types.ts';

const noRemoteState = { default: false, targets: [] };
const generate = (over: Partial<GenerateRequest> = {}) =>
  generateFiles({ moduleFileNames: [], tool: 'tofu', statePath: '/svc/state/terraform.tfstate', ...over });
const view = (over: Partial<RootView>): RootView => ({
  providers: [],
  configurationAliases: [],
  remoteState: noRemoteState,
  ...over,
});
const bytes = (text: string) => Buffer.from(text, 'utf8');

describe('names of generated files', () => {
  it('are hidden by no file of the module, in any extension', () => {
    for (const tool of ['tofu', 'terraform'] as const) {
      const taken = generate({ tool, providerConfig: { a: { b: 1 } } }).map((file) =>
        file.name.replace(/\.(tofu|tf)\.json$/, ''),
      );
      for (const extension of configExtensions) {
        const moduleFileNames = taken.flatMap((stem) => [stem + extension, `Z${stem.slice(1)}${extension}`]);
        const names = generate({ tool, moduleFileNames, providerConfig: { a: { b: 1 } } }).map((file) => file.name);
        for (const name of names)
          for (const other of moduleFileNames)
            expect(name.split('.')[0]?.toLowerCase()).not.toBe(other.split('.')[0]?.toLowerCase());
      }
    }
  });

  it('sort after every override file of the module by bytes', () => {
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 16807) % 2147483647;
      return seed % below;
    };
    const letters = ['z', 'z', 'z', '_', 'a', 'Z', '0', '-', '.'];
    for (let round = 0; round < 2_000; round += 1) {
      const moduleFileNames = Array.from({ length: 1 + random(4) }, () => {
        const stem = `z${Array.from({ length: random(12) }, () => letters[random(letters.length)]).join('')}`;
        return `${stem}_override${configExtensions[random(4)]}`;
      });
      const name = generate({ moduleFileNames })[0]?.name as string;
      expect(name).toMatch(/^z{2,64}_svc_override\.tofu\.json$/);
      for (const other of moduleFileNames) expect(Buffer.compare(bytes(other), bytes(name))).toBeLessThan(0);
    }
  });

  it('end in an extension that only the running tool reads', () => {
    expect(generate()[0]?.name).toBe('zz_svc_override.tofu.json');
    expect(generate({ tool: 'terraform' })[0]?.name).toBe('zz_svc_override.tf.json');
  });

  it('refuse a module that leaves no later name', () => {
    const refused = [
      `${'z'.repeat(70)}_override.tf`,
      '~_override.tf',
      'é_override.tofu',
      '{_override.tf.json',
      '\uFFFD.tf',
    ];
    for (const name of refused)
      expect(() => generate({ moduleFileNames: [name] })).toThrow(
        expect.objectContaining({ code: 'configuration_invalid' }),
      );
    for (const name of ['日本語.tf', 'é.md', '~override.tf~', 'override.tf'])
      expect(() => generate({ moduleFileNames: [name] })).not.toThrow();
  });
});

describe('the override file', () => {
  it('puts the state into the private local backend', () => {
    expect(JSON.parse(generate()[0]?.text ?? '')).toEqual({
      terraform: { backend: { local: { path: '/svc/state/terraform.tfstate' } } },
    });
  });

  it('writes values literally', () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text is meant
    const text = generate({ statePath: '/a${b}', providerConfig: { p: { x: ['%{if}'], y: { '${k}': '$${z}' } } } });
    expect(JSON.parse(text[0]?.text ?? '').terraform.backend.local.path).toBe('/a$${b}');
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text is meant
    expect(JSON.parse(text[1]?.text ?? '').provider.p).toEqual([{ x: ['%%{if}'], y: { '$${k}': '$$${z}' } }]);
  });

  it('completes a provider block with arguments that it does not set itself', () => {
    const providers = [
      { name: 'aws', arguments: ['region'], forEach: false },
      { name: 'aws', alias: 'west', arguments: [], forEach: false },
    ];
    const files = generate({
      view: view({ providers }),
      providerConfig: { aws: { region: 'ours', profile: 'p' }, 'aws.west': { region: 'us-west-2' } },
      providerVariables: { aws: { token: 'svc_token' } },
    });
    expect(JSON.parse(files[0]?.text ?? '').provider).toEqual({
      aws: [
        // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of the tool
        { profile: 'p', token: '${var.svc_token}' },
        { alias: 'west', region: 'us-west-2' },
      ],
    });
    expect(JSON.parse(files[1]?.text ?? '')).toEqual({
      variable: { svc_token: { type: 'string', sensitive: true, ephemeral: true } },
    });
  });
});

describe('the plain file', () => {
  it('is not written when nothing needs it', () => {
    const providers = [{ name: 'aws', arguments: ['region'], forEach: false }];
    expect(generate({ view: view({ providers }), providerConfig: { aws: { region: 'x' } } })).toHaveLength(1);
  });

  it('contains blocks for passed aliases without one, and no unneeded default block', () => {
    const configurationAliases = [
      { name: 'aws', alias: 'src' },
      { name: 'aws', alias: 'own' },
    ];
    const providers = [{ name: 'aws', alias: 'own', arguments: [], forEach: false }];
    const files = generate({
      view: view({ configurationAliases, providers }),
      providerConfig: { 'aws.src': { region: 'eu' } },
    });
    expect(JSON.parse(files[1]?.text ?? '')).toEqual({ provider: { aws: [{ alias: 'src', region: 'eu' }] } });
  });

  it('does not change for_each blocks', () => {
    const providers = [{ name: 'aws', alias: 'by', arguments: [], forEach: true }];
    const request = { view: view({ providers }), providerConfig: { 'aws.by': { region: 'x' } } };
    expect(generate(request)).toHaveLength(1);
  });
});
