import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { certificationModules, rulesPage } from '../../../test/issuer/certification-profiles.ts';

const read = (file: string) => readFileSync(file, 'utf8').replace(/\s+/g, ' ');

describe('the profiles Basic OP and Config OP of the OpenID Foundation', () => {
  it('are listed with 39 different modules', () => {
    expect(new Set(certificationModules.map(({ module }) => module)).size).toBe(39);
    expect(certificationModules).toHaveLength(39);
  });

  it.each(certificationModules)('have a test or a rule for $module', ({ tests = [], excludedBy }) => {
    expect(tests.length > 0 || excludedBy !== undefined).toBe(true);
    for (const [file, name] of tests) expect(read(file), file).toContain(`'${name}'`);
    if (excludedBy !== undefined) expect(read(rulesPage)).toContain(excludedBy);
  });
});
