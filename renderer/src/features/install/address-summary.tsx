import { useMutation } from '@tanstack/react-query';
import type { Run } from '#shared/runs/contract';
import { describeReturnUri } from '#shared/sources/return-uri';
import { useWorkspaceId } from '../../api/session.tsx';
import { ErrorNote } from '../../components/error-note.tsx';
import { useText } from '../../i18n/text.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Card } from '../../ui/surface.tsx';
import { AddressParts, Part } from './address-preview.tsx';
import { type Inspection, inspectAddress } from './inspection.ts';
import { Code } from './link/host.tsx';

type Props = {
  inspection: Inspection;
  run: Run | undefined;
  onChange: () => void;
  onInspect: (inspection: Inspection) => void;
};

/** Summary of the requested inspection with the commit that was read. */
export function AddressSummary({ inspection, run, onChange, onInspect }: Props) {
  const t = useText();
  const workspaceId = useWorkspaceId();
  const again = useMutation({
    mutationFn: () => inspectAddress(workspaceId, inspection.address, inspection.prefill),
    onSuccess: onInspect,
  });
  const commit = run?.resolvedCommit;
  const returnTo = inspection.prefill?.returnTo;
  return (
    <Card className="px-4 py-2.5">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <dl className="flex min-w-0 flex-[1_1_24rem] flex-wrap items-center gap-x-6 gap-y-1 text-sm">
          <AddressParts address={inspection.address} />
          {returnTo && (
            <Part name={t('link.returnTo')}>
              <Code>{describeReturnUri(returnTo.uri).text}</Code>
            </Part>
          )}
          {commit !== undefined && (
            <Part name={t('install.commit')}>
              <span className="inline-flex items-center gap-0.5">
                <code title={commit}>{commit.slice(0, 10)}</code>
                <CopyButton text={commit} what={t('install.commit')} />
              </span>
            </Part>
          )}
        </dl>
        <div className="flex flex-wrap gap-2">
          <Button busy={again.isPending} disabled={run === undefined} onClick={() => again.mutate()}>
            {t('install.lookAgain')}
          </Button>
          <Button onClick={onChange}>{t('install.changeAddress')}</Button>
        </div>
      </div>
      {again.isError && (
        <div className="mt-2">
          <ErrorNote error={again.error} />
        </div>
      )}
    </Card>
  );
}
