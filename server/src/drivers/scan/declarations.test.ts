// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the language under test interpolates this way
import { describe, expect, it } from 'vitest';
import type { VariableDeclaration } from '#shared/sources/module-scan';
import { reportOf } from '../../../test/scan-fixture.ts';

/** Scans the only variable, whose block holds these lines, and returns its declaration. */
async function declared(body: string): Promise<Omit<VariableDeclaration, 'name'>> {
  const { rootModuleVariableDeclarations } = await reportOf({ 'main.tf': `variable "v" {\n${body}\n}\n` });
  const [{ name, ...rest } = { name: '' }] = rootModuleVariableDeclarations;
  expect(name).toBe('v');
  return rest as Omit<VariableDeclaration, 'name'>;
}

/** As `declared`, in JSON syntax. */
async function declaredInJson(body: object): Promise<Partial<VariableDeclaration>> {
  const { rootModuleVariableDeclarations } = await reportOf({
    'main.tf.json': JSON.stringify({ variable: { v: body } }),
  });
  return rootModuleVariableDeclarations[0] as VariableDeclaration;
}

describe('variables', () => {
  it('may declare nothing', async () => {
    expect(await declared('')).toEqual({ type: 'unknown', hasDefault: false });
  });

  it('keep their declarations', async () => {
    const body = `
      type        = string
      description = "Costs $\${price}"
      default     = "eu-west-1"
      nullable    = false
      sensitive   = false
      ephemeral   = true
      deprecated  = "Use w."
      validation {
        condition     = can(regex("^[a-z]{2}-\\\\d$", var.v))
        error_message = "Bad \\"v\\"."
      }`;
    expect(await declared(body)).toEqual({
      type: 'string',
      typeText: 'string',
      description: 'Costs ${price}',
      hasDefault: true,
      default: 'eu-west-1',
      nullable: false,
      sensitive: false,
      ephemeral: true,
      deprecated: 'Use w.',
    });
  });

  it.each([
    ['string', 'string'],
    ['number', 'number'],
    ['bool', 'boolean'],
    ['list(string)', 'json'],
    ['set(number)', 'json'],
    ['map(any)', 'json'],
    ['tuple([string])', 'json'],
    ['object({ a = optional(string, "}") })', 'json'],
    ['any', 'unknown'],
    ['frobnicate(string)', 'unknown'],
  ])('of type %s are %s', async (typeText, type) => {
    expect(await declared(`type = ${typeText}`)).toMatchObject({ type, typeText: expect.any(String) });
  });

  it('show the type without comments', async () => {
    const { typeText } = await declared(
      'type = object({ # first\n  a = string // second\n\n  /* third */ b = optional(string, "#no")\n})',
    );
    expect(typeText).toBe('object({\n  a = string\n    b = optional(string, "#no")\n})');
  });

  it.each<[string, unknown]>([
    ['12', 12],
    ['-1.5', -1.5],
    ['true', true],
    ['null', null],
    ['[]', []],
    ['"a\\tb\\u00e9"', 'a\tbé'],
    ['"$${x} %%{y}"', '${x} %{y}'],
    ['<<EOT\n  a\nEOT', '  a\n'],
    ['{ a = "1", "k-1" : { z = [1, 2.5, null, true, -3] } }', { a: '1', 'k-1': { z: [1, 2.5, null, true, -3] } }],
    ['9007199254740991', 9_007_199_254_740_991],
    ['1e3', 1000],
  ])('show the literal default %s', async (text, value) => {
    expect(await declared(`default = ${text}`)).toMatchObject({ hasDefault: true, default: value });
  });

  it.each([
    '1 + 2',
    'tobool("true")',
    '"a ${1 + 2}"',
    '"%{ if true }a%{ endif }"',
    '"$$${x}"',
    '[1, upper("x")]',
    '{ (upper("x")) = 1 }',
  ])('do not show the default %s', async (text) => {
    const declaration = await declared(`default = ${text}`);
    expect(declaration.hasDefault).toBe(true);
    expect(declaration).not.toHaveProperty('default');
  });

  it('never show the default of a sensitive variable, in any spelling of the mark', async () => {
    for (const mark of ['true', '"true"', 'tobool("true")']) {
      const declaration = await declared(`default = "s3cret"\nsensitive = ${mark}`);
      expect(declaration).toEqual({ type: 'unknown', hasDefault: true, sensitive: true });
    }
  });

  it('of JSON syntax are plain texts', async () => {
    expect(await declaredInJson({ type: 'map(string)', default: { 'a${b}': '${x} $${y}'.slice(0, 4) } })).toMatchObject(
      {
        type: 'json',
        default: { 'a${b}': '${x}' },
      },
    );
    expect(await declaredInJson({ type: 'string' })).toMatchObject({ type: 'string', typeText: 'string' });
    expect(await declaredInJson({ default: 1, description: '100 %{x}' })).toMatchObject({
      default: 1,
      description: '100 %{x}',
    });
  });

  it.each([
    ['12345678901234567890123', '12345678901234567890123'],
    ['1.10000000000000000001', '1.10000000000000000001'],
    ['9007199254740993', '9007199254740993'],
    ['1e400', '1e+400'],
    ['{ a = [12345678901234567890123] }', '{"a":[12345678901234567890123]}'],
  ])('keep every digit of %s', async (text, json) => {
    expect(JSON.stringify((await declared(`default = ${text}`)).default)).toBe(json);
  });

  it('of JSON syntax keep every digit', async () => {
    const { rootModuleVariableDeclarations } = await reportOf({
      'a.tf.json': '{"variable":{"v":{"default":12345678901234567891}}}',
    });
    expect(JSON.stringify(rootModuleVariableDeclarations[0]?.default)).toBe('12345678901234567891');
  });

  it('are those of the root alone, with overrides applied', async () => {
    const report = await reportOf({
      'main.tf': 'variable "z" {}\nvariable "a" {\n  default = "s3cret"\n}\nmodule "m" {\n  source = "./m"\n}\n',
      'm/main.tf': 'variable "inner" {}\n',
      'override.tf': 'variable "a" {\n  sensitive = true\n}\n',
    });
    expect(report.rootModuleVariables).toEqual(['z', 'a']);
    expect(report.rootModuleVariableDeclarations[1]).toEqual({
      name: 'a',
      type: 'unknown',
      hasDefault: true,
      sensitive: true,
    });
  });
});

describe('the order of variables', () => {
  const namesIn = async (files: Parameters<typeof reportOf>[0]) => (await reportOf(files)).rootModuleVariables;

  it('is that of the declarations, file by file', async () => {
    expect(
      await namesIn({
        'b.tf': 'variable "region" {}\nvariable zone {\n  type = object({ a = string })\n}\nvariable "name" {}\n',
        'a.tf.json': JSON.stringify({ variable: { size: {}, image: {} } }),
        'c.tf': 'variable "last" {}\n',
        'c_override.tf': 'variable "region" {\n  default = "eu"\n}\n',
      }),
    ).toEqual(['size', 'image', 'region', 'zone', 'name', 'last']);
  });

  it('is not changed by comments, texts and nested blocks that look like declarations', async () => {
    const file = `# variable "c" {
/* variable "c" {
   variable "b" { */
locals {
  text = "variable \${upper("}{")} \\" {"
  here = <<-EOT
    variable "c" { "
    EOT
}
variable "z" {
  description = "variable \\"b\\" {"
}
// variable "a" {
variable "c" {
  type = string # {
}
resource "terraform_data" "x" {
  input = { b = "}" }
}
variable "b" {}
variable "a" {}
`;
    expect(await namesIn({ 'main.tf': file })).toEqual(['z', 'c', 'b', 'a']);
  });
});

describe('outputs', () => {
  it('report whether they are sensitive and ephemeral, or that only the tool can evaluate it', async () => {
    const { rootModuleOutputs } = await reportOf({
      'main.tf':
        'output "plain" { value = 1 }\noutput "both" {\n  value = 1\n  sensitive = true\n  ephemeral = true\n}\noutput "open" {\n  value = 1\n  sensitive = true && false\n}\n',
    });
    expect(rootModuleOutputs).toEqual([
      { name: 'both', sensitive: true, ephemeral: true },
      { name: 'open', sensitive: null, ephemeral: false },
      { name: 'plain', sensitive: false, ephemeral: false },
    ]);
  });
});
