import type { FormResourceDetail } from '#shared/form-resources/contract';
import { writeJson } from '#shared/kernel/exact-number';
import { formCompatibilityPath, formHostPath } from '#shared/vendor';

type Host = { origin: string; workspaceId: string };
type Target = Pick<FormResourceDetail, 'kind' | 'name' | 'resourceVersion' | 'spec'>;

const authorization = `-H "Authorization: Bearer $GROUNDCTL_TOKEN"`;
const lines = (...parts: string[]): string => parts.join(' \\\n  ');

/** Returns the command that lists the forms of a host, for a shell with a token in `GROUNDCTL_TOKEN`. */
export const listFormsCommand = ({ origin, workspaceId }: Host): string =>
  lines(`curl "${origin}${formHostPath}/forms?space=${workspaceId}"`, authorization);

/** Returns the commands that compare, change and delete a Resource. A change or deletion names the version that is shown. */
export function changeCommands(
  { origin, workspaceId }: Host,
  { kind, name, resourceVersion, spec }: Target,
): Record<'observe' | 'apply' | 'delete', string> {
  const address = (action = '') =>
    `"${origin}${formCompatibilityPath}/resources/${kind}/${name}${action}?space=${workspaceId}"`;
  const version = `-H 'If-Match: "${resourceVersion}"'`;
  const body = writeJson({ kind, metadata: { name }, spec }, 2);
  return {
    observe: lines(`curl -X POST ${address('/observe')}`, authorization),
    // A quoted delimiter leaves the text as it is, and JSON has no line that is the delimiter.
    apply: [
      lines(
        `curl -X PUT ${address()}`,
        authorization,
        version,
        `-H 'Content-Type: application/json' --data-binary @- <<'END'`,
      ),
      body,
      'END',
    ].join('\n'),
    delete: lines(`curl -X DELETE ${address()}`, authorization, version),
  };
}
