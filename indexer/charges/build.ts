import packageJson from '../../package.json' with { type: 'json' }

/** This build, by its version: what it parks it does not take up again by itself. */
export const BUILD: string = packageJson.version
