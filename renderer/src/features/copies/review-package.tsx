import type { CopiedPackage } from '#shared/copies/contract';
import { type TextId, useText } from '../../i18n/text.ts';
import { addressText } from '../../ui/address.ts';
import { bytesText } from '../../ui/number-text.ts';
import { Pill } from '../../ui/pill.tsx';
import { visibleText } from '../../ui/visible-text.ts';

/** A package of a copy: what was requested, what it resolved to, and what it contains. */
export function PackageDetails({ copied }: { copied: CopiedPackage }) {
  const t = useText();
  const { kind, address, constraint, version, url, commit, digest, sizeBytes, path, licensePath, programs } = copied;
  const facts: [TextId, string | undefined][] = [
    ['copyReview.version', version],
    [kind === 'git' ? 'copyReview.ref' : 'copyReview.constraint', constraint],
    ['copyReview.commit', commit],
    ['copyReview.url', addressText(url)],
    ['copyReview.digest', digest],
    ['copyReview.size', bytesText(sizeBytes)],
    ['copyReview.license', licensePath ?? t('copyReview.license.none')],
    ['copyReview.path', path],
    ...(programs.length > 0
      ? [['copyReview.packagePrograms', programs.map((one) => `${one.type} ${one.path}`).join(', ')] as const]
      : []),
  ].map(([term, text]) => [term as TextId, text]);
  return (
    <>
      <p className="flex flex-wrap items-center gap-2">
        <Pill>{t(`copyReview.kind.${kind}` satisfies TextId)}</Pill>
        <code className="font-semibold break-all">{visibleText(address)}</code>
      </p>
      <dl className="mt-1 grid grid-cols-1 gap-x-4 text-sm sm:grid-cols-[max-content_minmax(0,1fr)]">
        {facts.map(
          ([term, text]) =>
            text !== undefined && (
              <div key={term} className="contents">
                <dt className="text-xs text-muted sm:text-sm">{t(term)}</dt>
                <dd className="min-w-0 break-all">{visibleText(text)}</dd>
              </div>
            ),
        )}
      </dl>
    </>
  );
}
