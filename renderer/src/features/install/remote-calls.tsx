import type { RemoteCall } from '#shared/sources/remote-call';
import { useText } from '../../i18n/text.ts';
import { LongList } from '../../ui/long-list.tsx';
import { visibleText } from '../../ui/visible-text.ts';

/** Calls of modules in a registry or another repository: name, address, and the file that contains each call. */
export function RemoteCalls({ calls }: { calls: readonly RemoteCall[] }) {
  const t = useText();
  const title = t('copies.remoteCalls', { count: calls.length });
  return (
    <section>
      <h3 className="mb-2 font-semibold">{title}</h3>
      <div className="rounded-md border border-line">
        <LongList label={title} items={calls} step={20}>
          {({ name, address, path }) => (
            <>
              <p className="flex flex-wrap items-baseline gap-x-2">
                <span className="font-medium break-all">{visibleText(name)}</span>
                <code className="min-w-0 text-sm break-all">{visibleText(address)}</code>
              </p>
              <p className="text-xs break-all text-muted">
                <code>{visibleText(path)}</code>
              </p>
            </>
          )}
        </LongList>
      </div>
    </section>
  );
}
