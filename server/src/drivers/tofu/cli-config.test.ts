import { describe, expect, it } from 'vitest';
import { cliConfig } from './cli-config.ts';
import { applyArgs, getArgs, initArgs, planArgs, showArgs } from './commands.ts';
import { TofuError } from './error.ts';

describe('the CLI configuration', () => {
  it('names one folder and no registry without network', () => {
    expect(cliConfig({ storeDir: '/svc/providers/views/a', network: false })).toBe(
      'disable_checkpoint = true\n\nprovider_installation {\n  filesystem_mirror {\n    path = "/svc/providers/views/a"\n  }\n}\n',
    );
  });

  it('asks the mirror first and every address in one place only', () => {
    const text = cliConfig({
      storeDir: '/store',
      storeProviders: ['r/h/local', 'r/h/time'],
      mirrorDir: '/mirror',
      mirrorProviders: ['r/h/time'],
      network: true,
    });
    expect(text.replace(/\s+/g, ' ')).toContain(
      'filesystem_mirror { path = "/mirror" include = ["r/h/time"] } filesystem_mirror { path = "/store" include = ["r/h/local"] } direct { exclude = ["r/h/time", "r/h/local"] }',
    );
  });

  it('refuses a folder name the format would interpolate', () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text is meant
    expect(() => cliConfig({ storeDir: '/x${y}', network: false })).toThrow(TofuError);
    expect(cliConfig({ storeDir: '/a "b"\\c', network: false })).toContain('"/a \\"b\\"\\\\c"');
  });
});

describe('argument vectors', () => {
  it('are never interactive and use the JSON stream', () => {
    for (const argv of [initArgs({ tool: 'tofu' }), planArgs({ out: 'p' }), applyArgs({ planFile: 'p' })])
      expect(argv).toEqual(expect.arrayContaining(['-json', '-input=false']));
  });

  it('pass variables to init and show only for tofu', () => {
    expect(initArgs({ tool: 'tofu', varFile: 'v', modules: false, lockReadonly: true })).toEqual(
      expect.arrayContaining(['-var-file=v', '-get=false', '-lockfile=readonly']),
    );
    expect(initArgs({ tool: 'terraform', varFile: 'v' })).not.toContain('-var-file=v');
    expect(getArgs({ tool: 'terraform', varFile: 'v' })).toEqual(['get', '-no-color']);
    expect(showArgs({ tool: 'terraform', file: 'p', varFile: 'v' })).toEqual(['show', '-json', '-no-color', 'p']);
  });

  it('put the plan file last', () => {
    expect(applyArgs({ planFile: '/svc/plan', varFile: 'v' }).at(-1)).toBe('/svc/plan');
    expect(planArgs({ out: '/o', destroy: true, refreshOnly: false })).toContain('-destroy');
  });
});

describe('an error of the driver', () => {
  it('keeps the command without the values of variables', () => {
    const error = new TofuError('plan_unreadable', 'No.', {
      argv: ['plan', '-var=a=hunter2', '-var', '-out=x'],
      exitCode: 1,
    });
    expect(error.argv).toEqual(['plan', '-var=a=[redacted]', '-var', '-out=x']);
    expect(error).toMatchObject({ code: 'plan_unreadable', exitCode: 1, name: 'TofuError' });
  });
});
