/** Moving in: a module that was applied elsewhere, with its state. */
export const imports = {
  'import.open': 'Applied elsewhere already? Upload its state',
  'import.text':
    'Ground Control then takes over what exists instead of creating it again. In the folder of the module, run “tofu state pull > state.json” or “terraform state pull > state.json”, and choose that file. Stop using the old place afterwards.',
  'import.file': 'State file',
  'import.help': 'Up to 64 MiB, in format 4, not encrypted. It is checked and sealed, and nothing is changed yet.',
  'import.uploading': 'Uploading and checking…',
  'import.checked': 'The state can be read',
  'import.resources': 'Resources',
  'import.outputs': 'Outputs',
  'import.written': 'Written by',
  'import.tool': 'OpenTofu or Terraform',
  'import.serial': 'Serial',
  'import.lineage': 'Lineage',
  'import.providers': 'Providers',
  'import.remove': 'Remove this state',
  'import.taken': 'A Capsule was already created from this state.',
  'import.taken.open': 'Open its restore',
  'import.review': 'Review import',
  'import.review.help': 'Creates the Capsule, and a restore that waits for your approval. No provider is started.',
} as const;
