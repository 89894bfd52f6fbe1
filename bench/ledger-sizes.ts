/** A large ledger. */
export const many = { capsules: 1_000, runs: 100_000 };
/** A hundredth of it. */
export const few = { capsules: 10, runs: 1_000 };

/** SQL of a table `n` whose column `i` has the numbers from one to another. */
export const counted = (to: number, from = 1): string =>
  `WITH RECURSIVE n(i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${to})`;

/** SQL of active Capsules with ids from `cap_…1`. They share a configuration, which no policy restricts. */
export const insertCapsules = (workspaceId: string, count: number, generation = 1): string => `
  INSERT INTO sources
    (id, workspace_id, name, url, default_ref, default_path, status, auto_sync, hook_secret, created_at, updated_at)
  VALUES ('src_bench', '${workspaceId}', 'modules', 'https://git.example.com/modules.git', 'HEAD', '.', 'active', 0, x'00', 1, 1);
  INSERT INTO install_configs
    (id, workspace_id, name, derived, module_path, variable_mapping, secret_variables, policy, all_outputs, digest, created_at, updated_at)
  VALUES ('icfg_bench', '${workspaceId}', 'bench', 1, '.', '{}', '[]', '{}', 1, 'sha256:0', 1, 1);
  ${counted(count)}
  INSERT INTO capsules
    (id, workspace_id, project_id, name, slug, environment, source_id, install_config_id, status,
     current_state_generation, execution_authority_epoch, created_at, updated_at)
  SELECT printf('cap_%026d', i), '${workspaceId}', 'prj_default_${workspaceId}', 'service-' || i, 'service-' || i, 'default',
    'src_bench', 'icfg_bench', 'active', ${generation}, 1, 1700000000000 + i, 1700000000000 + i FROM n;`;
