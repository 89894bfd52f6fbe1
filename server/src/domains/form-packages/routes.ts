import { actorOf, created, type Mount, ok } from '#server/kernel/http/index';
import { formPackagesApi } from '#shared/form-packages/api';
import { nothingLeft } from '#shared/kernel/endpoint';
import type { FormPackagesService } from './service.ts';

export const formPackagesRoutes = (mount: Mount, formPackages: FormPackagesService): void =>
  mount(formPackagesApi, {
    listFormPackages: ({ query }) => ok(formPackages.list(query)),
    installFormPackage: async ({ body: { file, package: json, ...rest }, caller }) => {
      nothingLeft(rest);
      const install = await formPackages.prepareInstall({ file, json });
      return () => {
        const { record, isNew } = install(actorOf(caller));
        return isNew ? created({ formPackage: record }) : ok({ formPackage: record });
      };
    },
  });
