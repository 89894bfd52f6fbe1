import { ArrowDownToLine } from 'lucide-react';
import { useRef, useState } from 'react';
import type { RunFeed } from '../../../api/run-feed.ts';
import { ErrorNote } from '../../../components/error-note.tsx';
import { useText } from '../../../i18n/text.ts';
import { Button } from '../../../ui/button.tsx';
import { CopyFailed } from '../../../ui/copy-failed.tsx';
import { Card, EmptyState, Skeleton } from '../../../ui/surface.tsx';
import { downloadLog } from './download.ts';
import { LogLines } from './log-lines.tsx';
import { useStoredSwitch } from './log-settings.ts';
import { LogToolbar } from './log-toolbar.tsx';
import { useLogKeys } from './use-log-keys.ts';
import { useLogList } from './use-log-list.ts';
import { useLogSearch } from './use-log-search.ts';

type Props = {
  runId: string;
  log: RunFeed['log'];
  error: unknown;
  onAgain: () => void;
  /** True while lines may still arrive. */
  isLive: boolean;
  /** True when the log opens at its end: after a failure, or while it runs. */
  startsAtEnd: boolean;
};

/** Log of a Run: complete, searchable, colored, and followed while it grows. */
export function LogView({ runId, log, error, onAgain, isLive, startsAtEnd }: Props) {
  const t = useText();
  const root = useRef<HTMLDivElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const [isTimed, toggleTimed] = useStoredSwitch('log-times', false);
  const [isWrapped, toggleWrapped] = useStoredSwitch('log-wrap', true);
  const [download, setDownload] = useState<{ isBusy: boolean; error?: unknown }>({ isBusy: false });
  const search = useLogSearch(log);
  const list = useLogList(log, { box, isWrapped, startsAtEnd });

  const step = (by: 1 | -1) => {
    const line = search.step(by);
    if (line !== undefined) list.show(line);
  };
  const { onKeyDown, isCopyFailed } = useLogKeys({ root, box, input, log, list, step });
  const save = async () => {
    setDownload({ isBusy: true });
    await downloadLog(runId).then(
      () => setDownload({ isBusy: false }),
      (problem: unknown) => setDownload({ isBusy: false, error: problem }),
    );
  };
  const failure = error ?? download.error;
  return (
    <Card className="overflow-hidden">
      <div ref={root} className="relative">
        <LogToolbar
          search={search}
          input={input}
          onStep={step}
          onLeave={() => box.current?.focus()}
          isTimed={isTimed}
          onTimed={toggleTimed}
          isWrapped={isWrapped}
          onWrapped={toggleWrapped}
          onDownload={() => void save()}
          isDownloading={download.isBusy}
        >
          {t('run.log.lines', { count: log.count })}
          {!log.isComplete && !isLive && ` · ${t('loading')}…`}
        </LogToolbar>
        {failure !== undefined && (
          <div className="p-3">
            <ErrorNote error={failure} {...(error !== undefined && { onAgain })} />
          </div>
        )}
        {isCopyFailed && (
          <p className="px-3 py-1.5">
            <CopyFailed />
          </p>
        )}
        {log.count === 0 && <NoLines isLive={isLive} isComplete={log.isComplete} />}
        <LogLines
          log={log}
          list={list}
          box={box}
          search={search}
          isTimed={isTimed}
          isWrapped={isWrapped}
          onKeyDown={onKeyDown}
        />
        {!list.isFollowing && list.isLong && (
          <Button className="absolute right-4 bottom-4 shadow-md" onClick={list.toEnd}>
            <ArrowDownToLine size={15} aria-hidden="true" /> {t('run.log.toEnd')}
          </Button>
        )}
      </div>
    </Card>
  );
}

function NoLines({ isLive, isComplete }: { isLive: boolean; isComplete: boolean }) {
  const t = useText();
  if (isLive) return <EmptyState title={t('run.log.waitingTitle')} text={t('run.log.waitingText')} />;
  if (!isComplete) return <Skeleton lines={6} />;
  return <EmptyState title={t('run.log.emptyTitle')} text={t('run.log.emptyText')} />;
}
