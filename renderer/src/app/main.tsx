import './start.ts';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { I18nProvider } from '@lingui/react';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from '../api/queries.ts';
import { i18n, showLanguage } from '../i18n/text.ts';
import { keepFocusOnPage } from '../ui/unclaimed-focus.ts';
import { reloadWhenOutdated } from './outdated.ts';
import { router } from './routes.tsx';
import './app.css';
import { showTheme } from '../ui/theme.ts';

reloadWhenOutdated();
keepFocusOnPage();
showTheme();
showLanguage();

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <I18nProvider i18n={i18n}>
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </I18nProvider>
    </CSPProvider>
  </StrictMode>,
);
