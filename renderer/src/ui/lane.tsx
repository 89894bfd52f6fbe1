import { useText } from '../i18n/text.ts';
import { visibleText } from './visible-text.ts';

const codeClass = 'font-mono text-[0.93em] break-all';

/** A Git ref; `HEAD` is shown as the default branch. */
export function RefName({ name }: { name: string }) {
  const t = useText();
  return name === 'HEAD' ? (
    <span title={name}>{t('lane.defaultBranch')}</span>
  ) : (
    <code className={codeClass}>{visibleText(name)}</code>
  );
}

/** A folder of a repository; `.` is shown as its root. */
export function FolderName({ path }: { path: string }) {
  const t = useText();
  return path === '.' ? (
    <span title={path}>{t('lane.top')}</span>
  ) : (
    <code className={codeClass}>{visibleText(path)}</code>
  );
}

/** A ref, and its folder unless that is the whole repository. */
export const Lane = ({ of: { ref, path } }: { of: { ref: string; path: string } }) => (
  <>
    <RefName name={ref} />
    {path !== '.' && (
      <>
        {' · '}
        <FolderName path={path} />
      </>
    )}
  </>
);
