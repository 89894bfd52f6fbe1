import path from 'node:path';
import type { Json } from '#shared/kernel/json';
import { type FindingCode, outsideMessage } from '#shared/sources/finding-rules';
import type { ScanProblem } from '#shared/sources/module-scan';
import { remoteCallMessage } from '#shared/sources/remote-call';
import { attribute, type Declared } from './blocks.ts';
import { literalText } from './expressions.ts';
import { configurationName } from './file-names.ts';
import { shownAddress } from './remote-address.ts';
import { describeKind, leftOutAt, leftOutConfiguration, type SourceTree } from './source-tree.ts';
import type { ToolName } from './types.ts';

type CallContext = { tree: SourceTree; toolName: ToolName };
/** Source and version of a call that leads out of the repository. A computed version keeps its templates. */
export type RemoteSource = { source: string; version?: string };
/** `remote` is set when only the place of the module is the problem. */
type Resolved = { target: string } | { problem: ScanProblem; remote?: RemoteSource };

/**
 * Returns the folder that a module call leads to. Only a literal `./…` or `../…` that stays inside the archive and is
 * not a symlink is followed: everything else would be downloaded, or cannot be known without running the tool.
 */
export function resolveCall(call: Declared, folder: string, context: CallContext): Resolved {
  const refuse = (code: FindingCode, message: string): { problem: ScanProblem } => ({
    problem: { path: call.file, code, message },
  });
  const name = `The module "${call.labels[0]}"`;
  const source = attribute(call.body, 'source');
  if (typeof source !== 'string') return refuse('configuration_invalid', `${name} has no source.`);
  if (isTemplate(source)) {
    return refuse('module_source_not_static', `${name} computes its source. It must be a plain path.`);
  }
  const text = (literalText(source) ?? source).replaceAll('\\', '/');
  if (!/^\.\.?\//.test(text)) {
    const address = shownAddress(text) ?? 'elsewhere';
    const { problem } = refuse('remote_module_source', remoteCallMessage(String(call.labels[0]), address));
    const version = attribute(call.body, 'version') ?? null;
    const remote = {
      source: literalText(source) ?? source,
      ...(version !== null && { version: versionText(version) }),
    };
    return { problem, remote };
  }
  if ((attribute(call.body, 'version') ?? null) !== null) {
    return refuse('configuration_invalid', `${name} is local and has a version, which the tool refuses.`);
  }
  const target = path.posix.join(folder, text).replace(/(.)\/$/, '$1');
  if (isAbove(target)) {
    const isInRepository = !isAbove(path.posix.join(context.tree.scopePath, target));
    return refuse(
      'configuration_invalid',
      isInRepository ? outsideMessage(name) : `${name} lies outside the repository. Only modules inside it are used.`,
    );
  }
  const message = missing(target, context);
  return message === undefined ? { target } : refuse('configuration_invalid', `${name} ${message}`);
}

const versionText = (version: Json): string => literalText(version) ?? String(version);

const isAbove = (target: string): boolean => target === '..' || target.startsWith('../');

/** Reports whether a source is a template. Escaped forms count too: a path that needs them only hides something. */
export const isTemplate = (source: Json): boolean => typeof source === 'string' && /[$%]\{/.test(source);

/** Returns why the target of a call cannot be read, or undefined when it is a folder with configuration. */
function missing(target: string, { tree, toolName }: CallContext): string | undefined {
  const leftOut = leftOutAt(tree, target);
  if (leftOut)
    return `leads to ${leftOut.path}, ${describeKind(leftOut.kind)}, which is not part of a snapshot. It must be a plain folder.`;
  const names = tree.folders.get(target);
  if (names?.some((file) => configurationName(file))) return undefined;
  const [unread] = leftOutConfiguration(tree, target, toolName);
  if (unread !== undefined)
    return `leads to a folder whose configuration is not part of a snapshot: ${unread} is ${describeKind(tree.leftOut.get(unread) ?? '')}. It must be a regular file.`;
  return names ? 'leads to a folder without configuration files.' : 'leads to a folder that does not exist.';
}
