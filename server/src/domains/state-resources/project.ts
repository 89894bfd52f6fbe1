import { type MarkStep, readStateContents, type StateObject, type StateOutput } from '#server/drivers/tofu/index';
import type { CheckResult, ModuleCount, StateResource } from '#shared/state-resources/contract';
import { createDigest, createObjectDigest } from './digest.ts';
import { type Mask, maskOf } from './marks.ts';
import { collectMarked, createMasker, type Masker } from './mask.ts';
import {
  type Addresses,
  type IndexEntry,
  objectKey,
  outputAddress,
  type ProjectionHead,
  type ProjectionPage,
  type StoredOutput,
} from './stored.ts';

/** A page ends after this many objects, or when its values have this many characters. */
const pageObjects = 100;
const pageCharacters = 1_000_000;

export type Projected = {
  head: ProjectionHead;
  pages: ProjectionPage[];
  /** Marked paths by the address that is shown; an Output that is sensitive is marked as a whole. */
  marks: ReadonlyMap<string, readonly (readonly MarkStep[])[]>;
};
type ProjectInput = { secrets: readonly string[]; digestKey: string };
type Masked = { object: StateObject; mask: Mask | undefined };

/** Projects the text of a state. Throws `state_unreadable` and `DepthError`. */
export function projectState(text: string, { secrets, digestKey }: ProjectInput): Projected {
  const { masked, outputs, checks, masker } = readMasked(text, { secrets, digestKey });
  const objectDigest = createObjectDigest(digestKey);
  const shown = masked
    .map(({ object, mask }) => ({
      resource: { ...namesOf(object, masker), attributes: masker.value(object.attributes, mask) },
      digest: objectDigest(object.attributes),
      object,
    }))
    .sort((left, right) => compareText(objectKey(left.resource), objectKey(right.resource)));
  const pages = pagesOf(shown.map(({ resource }) => resource));
  return {
    head: {
      index: indexOf(shown, pages),
      modules: modulesOf(shown.map(({ resource }) => resource)),
      checks: checks.map((check) => checkOf(check, masker)).sort(byUrgency),
      outputs: Object.entries(outputs).map(
        ([name, output]): StoredOutput => ({
          name: masker.address(name),
          sensitive: output.sensitive,
          value: masker.value(output.value, output.sensitive ? true : undefined),
        }),
      ),
    },
    pages,
    marks: new Map([...marksOf(shown), ...outputMarksOf(outputs)]),
  };
}

/** Returns the objects of a state without their attributes, which may be such that they cannot be shown. */
export function projectAddresses(text: string, input: ProjectInput): Addresses {
  const { masked, masker } = readMasked(text, input);
  const resources = masked
    .map(({ object }) => namesOf(object, masker))
    .sort((left, right) => compareText(objectKey(left), objectKey(right)));
  return { resources, modules: modulesOf(resources) };
}

/** Reads a state, and creates its masker from everything that it marks. */
function readMasked(text: string, { secrets, digestKey }: ProjectInput) {
  const { objects, outputs, checks } = readStateContents(text);
  const masked = objects.map((object): Masked => ({ object, mask: maskOf(object.attributes, object.marks) }));
  const marked = new Set<string>();
  for (const { object, mask } of masked) collectMarked(object.attributes, mask, marked);
  for (const output of Object.values(outputs)) if (output.sensitive) collectMarked(output.value, true, marked);
  return { masked, outputs, checks, masker: createMasker({ secrets, marked, digest: createDigest(digestKey) }) };
}

const compareText = (left: string, right: string): number => (left < right ? -1 : Number(left > right));

function namesOf(object: StateObject, { address, key }: Masker): StateResource {
  const { index, moduleAddress, deposed, isTainted, dependsOn } = object;
  return {
    address: address(object.address),
    ...(moduleAddress !== undefined && { moduleAddress: address(moduleAddress) }),
    mode: object.mode,
    type: address(object.type),
    name: address(object.name),
    ...(index !== undefined && { index: typeof index === 'string' ? key(index) : index }),
    providerName: address(object.providerName),
    ...(deposed !== undefined && { deposed }),
    ...(isTainted && { tainted: true as const }),
    ...(dependsOn.length > 0 && { dependsOn: dependsOn.map(address) }),
  };
}

function pagesOf(resources: readonly StateResource[]): ProjectionPage[] {
  const pages: ProjectionPage[] = [];
  let page: StateResource[] = [];
  let characters = 0;
  for (const resource of resources) {
    characters += JSON.stringify(resource.attributes)?.length ?? 0;
    page.push(resource);
    if (page.length < pageObjects && characters < pageCharacters) continue;
    pages.push(page);
    page = [];
    characters = 0;
  }
  return page.length === 0 ? pages : [...pages, page];
}

function indexOf(
  shown: readonly { resource: StateResource; digest: string }[],
  pages: readonly ProjectionPage[],
): IndexEntry[] {
  const pageNumbers = pages.flatMap((page, number) => page.map(() => number));
  return shown.map(({ resource: { address, moduleAddress, deposed, mode }, digest }, position) => ({
    address,
    ...(moduleAddress !== undefined && { moduleAddress }),
    ...(deposed !== undefined && { deposed }),
    ...(mode === 'data' && { isData: true as const }),
    digest,
    page: pageNumbers[position] as number,
  }));
}

function modulesOf(resources: readonly StateResource[]): ModuleCount[] {
  const counts = new Map<string, number>();
  for (const { moduleAddress = '' } of resources) counts.set(moduleAddress, (counts.get(moduleAddress) ?? 0) + 1);
  return [...counts]
    .sort(([left], [right]) => compareText(left, right))
    .map(([moduleAddress, count]) => ({ ...(moduleAddress !== '' && { moduleAddress }), count }));
}

const checkOf = ({ kind, address, status, messages }: CheckResult, masker: Masker): CheckResult => ({
  kind,
  address: masker.address(address),
  status,
  messages: messages.map(masker.message),
});

const urgency = ['fail', 'error', 'unknown', 'pass'] as const;
const byUrgency = (left: CheckResult, right: CheckResult): number =>
  urgency.indexOf(left.status) - urgency.indexOf(right.status) || compareText(left.address, right.address);

function marksOf(
  shown: readonly { resource: StateResource; object: StateObject }[],
): Map<string, readonly (readonly MarkStep[])[]> {
  const marks = new Map<string, readonly (readonly MarkStep[])[]>();
  for (const { resource, object } of shown) {
    if (object.marks.length === 0) continue;
    marks.set(resource.address, [...(marks.get(resource.address) ?? []), ...object.marks]);
  }
  return marks;
}

const outputMarksOf = (outputs: { readonly [name: string]: StateOutput }): [string, MarkStep[][]][] =>
  Object.entries(outputs).flatMap(([name, { sensitive }]) => (sensitive ? [[outputAddress(name), [[]]]] : []));
