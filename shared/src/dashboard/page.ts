/** Name of the meta element by which the page of a local server names its data folder. */
export const dataFolderMeta = 'groundctl-data-folder';
