import { ExternalLink } from 'lucide-react';
import { useRecipeText } from '../../i18n/recipe-text.ts';
import { useText } from '../../i18n/text.ts';
import { visibleText } from '../../ui/visible-text.ts';
import type { Way } from './fields.ts';

/** Explains where to get the credentials. The steps come from the recipe. */
export function SetupGuide({ way: { description, guide } }: { way: Way }) {
  const t = useText();
  const say = useRecipeText();
  if (!guide && description === undefined) return null;
  return (
    <div className="rounded-md border border-line bg-raised px-4 py-3 text-sm">
      {description !== undefined && <p lang={say(description).lang}>{visibleText(say(description).text)}</p>}
      {guide && (
        <>
          {guide.steps.length > 0 && (
            <>
              <p className={`font-medium ${description === undefined ? '' : 'mt-2'}`}>{t('form.guide')}</p>
              <ol className="mt-1 flex list-decimal flex-col gap-1 pl-5">
                {guide.steps.map((step) => (
                  <li key={step} lang={say(step).lang} className="break-words">
                    {visibleText(say(step).text)}
                  </li>
                ))}
              </ol>
            </>
          )}
          <a
            href={guide.url}
            target="_blank"
            rel="noreferrer"
            className="mt-2 inline-flex items-center gap-1 font-medium break-all text-accent hover:underline"
          >
            {t('form.guide.open', { host: URL.parse(guide.url)?.host ?? guide.url })}
            <ExternalLink size={13} aria-hidden="true" className="shrink-0" />
          </a>
        </>
      )}
    </div>
  );
}
