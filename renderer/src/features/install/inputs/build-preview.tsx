import type { SourceBuild } from '#shared/configs/source-build';
import { useText } from '../../../i18n/text.ts';
import { Card } from '../../../ui/surface.tsx';
import { visibleText } from '../../../ui/visible-text.ts';

/** What is run before the plan, to the letter: each argument stands in a box of its own, so that none hides in another. */
export function BuildPreview({ build }: { build: SourceBuild }) {
  const t = useText();
  return (
    <Card className="mb-4 min-w-0 text-sm">
      <h2 className="border-b border-line px-4 py-3 text-base font-semibold">{t('build.title')}</h2>
      <div className="flex flex-col gap-3 px-4 py-3.5">
        <p className="text-muted">{t('build.lead')}</p>
        <ol className="flex flex-col gap-3">
          {build.commands.map(({ argv, workingDirectory }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: commands have no name, and their order never changes
            <li key={at} className="min-w-0">
              <div className="flex flex-wrap gap-1">
                {argv.map((argument, position) => (
                  <code
                    // biome-ignore lint/suspicious/noArrayIndexKey: arguments have no name, and their order never changes
                    key={position}
                    className="max-w-full rounded border border-line bg-raised px-1.5 py-0.5 break-all whitespace-pre-wrap"
                  >
                    {visibleText(argument)}
                  </code>
                ))}
              </div>
              <p className="mt-1 text-muted">
                {t('build.in')}{' '}
                {workingDirectory === undefined || workingDirectory === '.' ? (
                  t('build.root')
                ) : (
                  <code className="break-all">{visibleText(workingDirectory)}</code>
                )}
              </p>
            </li>
          ))}
        </ol>
        <div>
          <h3 className="font-medium text-muted">{t('build.outputs')}</h3>
          <ul className="mt-1 flex flex-col gap-1">
            {build.outputs.map((output) => (
              <li key={output} className="min-w-0">
                <code className="break-all">{visibleText(output)}</code>
              </li>
            ))}
          </ul>
        </div>
      </div>
    </Card>
  );
}
