import type { ManifestProblem } from '#shared/manifest/contract';
import type { RepositoryManifest } from '#shared/sources/contract';
import { type TextId, useText } from '../../i18n/text.ts';
import { Pill, type Tone } from '../../ui/pill.tsx';
import { visibleText } from '../../ui/visible-text.ts';

const statusTexts = {
  present: { text: 'manifest.present', tone: 'good' },
  absent: { text: 'manifest.absent', tone: 'neutral' },
  invalid: { text: 'manifest.invalid', tone: 'warn' },
} as const satisfies Record<RepositoryManifest['status'], { text: TextId; tone: Tone }>;

/** Status of a snapshot's manifest, with the reason when it is not used. */
export function ManifestStatus({ manifest }: { manifest: RepositoryManifest }) {
  const t = useText();
  const { text, tone } = statusTexts[manifest.status];
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 text-xs">
      <Pill tone={tone}>{t(text)}</Pill>
      {manifest.status === 'invalid' && <span>{t(`manifest.invalid.${manifest.reason}`)}</span>}
    </span>
  );
}

/** Problems of the manifest for its author. They are folded, because the module can be installed without it. */
export function ManifestProblems({ problems }: { problems: readonly ManifestProblem[] }) {
  const t = useText();
  if (problems.length === 0) return null;
  return (
    <details className="basis-full text-sm">
      <summary className="cursor-pointer text-muted hover:text-ink">
        {t('manifest.problems', { count: problems.length })}
      </summary>
      <ul className="mt-1 flex max-h-52 list-disc flex-col gap-1 overflow-auto pl-5">
        {problems.map(({ pointer, code, message }) => (
          <li key={`${pointer} ${code} ${message}`} className="break-words">
            <code className="mr-1.5 font-mono text-xs break-all">
              {pointer ? visibleText(pointer) : t('manifest.root')}
            </code>
            {t(`manifest.problem.${code}`)}
          </li>
        ))}
      </ul>
    </details>
  );
}
