import { isSealed, parseState, type State, stateOf, TofuError } from '#server/drivers/tofu/index';
import { digestOf } from '#server/kernel/digest';
import { type AppError, invalidArgument } from '#server/kernel/errors';
import type { ImportedState } from '#shared/imports/contract';
import { isJsonObject, type JsonObject } from '#shared/kernel/json';

export type Upload = { text: string; summary: ImportedState };

const pull = 'Run `tofu state pull` or `terraform state pull` in the folder of the module and upload its output.';
/** Provider of a resource of a state: `module.a.provider["host/namespace/type"].alias`. */
const providerShape = /(?:^|\.)provider\["([^"]+)"\](?:\.[^.]+)?$/;
const builtIn = 'terraform.io/builtin/';

/**
 * Reads an uploaded state. Throws 400 `import_state_encrypted`, `import_state_version_unsupported` and
 * `import_state_invalid`, which never contain a part of it.
 */
export function readUpload(bytes: Uint8Array): Upload {
  const text = decode(bytes);
  if (isSealed(text))
    throw invalidArgument('import_state_encrypted', `The state is encrypted. ${pull} It decrypts the state.`);
  const { document, state } = parse(text);
  const providers = providersOf(document);
  const toolName = toolOf(providers);
  const summary: ImportedState = {
    lineage: state.lineage,
    serial: state.serial,
    ...(toolName && { toolName }),
    toolVersion: state.toolVersion,
    digest: digestOf(text),
    sizeBytes: bytes.length,
    resourceCount: state.resourceCount,
    outputCount: Object.keys(state.outputs).length,
    providers,
  };
  return { text, summary };
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalid('is not UTF-8 text');
  }
}

function parse(text: string): { document: JsonObject; state: State } {
  try {
    const document = parseState(text);
    if (typeof document.encrypted_data === 'string')
      throw invalidArgument('import_state_encrypted', `The state is encrypted. ${pull} It decrypts the state.`);
    if (document.version !== 4) throw unsupported();
    return { document, state: stateOf(document) };
  } catch (error) {
    if (!(error instanceof TofuError)) throw error;
    throw invalid('cannot be read as a state');
  }
}

const unsupported = (): AppError =>
  invalidArgument(
    'import_state_version_unsupported',
    'The state is not in format 4. Run a plan with a current OpenTofu or terraform, which writes that format, and upload it again.',
  );

const invalid = (fact: string): AppError => invalidArgument('import_state_invalid', `The upload ${fact}. ${pull}`);

function providersOf({ resources }: JsonObject): string[] {
  const addresses = new Set<string>();
  for (const resource of Array.isArray(resources) ? resources : []) {
    const provider = isJsonObject(resource) ? resource.provider : undefined;
    const address = typeof provider === 'string' ? providerShape.exec(provider)?.[1] : undefined;
    if (address === undefined) throw invalid('has a resource without the address of its provider');
    if (!address.startsWith(builtIn)) addresses.add(address);
  }
  return [...addresses].sort();
}

/** Returns the tool whose registry the addresses name. Both tools write the same format. */
function toolOf(providers: readonly string[]): ImportedState['toolName'] {
  if (providers.some((address) => address.startsWith('registry.terraform.io/'))) return 'terraform';
  return providers.some((address) => address.startsWith('registry.opentofu.org/')) ? 'tofu' : undefined;
}
