import type { IConfiguration } from 'dependency-cruiser'

/** The rooms of each tree, from the top down. */
export const LAYERS_TOP_DOWN: Readonly<Record<string, readonly string[]>>

declare const configuration: IConfiguration
// oxlint-disable-next-line import/no-default-export -- dependency-cruiser reads the default export
export default configuration
