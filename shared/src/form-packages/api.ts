import { z } from 'zod';
import { AnyJson } from '../kernel/any-json.ts';
import { defineApi } from '../kernel/endpoint.ts';
import { pageQuery } from '../kernel/page.ts';
import { FormPackageRecord } from './contract.ts';
import { FormPackageFileName } from './package.ts';

const base = '/internal/v1';
const formPackage = z.strictObject({ formPackage: FormPackageRecord });

export const formPackagesApi = defineApi({
  listFormPackages: {
    method: 'GET',
    base,
    path: '/form-packages',
    summary: 'Form packages of the data folder, with the reason of each that is not installed (operator)',
    class: 'Op',
    capability: 'form_host',
    query: pageQuery,
    replies: { 200: z.strictObject({ packages: z.array(FormPackageRecord), nextCursor: z.string().optional() }) },
  },
  installFormPackage: {
    method: 'POST',
    base,
    path: '/form-packages',
    summary: 'Install a form package as a new file of the data folder (operator)',
    class: 'Op',
    capability: 'form_host',
    body: z.strictObject({ file: FormPackageFileName, package: AnyJson }),
    replies: { 200: formPackage, 201: formPackage },
    errors: ['invalid_argument', 'conflict'],
  },
});
