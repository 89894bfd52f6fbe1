import type { Json } from '#shared/kernel/json';
import type { Place, Tell } from './problems.ts';
import { tellPublicJson } from './public-text.ts';
import { tellRepeated } from './unique.ts';
import type { ManifestInterface } from './versions.ts';

/** What the Interfaces of a module must keep to together (Manifest 2.8, 2.9). */
export function interfaceRules(interfaces: readonly ManifestInterface[], place: Place, tell: Tell): void {
  tellRepeated(interfaces, { place, field: 'key' }, tell);
  tellRepeated(interfaces, { place, field: 'name' }, tell);
  const types = new Map<string, string>();
  for (const [index, { spec }] of interfaces.entries()) {
    const at = [...place, index, 'spec'];
    const { inputs = {}, access, document } = spec;
    tellPublicJson(document as Json, [...at, 'document'], tell);
    if (access.resourceUriInput !== undefined && !Object.hasOwn(inputs, access.resourceUriInput))
      tell([...at, 'access', 'resourceUriInput'], 'resource_uri_input_unknown', 'It must name an input of this spec.');
    for (const [name, input] of Object.entries(inputs)) {
      const here = [...at, 'inputs', name];
      if (input.source === 'literal') {
        tellPublicJson(input.value as Json, [...here, 'value'], tell);
        continue;
      }
      const { outputName, outputType } = input;
      if ((types.get(outputName) ?? outputType) !== outputType)
        tell([...here, 'outputType'], 'output_type_conflict', 'The same Output is asked for with another type.');
      types.set(outputName, outputType);
    }
  }
}
