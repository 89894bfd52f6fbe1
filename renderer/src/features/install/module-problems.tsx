import { useMutation } from '@tanstack/react-query';
import { isOutside } from '#shared/sources/finding-rules';
import type { InstallModules } from '#shared/sources/module-scan';
import { remoteCallsOf } from '#shared/sources/remote-call';
import { useWorkspaceId } from '../../api/session.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { type TextId, useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { Card, Note } from '../../ui/surface.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { CopyOffer } from './copy-offer.tsx';
import { type Inspection, inspectAddress, type Prefill } from './inspection.ts';
import { inRepository } from './module-path.ts';
import { RemoteCalls } from './remote-calls.tsx';

type Invalid = Extract<InstallModules, { status: 'invalid' }>;
type Props = { inspection: Inspection; scan: Invalid; onScope: (inspection: Inspection) => void };

/** Reason why the modules cannot be listed, with an installable copy or other folders as the way on. */
export function ModuleProblems({ inspection, snapshotId, scan, onScope }: Props & { snapshotId: string }) {
  const t = useText();
  const calls = remoteCallsOf(scan.findings);
  const others = calls.length > 0 ? scan.findings.filter(({ code }) => code !== 'remote_module_source') : scan.findings;
  return (
    <Card className="flex flex-col gap-4 p-4">
      <Note tone="bad" title={t('install.scanInvalid')}>
        <p>
          {t(
            calls.length > 0 && others.length === 0
              ? 'copies.refused'
              : (`install.scan.${scan.reason}` satisfies TextId),
          )}
        </p>
      </Note>
      {others.length > 0 && (
        <ul
          aria-label={t('install.findings')}
          className="flex max-h-80 flex-col divide-y divide-line overflow-auto rounded-md border border-line"
        >
          {others.map((finding, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two findings may be alike, and none ever moves
            <li key={index} className="px-3 py-2 text-sm">
              <p className="font-medium">{t(`install.finding.${finding.code}` satisfies TextId)}</p>
              <p className="break-words text-muted">
                <code className="break-all">{visibleText(finding.path)}</code>{' '}
                <span lang="en">{visibleText(finding.message)}</span>
              </p>
            </li>
          ))}
        </ul>
      )}
      {calls.length > 0 && (
        <>
          <RemoteCalls calls={calls} />
          <CopyOffer
            inspection={inspection}
            snapshotId={snapshotId}
            modulePath={undefined}
            isOneOnly={others.length > 0}
          />
        </>
      )}
      <Remedies inspection={inspection} scan={scan} onScope={onScope} />
    </Card>
  );
}

/** Alternatives: the whole repository when the folder calls modules outside it, and folders without findings. */
export function Remedies(props: Props) {
  const { findings, cleanScopes } = props.scan;
  const isCut = props.inspection.address.path !== '.' && findings.some(isOutside);
  return (
    <div className="flex flex-col gap-4 empty:hidden">
      {isCut && <WholeRepository {...props.inspection} onScope={props.onScope} />}
      {cleanScopes.length > 0 && (
        <CleanScopes inspection={props.inspection} scopes={cleanScopes} onScope={props.onScope} />
      )}
    </div>
  );
}

function WholeRepository({ address, prefill, modulePath, onScope }: Inspection & Pick<Props, 'onScope'>) {
  const t = useText();
  const workspaceId = useWorkspaceId();
  const path = inRepository(address.path, modulePath ?? prefill?.path);
  const start = useMutation({
    mutationFn: () => inspectAddress(workspaceId, { ...address, path: '.' }, { ...prefill, path }),
    onSuccess: onScope,
  });
  return (
    <section aria-label={t('install.wholeRepository')}>
      <p className="mb-2 text-sm">{t('install.wholeRepositoryText')}</p>
      <Button variant="primary" busy={start.isPending} onClick={() => start.mutate()}>
        {t('install.wholeRepository')}
      </Button>
      {start.isError && (
        <div className="mt-2">
          <ErrorNote error={start.error} />
        </div>
      )}
    </section>
  );
}

/** Drops the module that a link named, because the user leaves its folder. */
const narrowed = ({ path: _outside, ...rest }: Prefill = {}): Prefill => rest;

function CleanScopes({
  inspection,
  scopes,
  onScope,
}: {
  inspection: Inspection;
  scopes: readonly string[];
  onScope: (inspection: Inspection) => void;
}) {
  const t = useText();
  const workspaceId = useWorkspaceId();
  const start = useMutation({
    mutationFn: (path: string) =>
      inspectAddress(workspaceId, { ...inspection.address, path }, narrowed(inspection.prefill)),
    onSuccess: onScope,
  });
  return (
    <section aria-label={t('install.cleanScopes')}>
      <h3 className="font-semibold">{t('install.cleanScopes')}</h3>
      <p className="mb-2 text-sm text-muted">{t('install.cleanScopesText')}</p>
      <ul className="flex flex-col gap-1.5">
        {scopes.map((path) => (
          <li key={path} className="flex flex-wrap items-center justify-between gap-2">
            <code className="min-w-0 break-all">{visibleText(path)}</code>
            <Button
              busy={start.isPending && start.variables === path}
              disabled={start.isPending}
              onClick={() => start.mutate(path)}
              aria-label={`${t('install.lookInScope')}: ${visibleText(path)}`}
            >
              {t('install.lookInScope')}
            </Button>
          </li>
        ))}
      </ul>
      {start.isError && (
        <div className="mt-2">
          <ErrorNote error={start.error} />
        </div>
      )}
    </section>
  );
}
