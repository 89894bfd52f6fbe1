import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import SwaggerUI from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import 'swagger-ui-dist/swagger-ui.css';
import './reference.css';
import { useText } from '../../i18n/text.ts';
import { buttonClass } from '../../ui/button.tsx';
import { PageTitle } from '../../ui/surface.tsx';
import { localReferences } from './local-references.ts';

/** The reference uses the theme class of the page, which is set on the root element. */
function followTheme(): () => void {
  const root = document.documentElement;
  const show = () => root.classList.toggle('dark-mode', root.dataset['theme'] === 'dark');
  const watcher = new MutationObserver(show);
  watcher.observe(root, { attributes: true, attributeFilter: ['data-theme'] });
  show();
  return () => {
    watcher.disconnect();
    root.classList.remove('dark-mode');
  };
}

/** API reference of this server. Requests can be tried with the session of this browser. */
export function ReferencePage() {
  const t = useText();
  const container = useRef<HTMLDivElement>(null);
  useEffect(followTheme, []);
  useEffect(() => {
    const domNode = container.current;
    if (!domNode) return;
    SwaggerUI({
      domNode,
      url: '/openapi.json',
      docExpansion: 'none',
      // The schemas are shown at their operations, so the long list of all of them is hidden.
      defaultModelsExpandDepth: -1,
      deepLinking: false,
      displayRequestDuration: true,
      filter: true,
      tryItOutEnabled: false,
      persistAuthorization: false,
      validatorUrl: null,
      tagsSorter: 'alpha',
      plugins: [localReferences],
    });
    return () => domNode.replaceChildren();
  }, []);
  return (
    <main className="mx-auto max-w-6xl px-4 py-6">
      <PageTitle
        title={t('reference.title')}
        lead={t('reference.lead')}
        actions={
          <>
            <a href="/openapi.json" className={buttonClass()}>
              openapi.json
            </a>
            <Link to="/" className={buttonClass()}>
              {t('reference.back')}
            </Link>
          </>
        }
      />
      <div ref={container} className="reference" />
    </main>
  );
}
