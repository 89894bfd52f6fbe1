/** Name of the meta element in which the page of a local server names its data folder. */
export const dataFolderMeta = 'groundctl-data-folder';
