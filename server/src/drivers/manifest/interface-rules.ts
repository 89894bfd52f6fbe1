import type { Json } from '#shared/kernel/json';
import type { JsonPath, Report } from './problems.ts';
import { reportPublicJson } from './public-text.ts';
import { reportRepeated } from './unique.ts';
import type { ManifestInterface } from './versions.ts';

/** Checks the rules that the Interfaces of a module must satisfy together. */
export function interfaceRules(interfaces: readonly ManifestInterface[], path: JsonPath, report: Report): void {
  reportRepeated(interfaces, { path, field: 'key' }, report);
  reportRepeated(interfaces, { path, field: 'name' }, report);
  const types = new Map<string, string>();
  for (const [index, { spec }] of interfaces.entries()) {
    const at = [...path, index, 'spec'];
    const { inputs = {}, access, document } = spec;
    reportPublicJson(document as Json, [...at, 'document'], report);
    if (access.resourceUriInput !== undefined && !Object.hasOwn(inputs, access.resourceUriInput))
      report(
        [...at, 'access', 'resourceUriInput'],
        'resource_uri_input_unknown',
        'It must name an input of this spec.',
      );
    for (const [name, input] of Object.entries(inputs)) {
      const here = [...at, 'inputs', name];
      if (input.source === 'literal') {
        reportPublicJson(input.value as Json, [...here, 'value'], report);
        continue;
      }
      const { outputName, outputType } = input;
      if ((types.get(outputName) ?? outputType) !== outputType)
        report([...here, 'outputType'], 'output_type_conflict', 'The same Output is asked for with another type.');
      types.set(outputName, outputType);
    }
  }
}
